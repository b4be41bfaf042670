"""Which lessons a user may open at this moment, over many courses at once."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson, Quiz, Right, taught_by
from apps.courses.policies import courses_with_right
from apps.learning.models import Attempt, Enrollment
from apps.learning.outline import Progress, Standing, place_all
from apps.learning.queries.outline import LESSON_PROGRESS, outlines_of
from apps.learning.queries.shown_quizzes import quizzes_shown_to_each

_PUBLIC = [Course.Status.PUBLISHED, Course.Status.ARCHIVED]


def openable_lessons(user: AnyUser, course: Course | None = None) -> frozenset[int]:
    """Return the primary keys of all lessons that ``policies.open_lesson`` lets the user open, in one course or in all.

    At most five queries, however many courses there are.
    """
    if not isinstance(user, User):
        return frozenset(_previews(course).values_list("pk", flat=True))
    return openable_by([user], course)[user.pk]


def openable_by(users: Iterable[User], course: Course | None = None) -> dict[int, frozenset[int]]:
    """Return for each of the users, by primary key, what ``openable_lessons`` returns.

    At most four queries, and one more for each user who teaches.
    """
    people = {user.pk: user for user in users}
    previews = frozenset(_previews(course).values_list("pk", flat=True))
    found = {pk: set(previews) for pk in people}
    active = {pk: user for pk, user in people.items() if user.is_active}
    lessons = Lesson.objects.all() if course is None else Lesson.objects.filter(course=course)
    for pk, user in active.items():
        found[pk].update(_taught(user, lessons).values_list("pk", flat=True))
    enrollments = Enrollment.objects.active().filter(user__in=active.keys())
    if course is not None:
        enrollments = enrollments.filter(course=course)
    standings = standings_of(enrollments, active, now=timezone.now())
    outlines = outlines_of({course.pk: course for course, _standing in standings}.values())
    for course, standing in standings:
        placed = place_all(course, outlines[course.pk], standing)
        if standing.enrollment is not None:
            found[standing.enrollment.user_id].update(one.entry.pk for one in placed if one.is_open)
    return {pk: frozenset(lessons) for pk, lessons in found.items()}


def standings_of(
    enrollments: QuerySet[Enrollment], users: Mapping[int, User], *, now: datetime
) -> list[tuple[Course, Standing]]:
    """Return the course and the standing of each enrollment, without quizzes. ``users`` are theirs, by primary key.

    One query, and one for each of the users who may teach.
    """
    found = []
    rows = list(enrollments.select_related("course").annotate(lesson_progress=LESSON_PROGRESS))
    staff = {
        pk: courses_with_right(user, [row.course for row in rows if row.user_id == pk], Right.VIEW)
        for pk, user in users.items()
        if user.can_teach
    }
    for row in rows:
        facts: list[tuple[int, float, int, bool]] = getattr(row, "lesson_progress", None) or []
        progress = {pk: Progress(position, watched, bool(done)) for pk, position, watched, done in facts}
        found.append((row.course, Standing(row, progress, row.course_id in staff.get(row.user_id, ()), now=now)))
    return found


def _previews(course: Course | None) -> QuerySet[Lesson]:
    previews = Lesson.objects.filter(is_preview=True, course__status__in=_PUBLIC)
    return previews if course is None else previews.filter(course=course)


def explained_quizzes(user: AnyUser) -> frozenset[int]:
    """Return the lessons of the quizzes whose explanations the user may read now, by primary key. Three queries.

    Of a quiz with an open attempt nothing is explained.
    """
    return quizzes_explained_to([user])[user.pk] if isinstance(user, User) else frozenset()


def quizzes_explained_to(users: Iterable[User]) -> dict[int, frozenset[int]]:
    """Return for each of the users, by primary key, what ``explained_quizzes`` returns.

    Three queries, and one more for each user who teaches.
    """
    people = {user.pk: user for user in users}
    active = {pk: user for pk, user in people.items() if user.is_active}
    open_ = Attempt.objects.filter(enrollment__user__in=active.keys(), submitted_at=None)
    opened = set(open_.values_list("enrollment__user", "quiz_id"))
    shown = {pair for pair in quizzes_shown_to_each(active.keys()) if pair not in opened}
    lesson_of = dict(Quiz.objects.filter(pk__in={quiz for _, quiz in shown}).values_list("pk", "lesson_id"))
    found: dict[int, set[int]] = {pk: set() for pk in people}
    for pk, quiz in shown:
        if quiz in lesson_of:
            found[pk].add(lesson_of[quiz])
    quizzes = Lesson.objects.filter(kind=Lesson.Kind.QUIZ)
    for pk, user in active.items():
        found[pk].update(_taught(user, quizzes).values_list("pk", flat=True))
    return {pk: frozenset(lessons) for pk, lessons in found.items()}


def lessons_being_taken(user: User) -> frozenset[int]:
    """Return the lessons of the quizzes of which the user has an open attempt, by primary key. One query."""
    taken = Lesson.objects.filter(quiz__attempts__enrollment__user=user, quiz__attempts__submitted_at=None)
    return frozenset(taken.values_list("pk", flat=True))


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
    lessons = lessons.filter(course__next_version_of=None)
    if user.is_admin:
        return lessons
    return lessons.filter(taught_by(user.pk, Right.VIEW, "course__")) if user.can_teach else lessons.none()
