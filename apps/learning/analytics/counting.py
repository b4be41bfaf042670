"""Keep the roll-ups: what the job counts every few minutes, each hour and each night, and what counts everything again.

Nothing is added to a stored number: rows are counted from the tables of what happened, and what differs is written. So
a run that is killed, repeated or late harms nothing, and all ways end in the same figures.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.courses.models import Course
from apps.learning.analytics.counting_days import recount_days
from apps.learning.analytics.counting_learners import recount_learners, remove_gone
from apps.learning.analytics.counting_lessons import recount_lessons, recount_questions
from apps.learning.analytics.storing import Changes
from apps.learning.models import (
    Attempt,
    CourseDay,
    Enrollment,
    EssayAnswer,
    LessonProgress,
    RollupState,
    TakenChange,
)

COUNTING_INTERVAL = timedelta(minutes=10)
LESSONS_INTERVAL = timedelta(hours=1)
FULL_COUNT_TIME = time(3, 10)  # in UTC
COMMIT_MARGIN = timedelta(minutes=10)  # what happened before a run may be committed after it
DAYS_RECOUNTED_AT_NIGHT = 3
DAYS_RECOUNTED_AFTER_CHANGES = 31  # what a device stores expires after 30 days; older days `rebuild_rollups` counts

Report = Callable[[str, int, int], None]
"""Called with what is counted, how much of it is done, and of how much."""


@dataclass
class Counting:
    """One run: its moment, how it keeps its lease, and where it reports. ``is_dry``: it writes nothing."""

    now: datetime
    keep_alive: Callable[[], None] = lambda: None
    report: Report = lambda what, done, total: None
    is_dry: bool = False
    changes: dict[str, Changes] = field(default_factory=dict)

    def add(self, what: str, changes: Changes) -> None:
        self.changes[what] = self.changes.get(what, Changes()) + changes

    def total_changes(self) -> int:
        """Return how many rows were written, or would be."""
        return sum(changes.total for changes in self.changes.values())


def keep_rollups(*, now: datetime, keep_alive: Callable[[], None] = lambda: None) -> Counting:
    """Count what has changed since the last run; the first run counts everything. Idempotent."""
    run = Counting(now, keep_alive)
    state = RollupState.objects.filter(pk=RollupState.ONLY_PK).first()
    if state is None:
        return rebuild(run)
    since = state.counted_until - COMMIT_MARGIN
    if state.all_counted_until < _last_night(now):
        # Devices without a connection tell afterwards what was done on days of before.
        came_late = TakenChange.objects.filter(taken_at__gte=state.all_counted_until - COMMIT_MARGIN).exists()
        days = DAYS_RECOUNTED_AFTER_CHANGES if came_late else DAYS_RECOUNTED_AT_NIGHT
        days_again = now.astimezone(UTC).date() - timedelta(days)
        return _count_all(run, min(since.astimezone(UTC).date(), days_again))
    run.add("days", recount_days(first=since.astimezone(UTC).date(), now=now, keep_alive=keep_alive))
    run.add("learners", remove_gone())
    run.add("learners", recount_learners(_active_since(since), now=now, keep_alive=keep_alive))
    if now - state.lessons_counted_until >= LESSONS_INTERVAL:
        courses = _courses_active_since(state.lessons_counted_until - COMMIT_MARGIN)
        _count_courses(run, courses)
        state.lessons_counted_until = now
    state.counted_until = now
    state.save(update_fields=["counted_until", "lessons_counted_until"])
    return run


def rebuild(run: Counting, *, courses: Collection[int] | None = None, since: date | None = None) -> Counting:
    """Count everything again: all courses or some, days from ``since`` or all. Idempotent."""
    if courses is None and since is None:
        return _count_all(run, None)
    run.report("days", 0, 1)
    changes = recount_days(first=since, now=run.now, courses=courses, keep_alive=run.keep_alive, is_dry=run.is_dry)
    run.add("days", changes)
    run.report("days", 1, 1)
    _count_courses(run, Course.objects.filter(pk__in=courses) if courses is not None else Course.objects.all())
    return run


def _count_all(run: Counting, first: date | None) -> Counting:
    run.report("days", 0, 1)
    run.add("days", recount_days(first=first, now=run.now, keep_alive=run.keep_alive, is_dry=run.is_dry))
    run.report("days", 1, 1)
    run.add("learners", remove_gone(is_dry=run.is_dry))
    _count_courses(run, Course.objects.all())
    if not run.is_dry:
        names = ("counted_until", "lessons_counted_until", "all_counted_until")
        RollupState.objects.update_or_create(pk=RollupState.ONLY_PK, defaults=dict.fromkeys(names, run.now))
    return run


def _count_courses(run: Counting, courses: QuerySet[Course]) -> None:
    """Count lessons, questions and learners of these courses, one course after the other: where anyone has enrolled."""
    learned = courses.filter(Exists(Enrollment.objects.filter(course=OuterRef("pk"))))
    pks = list(learned.order_by("pk").values_list("pk", flat=True))
    for number, pk in enumerate(pks):
        run.report("courses", number, len(pks))
        run.add("lessons", recount_lessons(pk, now=run.now, keep_alive=run.keep_alive, is_dry=run.is_dry))
        run.add("questions", recount_questions(pk, keep_alive=run.keep_alive, is_dry=run.is_dry))
        learners = Enrollment.objects.filter(course=pk)
        run.add("learners", recount_learners(learners, now=run.now, keep_alive=run.keep_alive, is_dry=run.is_dry))
    run.report("courses", len(pks), len(pks))


def _last_night(now: datetime) -> datetime:
    """The last moment at which everything is due."""
    tonight = datetime.combine(now.astimezone(UTC).date(), FULL_COUNT_TIME, tzinfo=UTC)
    return tonight if tonight <= now else tonight - timedelta(days=1)


def _active_since(since: datetime) -> QuerySet[Enrollment]:
    """The enrollments in which something happened since then, or an essay got its marks."""
    marked = EssayAnswer.objects.filter(marked_at__gte=since).values("attempt__enrollment")
    begun = LessonProgress.objects.filter(started_at__gte=since).values("enrollment")
    submitted = Attempt.objects.filter(submitted_at__gte=since).values("enrollment")
    # What was done without a connection has moments of before.
    sent = TakenChange.objects.filter(taken_at__gte=since).values("user")
    happened = Q(last_activity_at__gte=since) | Q(enrolled_at__gte=since) | Q(user__in=sent)
    return Enrollment.objects.active().filter(happened | Q(pk__in=begun) | Q(pk__in=submitted) | Q(pk__in=marked))


def _courses_active_since(since: datetime) -> QuerySet[Course]:
    """The courses with activity on the days since then, as they were just counted."""
    days = CourseDay.objects.filter(day__gte=since.astimezone(UTC).date(), active_learners__gt=0)
    return Course.objects.filter(pk__in=days.values("course"))
