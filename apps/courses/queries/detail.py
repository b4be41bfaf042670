"""What the course page shows beside the course itself."""

from dataclasses import dataclass

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce

from apps.courses.models import Course, Lesson
from apps.courses.queries.cards import Card, cards
from apps.files.models import CaptionTrack

BESIDE = 4


def _of_teacher(courses: QuerySet[Course], aggregate: Count | Sum) -> Coalesce:
    """Return an aggregate over those of the courses that the outer query's instructor teaches."""
    own = courses.filter(instructor=OuterRef("instructor")).order_by()
    figure = own.values("instructor").annotate(figure=aggregate).values("figure")
    return Coalesce(Subquery(figure, output_field=IntegerField()), Value(0))


def _online_only_lessons() -> QuerySet[Lesson]:
    """Return the lessons of the outer query's course that can't be downloaded: played by another host, or empty."""
    has_content = (
        Q(kind__in=[Lesson.Kind.TEXT, Lesson.Kind.QUIZ])
        | Q(kind=Lesson.Kind.FILE, file__isnull=False)
        | Q(kind=Lesson.Kind.VIDEO, video__is_playable=True)
    )
    return Lesson.objects.filter(course=OuterRef("pk")).exclude(has_content)


def course_for_page() -> QuerySet[Course]:
    """Return courses with category, instructor, picture and the instructor's figures. One query.

    ``teacher_courses`` counts the instructor's courses in the catalog; ``has_online_only_lessons``: learners can't
    download all of its lessons.
    """
    return Course.objects.select_related("subject", "instructor", "picture").annotate(
        teacher_courses=_of_teacher(Course.objects.shown(), Count("pk")),
        teacher_learners=_of_teacher(Course.objects.listed(), Sum("learner_count")),
        has_online_only_lessons=Exists(_online_only_lessons()),
    )


def caption_languages(course: Course) -> list[str]:
    """Return the names of the caption languages of the course's videos. One query."""
    tracks = CaptionTrack.objects.filter(video__lessons__course=course, video__lessons__removed_at=None)
    return sorted(set(tracks.values_list("label", flat=True)))


@dataclass(frozen=True)
class Beside:
    """Related courses: those to take first, and those that go well with it."""

    before: list[Card]
    goes_well: list[Card]


def courses_beside(course: Course) -> Beside:
    """Return the related courses: the same category first, then the most learners. Two queries."""
    before = cards(Course.objects.listed().filter(leads_to=course.pk).order_by("title"))
    taken = {course.pk, *(card.pk for card in before)}
    order = (Case(When(subject=course.subject_id, then=0), default=1), "-learner_count", "pk")
    # Select primary keys first: all published courses are sorted for it.
    chosen = Course.objects.published().exclude(pk__in=taken).order_by(*order).values("pk")[:BESIDE]
    return Beside(before, cards(Course.objects.filter(pk__in=chosen).order_by(*order)))
