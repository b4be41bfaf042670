"""Which lessons a user may open at this moment, over many courses at once."""

from collections.abc import Iterable

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson
from apps.courses.policies import is_staff_of
from apps.learning.models import Attempt, Enrollment
from apps.learning.outline import Progress, Standing, place_all
from apps.learning.queries.outline import LESSON_PROGRESS, outlines_of
from apps.learning.queries.practice import quizzes_shown_to

_PUBLIC = [Course.Status.PUBLISHED, Course.Status.ARCHIVED]


def openable_lessons(user: AnyUser, course: Course | None = None) -> frozenset[int]:
    """Return the primary keys of all lessons that ``policies.open_lesson`` lets the user open, in one course or in all.

    At most five queries, however many courses there are.
    """
    lessons = Lesson.objects.filter(course=course) if course is not None else Lesson.objects.all()
    found = set(lessons.filter(is_preview=True, course__status__in=_PUBLIC).values_list("pk", flat=True))
    if not isinstance(user, User) or not user.is_active:
        return frozenset(found)
    found.update(_taught(user, lessons).values_list("pk", flat=True))
    enrollments = Enrollment.objects.active().filter(user=user).select_related("course")
    if course is not None:
        enrollments = enrollments.filter(course=course)
    rows = list(enrollments.annotate(lesson_progress=LESSON_PROGRESS))
    outlines = outlines_of([row.course for row in rows])
    for row in rows:
        facts: list[tuple[int, float, int, bool]] = getattr(row, "lesson_progress", None) or []
        progress = {pk: Progress(position, watched, bool(done)) for pk, position, watched, done in facts}
        standing = Standing(row, progress, is_staff_of(user, row.course))
        found.update(one.entry.pk for one in place_all(row.course, outlines[row.course_id], standing) if one.is_open)
    return frozenset(found)


def explained_quizzes(user: AnyUser) -> frozenset[int]:
    """Return the lessons of the quizzes whose explanations the user may read now, by primary key. Three queries.

    Of a quiz with an open attempt nothing is explained.
    """
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    opened = Attempt.objects.filter(enrollment__user=user, submitted_at=None).values_list("quiz_id", flat=True)
    shown = set(quizzes_shown_to(user)) - set(opened)
    own = set(_taught(user, Lesson.objects.filter(kind=Lesson.Kind.QUIZ)).values_list("pk", flat=True))
    return frozenset(own | set(Lesson.objects.filter(quiz__in=shown).values_list("pk", flat=True)))


def readable_lessons(user: AnyUser, lessons: Iterable[Lesson]) -> frozenset[int]:
    """Return the primary keys of those lessons whose text the user may read now. At most eight queries.

    Of quizzes those whose explanations the user may read, see ``explained_quizzes``.
    """
    wanted = {lesson.pk: lesson for lesson in lessons}
    if not wanted:
        return frozenset()
    quizzes = {pk for pk, lesson in wanted.items() if lesson.kind == Lesson.Kind.QUIZ}
    explained = explained_quizzes(user) if quizzes else frozenset()
    return frozenset((openable_lessons(user) & set(wanted)) - (quizzes - explained))


def _taught(user: User, lessons: QuerySet[Lesson]) -> QuerySet[Lesson]:
    """The lessons that the user may open as staff, see ``courses.policies.is_staff_of``."""
    if user.is_admin:
        return lessons
    return lessons.filter(course__instructor=user) if user.can_teach else lessons.none()
