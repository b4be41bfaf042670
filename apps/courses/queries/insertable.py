"""What can be inserted in a course: lessons of its instructor's other courses. And which courses can take its own."""

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Right, Section, taught_by
from apps.courses.policies import EDITABLE

MAX_SEARCH_WORDS = 10
MAX_SEARCH_LENGTH = 200  # characters


def insertable_lessons(course: Course, user: User, *, words: str = "", of_course: str = "") -> QuerySet[Lesson]:
    """Return lessons of the instructor's other courses that the user may read, as they follow, with their courses.

    :param words: each occurs in the title of the lesson or of its course.
    :param of_course: the slug of the only course to look in.
    """
    mine = Lesson.objects.filter(course__instructor=course.instructor_id, course__next_version_of=None)
    found = mine.exclude(course=course.live_id)
    if not user.is_admin:
        found = found.filter(taught_by(user.pk, Right.VIEW, "course__"))
    if of_course:
        found = found.filter(course__slug=of_course)
    for word in words[:MAX_SEARCH_LENGTH].split()[:MAX_SEARCH_WORDS]:
        found = found.filter(Q(title__folded_contains=word) | Q(course__title__folded_contains=word))
    order = ("-course__updated_at", "course", "section__position", "position")
    return found.select_related("course").defer("body").order_by(*order)


def target_courses(course: Course, user: User, *, words: str = "") -> QuerySet[Course]:
    """Return the instructor's other drafts and next versions that the user can edit, those changed last first.

    They come with their sections.

    :param words: each occurs in the title of the course or of one of its sections.
    """
    mine = Course.objects.filter(instructor=course.instructor_id)
    if not user.is_admin:
        mine = mine.taught_by(user.pk, Right.EDIT)
    edited = Q(pk__in=mine.filter(published_at=None).values("pk")) | Q(next_version_of__in=mine.values("pk"))
    found = Course.with_working_copies.filter(edited, status__in=EDITABLE).exclude(pk=course.pk)
    for word in words[:MAX_SEARCH_LENGTH].split()[:MAX_SEARCH_WORDS]:
        named = Section.objects.filter(course=OuterRef("pk"), title__folded_contains=word)
        found = found.filter(Q(title__folded_contains=word) | Q(Exists(named)))
    sections = Prefetch("sections", queryset=Section.objects.order_by("position"))
    return found.prefetch_related(sections).order_by("-updated_at", "-pk")
