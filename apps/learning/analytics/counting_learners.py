"""Count what lists of learners filter and sort by: risk, quizzes and time of each active enrollment."""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from apps.learning.analytics.risk import Learning, QuizAttempts, find_risk, mean_of_best
from apps.learning.analytics.storing import Changes, batched, store
from apps.learning.models import Attempt, Enrollment, EnrollmentRollup, LessonProgress, WatchedDay

CHUNK = 5_000  # rows read at once
ENROLLMENTS_AT_ONCE = 500

_NOBODY = Q(enrollment__revoked_at__isnull=False) | Q(enrollment__user__deleted_at__isnull=False)


@dataclass
class _Tally:
    """What is counted of one enrollment."""

    completed: int = 0
    last_begun: tuple[datetime, int] | None = None
    is_last_begun_completed: bool = False
    submitted: dict[int, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    """By lesson of the quiz, likewise the next ones."""
    passed: set[int] = field(default_factory=set)
    waiting: set[int] = field(default_factory=set)
    best: dict[int, int] = field(default_factory=dict)

    def attempts(self) -> tuple[QuizAttempts, ...]:
        return tuple(
            QuizAttempts(
                lesson=lesson,
                submitted_at=tuple(moments),
                is_passed=lesson in self.passed,
                is_waiting=lesson in self.waiting,
            )
            for lesson, moments in self.submitted.items()
        )


def recount_learners(
    enrollments: QuerySet[Enrollment], *, now: datetime, keep_alive: Callable[[], None], is_dry: bool = False
) -> Changes:
    """Count these enrollments again. Five queries for each 500 of them."""
    changes = Changes()
    pks = enrollments.order_by("course", "pk").values_list("pk", flat=True)
    for few in batched(list(pks), ENROLLMENTS_AT_ONCE):
        keep_alive()
        counted = _count(few, now)
        stored = EnrollmentRollup.objects.filter(enrollment__in=few)
        figures = EnrollmentRollup.FIGURES
        changes += store(stored, counted, key=("enrollment_id",), figures=figures, is_dry=is_dry)
    return changes


def remove_gone(*, is_dry: bool = False) -> Changes:
    """Remove the rows of enrollments that ended, and of deleted accounts."""
    gone = EnrollmentRollup.objects.filter(_NOBODY)
    return Changes(removed=gone.count() if is_dry else gone.delete()[1].get("learning.EnrollmentRollup", 0))


def _count(pks: Collection[int], now: datetime) -> dict[tuple[int], tuple[object, ...]]:
    columns = ("pk", "user", "course", "enrolled_at", "last_activity_at", "completed_at")
    present = Enrollment.objects.active().filter(pk__in=pks, user__deleted_at=None)
    enrollments = {row["pk"]: row for row in present.order_by().values(*columns)}
    tallies = {pk: _Tally() for pk in enrollments}
    _add_lessons(tallies)
    _add_attempts(tallies)
    seconds = _seconds_of(enrollments.values())
    counted: dict[tuple[int], tuple[object, ...]] = {}
    for pk, row in enrollments.items():
        tally = tallies[pk]
        found = find_risk(
            Learning(
                enrolled_at=row["enrolled_at"],
                last_activity_at=row["last_activity_at"],
                is_finished=row["completed_at"] is not None,
                completed=tally.completed,
                last_begun=tally.last_begun,
                is_last_begun_completed=tally.is_last_begun_completed,
                attempts=tally.attempts(),
            ),
            now=now,
        )
        risk = (found.risk.value, found.since, found.lesson) if found else ("", None, None)
        spent = seconds.get((row["user"], row["course"]), 0)
        counted[(pk,)] = (*risk, mean_of_best(tally.best.values()), spent)
    return counted


def _add_lessons(tallies: dict[int, _Tally]) -> None:
    """Add how many lessons were completed, and which was begun last: the database sends one row of each enrollment."""
    lessons = LessonProgress.objects.filter(
        enrollment__in=tallies, lesson__removed_at=None, lesson__course=F("enrollment__course")
    )
    of_one = F("enrollment")
    last = lessons.annotate(
        place=Window(RowNumber(), partition_by=of_one, order_by=[F("started_at").desc(), F("lesson").desc()]),
        completed=Window(Count("completed_at"), partition_by=of_one),
    ).filter(place=1)
    columns = ("enrollment", "lesson", "started_at", "completed_at", "completed")
    for pk, lesson, started_at, completed_at, completed in last.order_by().values_list(*columns):
        tally = tallies[pk]
        tally.completed, tally.last_begun = completed, (started_at, lesson)
        tally.is_last_begun_completed = completed_at is not None


def _add_attempts(tallies: dict[int, _Tally]) -> None:
    attempts = Attempt.objects.filter(enrollment__in=tallies, submitted_at__isnull=False, quiz__lesson__removed_at=None)
    columns = ("enrollment", "quiz__lesson", "submitted_at", "percent", "is_passed", "waiting")
    for pk, lesson, submitted_at, percent, is_passed, waiting in (
        attempts.order_by("submitted_at", "pk").values_list(*columns).iterator(chunk_size=CHUNK)
    ):
        tally = tallies[pk]
        tally.submitted[lesson].append(submitted_at)
        if is_passed:
            tally.passed.add(lesson)
        if waiting:
            tally.waiting.add(lesson)
        else:
            tally.best[lesson] = max(percent, tally.best.get(lesson, 0))


def _seconds_of(rows: Collection[dict[str, int]]) -> dict[tuple[int, int], int]:
    """The time of each learner in each course, by the keys of both."""
    users, courses = {row["user"] for row in rows}, {row["course"] for row in rows}
    days = WatchedDay.objects.filter(user__in=users, course__in=courses).order_by().values_list("user", "course")
    found = days.annotate(spent=Sum(F("seconds") + F("other_seconds")))
    return {(user, course): spent for user, course, spent in found}
