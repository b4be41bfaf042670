"""What the course page tells of one course."""

from dataclasses import dataclass

from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce

from apps.courses.models import Course
from apps.courses.queries.catalogue import Card, marked_cards
from apps.files.models import CaptionTrack

BESIDE = 4


def _of_teacher(aggregate: Count | Sum) -> Coalesce:
    """A figure over the public courses of the outer course's instructor."""
    listed = Course.objects.listed().filter(instructor=OuterRef("instructor")).order_by()
    figure = listed.values("instructor").annotate(figure=aggregate).values("figure")
    return Coalesce(Subquery(figure, output_field=IntegerField()), Value(0))


def course_for_page() -> QuerySet[Course]:
    """Courses with subject, instructor and the instructor's figures. One query."""
    return Course.objects.select_related("subject", "instructor").annotate(
        teacher_courses=_of_teacher(Count("pk")), teacher_learners=_of_teacher(Sum("learner_count"))
    )


def caption_languages(course: Course) -> list[str]:
    """The languages that some video of the course has captions in, by their names. One query."""
    tracks = CaptionTrack.objects.filter(video__lessons__course=course)
    return sorted(set(tracks.values_list("label", flat=True)))


@dataclass(frozen=True)
class Beside:
    """Courses that stand beside one: those to take first, and those that go well with it."""

    before: list[Card]
    goes_well: list[Card]


def courses_beside(course: Course) -> Beside:
    """One query. The same subject comes first, then what most people take."""
    public = Course.objects.published().exclude(pk=course.pk)
    popular = public.order_by("-learner_count", "pk").values("pk")[: BESIDE + 1]
    related = public.filter(subject=course.subject_id).order_by("-learner_count", "pk").values("pk")[: BESIDE + 1]
    first = course.prerequisites.through.objects.filter(from_course=course.pk).values("to_course")
    wanted = Course.objects.listed().filter(Q(pk__in=first) | Q(pk__in=popular) | Q(pk__in=related))
    wanted = wanted.annotate(is_first=Case(When(pk__in=first, then=True), default=False))
    found = marked_cards(wanted.order_by("-learner_count", "pk"), "is_first")
    before = [card for card, is_first in found if is_first]
    others = [card for card, is_first in found if not is_first and card.availability == "now"]
    others.sort(key=lambda card: card.subject != course.subject.slug)
    return Beside(before, others[:BESIDE])
