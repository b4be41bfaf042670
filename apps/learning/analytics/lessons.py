"""The figures of the lessons of a course, and those that stand out."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from apps.courses.models import Lesson
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.smallest_group import SMALLEST_GROUP, is_shown
from apps.learning.models import EnrollmentRollup, LessonRollup

MAX_LESSONS_STANDING_OUT = 5
STUCK_RISKS = (EnrollmentRollup.Risk.STUCK, EnrollmentRollup.Risk.FAILING)


@dataclass(frozen=True, kw_only=True)
class LessonFigures:
    """What learners did in a lesson. What is about fewer than five of them is None.

    ``reached``: learners who began it or a later one. ``stuck``: who are stuck there now, or fail its quiz.
    ``left_early`` and ``left_early_percent``: of those who began its video more than a day ago, who watched at most
    15 seconds and didn't complete it.
    """

    lesson: Lesson
    began: int = 0
    completed: int = 0
    reached: int = 0
    stuck: int = 0
    left_early: int | None = 0
    left_early_percent: float | None = None
    bookmarks: int | None = 0
    median_seconds_to_complete: int | None = None

    @property
    def has_retention(self) -> bool:
        """Whether `retention_of` may have a curve."""
        return self.lesson.kind == Lesson.Kind.VIDEO and self.began >= SMALLEST_GROUP


@dataclass(frozen=True)
class Place:
    """A lesson that stands out; ``learners`` of the ``of`` that are counted."""

    lesson: Lesson
    learners: int
    of: int

    @property
    def percent(self) -> float:
        return 100 * self.learners / self.of if self.of else 0.0


def lessons_of(course: int) -> list[LessonFigures]:
    """Return the figures of all lessons that the course has now, in order. Two queries."""
    return lessons_in([course])


def lessons_in(courses: Sequence[int]) -> list[LessonFigures]:
    """Return the same of several courses, by their titles. Two queries."""
    stuck = _count_stuck(courses)
    return [_figures_of(lesson, stuck.get(lesson.pk, 0)) for lesson in _ordered_lessons(courses)]


def _ordered_lessons(courses: Sequence[int]) -> QuerySet[Lesson]:
    lessons = Lesson.objects.filter(course__in=courses).select_related("rollup", "course")
    return lessons.defer("rollup__retention", "body").order_by(
        *("course__title", "course", "section__position", "section", "position", "pk")
    )


@dataclass(frozen=True)
class Reach:
    """How many learners began a lesson or a later one."""

    lesson: Lesson
    reached: int


def reach_of(course: int) -> list[Reach]:
    """Return how far the learners of a course came, lesson by lesson. One query."""
    found = ((lesson, getattr(lesson, "rollup", None)) for lesson in _ordered_lessons([course]))
    return [Reach(lesson, rollup.reached if rollup is not None else 0) for lesson, rollup in found]


def _figures_of(lesson: Lesson, stuck: int) -> LessonFigures:
    found: LessonRollup | None = getattr(lesson, "rollup", None)
    if found is None:
        return LessonFigures(lesson=lesson, stuck=stuck)
    left_shown = is_shown(found.left_early_of) and is_shown(found.left_early)
    return LessonFigures(
        lesson=lesson,
        began=found.began,
        completed=found.completed,
        reached=found.reached,
        stuck=stuck,
        left_early=found.left_early if left_shown else None,
        left_early_percent=_percent(found.left_early, found.left_early_of) if left_shown else None,
        bookmarks=found.bookmarks if is_shown(found.bookmark_learners) else None,
        median_seconds_to_complete=found.median_seconds_to_complete if found.completed >= SMALLEST_GROUP else None,
    )


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _count_stuck(courses: Sequence[int]) -> dict[int, int]:
    return count_stuck(Lesson.objects.filter(course__in=courses))


def count_stuck(lessons: QuerySet[Lesson]) -> dict[int, int]:
    """Return in which of the lessons somebody is stuck or fails the quiz now, with how many. One query.

    It groups those who are: a count for each lesson would go through the enrollments again and again.
    """
    rows = EnrollmentRollup.objects.filter(risk__in=STUCK_RISKS, risk_lesson__in=lessons.order_by().values("pk"))
    rows = rows.filter(enrollment__revoked_at=None)
    return dict(rows.order_by().values_list("risk_lesson").annotate(Count("pk")))


def stuck_lessons(scope: Scope, *, most: int = MAX_LESSONS_STANDING_OUT) -> list[Place]:
    """Return the lessons in which most learners are stuck or fail the quiz now, of those who began them. Two queries.

    Learners are named on the page of learners, so there is no smallest group.
    """
    stuck = _count_stuck(scope.pks)
    most_stuck = sorted(stuck, key=lambda pk: (-stuck[pk], pk))[: 4 * most]
    lessons = Lesson.objects.filter(pk__in=most_stuck).select_related("course", "rollup")
    found = [_place_of(lesson, stuck[lesson.pk]) for lesson in lessons.defer("rollup__retention", "body")]
    return sorted(found, key=lambda place: (-place.learners, -place.percent, place.lesson.pk))[:most]


def _place_of(lesson: Lesson, stuck: int) -> Place:
    rollup: LessonRollup | None = getattr(lesson, "rollup", None)
    return Place(lesson, stuck, max(stuck, rollup.began if rollup is not None else 0))


@dataclass(frozen=True)
class StandingOut:
    """``left_early``: the videos that the largest share left within 15 seconds. ``bookmarked``: the lessons in which
    most learners marked moments."""

    left_early: list[Place]
    bookmarked: list[Place]


def lessons_standing_out(scope: Scope, *, most: int = MAX_LESSONS_STANDING_OUT) -> StandingOut:
    """Return the lessons that at least five learners left early, or marked. One query."""
    is_left = Q(left_early__gte=SMALLEST_GROUP)
    rows = LessonRollup.objects.filter(lesson__course__in=scope.pks, lesson__removed_at=None)
    rows = rows.filter(is_left | Q(bookmark_learners__gte=SMALLEST_GROUP))
    found = list(rows.select_related("lesson__course").defer("retention", "lesson__body"))
    left = [Place(row.lesson, row.left_early, row.left_early_of) for row in found if row.left_early >= SMALLEST_GROUP]
    marked = [
        Place(row.lesson, row.bookmark_learners, max(row.began, row.bookmark_learners))
        for row in found
        if row.bookmark_learners >= SMALLEST_GROUP
    ]
    return StandingOut(
        sorted(left, key=lambda place: (-place.percent, -place.learners, place.lesson.pk))[:most],
        sorted(marked, key=lambda place: (-place.learners, place.lesson.pk))[:most],
    )
