"""A learner's budget of learning time: one row, locked while it changes."""

from datetime import UTC, datetime
from typing import cast

from django.db import transaction
from django.db.models import BigIntegerField, DateField, F, PositiveIntegerField, QuerySet

from apps.learning.activity import time_budget, watched_time
from apps.learning.activity.time_budget import Budget, Span
from apps.learning.models import LearningTime, WatchedDay
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery, PreparedUpdate

_PK = Param("pk", BigIntegerField())
_LOCKED = PreparedQuery(lambda: LearningTime.objects.select_for_update().filter(pk=_PK))
_SAVE = PreparedUpdate(
    lambda: LearningTime.objects.filter(pk=_PK), "spans", "ahead", "counted_at", "uncounted", "learned_until"
)
_LEARN = PreparedUpdate(lambda: LearningTime.objects.filter(pk=_PK), "learned_until")
_MORE = Param("more", PositiveIntegerField())


def _same_day() -> QuerySet[WatchedDay]:
    return WatchedDay.objects.filter(
        user_id=Param("user_id", BigIntegerField()),
        course_id=Param("course_id", BigIntegerField()),
        day=Param("day", DateField()),
    )


_WATCHED = PreparedUpdate(_same_day, seconds=F("seconds") + _MORE)
_STUDIED = PreparedUpdate(_same_day, other_seconds=F("other_seconds") + _MORE)


def hold(*, user_id: int, now: datetime) -> None:
    """Lock the learner's time. Call it inside a transaction that locks their progress first and takes time later."""
    _locked(user_id, now)


def record_opening(*, user_id: int, now: datetime) -> datetime:
    """Record that a lesson is opened for the first time.

    Returns the moment, which is never before the budget's last update, even if the server's clock was set back.
    """
    with transaction.atomic(savepoint=False):
        row = _locked(user_id, now)
        moment = max(now, row.counted_at)
        _save(row, time_budget.start_span(_read(row), moment.timestamp()), moment)
    return moment


def take(
    *, user_id: int, course_id: int, needed: int, most: int, opened_at: datetime, now: datetime
) -> tuple[int, int]:
    """Take seconds for a video that was opened at ``opened_at``: at least ``needed`` if available, at most ``most``.

    Returns how many whole seconds were taken, which may be fewer than needed, and how many of them count as watched
    today, as far as ``watched_time`` allows. Call it inside the transaction that uses them, so that a rollback returns
    them.
    """
    with transaction.atomic(savepoint=False):
        row = _locked(user_id, now)
        counted = time_budget.advance(_read(row), now.timestamp())
        since = opened_at.timestamp()
        taken = min(max(needed, most), int(time_budget.seconds_available(counted, since)))
        if taken <= 0:
            return 0, 0
        watched = watched_time.seconds_counted(_uncounted(row, now), taken)
        _save(row, time_budget.spend(counted, taken, since), max(now, row.counted_at), watched=watched)
        _record(user_id, course_id, watched, now)
    return taken, watched


def take_or_wait(*, user_id: int, needed: int, opened_at: datetime, now: datetime) -> int:
    """Take ``needed`` seconds for a lesson if they are available.

    Returns 0 if they were taken, otherwise after how many whole seconds of real time they will be. Call it inside a
    transaction.
    """
    with transaction.atomic(savepoint=False):
        row = _locked(user_id, now)
        counted = time_budget.advance(_read(row), now.timestamp())
        since = opened_at.timestamp()
        lacking = needed - time_budget.seconds_available(counted, since)
        if lacking > 0:
            return int(-(-lacking // time_budget.RATE))
        _save(row, time_budget.spend(counted, needed, since), max(now, row.counted_at))
    return 0


def spend_learning(*, user_id: int, course_id: int, since: datetime, most: int, now: datetime) -> int:
    """Return how many whole seconds a learner spent on a text or a quiz of a course since then: at most ``most``.

    Time that already counted, with a video or another text, doesn't count again. Call it inside a transaction.
    """
    with transaction.atomic(savepoint=False):
        row = _locked(user_id, now)
        start = since if row.learned_until is None else max(since, row.learned_until)
        seconds = min(most, int((now - start).total_seconds()))
        if seconds <= 0:
            return 0
        _LEARN(pk=user_id, learned_until=now)
        of_day = {"user_id": user_id, "course_id": course_id, "day": now.astimezone(UTC).date()}
        if not _STUDIED(**of_day, more=seconds):
            WatchedDay.objects.create(**of_day, seconds=0, other_seconds=seconds)
    return seconds


def _locked(user_id: int, now: datetime) -> LearningTime:
    """Return the learner's row, locked. A new row starts empty, as nothing is known about the time before."""
    row = _LOCKED.first(pk=user_id)
    if row is None:
        LearningTime.objects.bulk_create([LearningTime(user_id=user_id, counted_at=now)], ignore_conflicts=True)
        [row] = _LOCKED(pk=user_id)
    return row


def _read(row: LearningTime) -> Budget:
    spans = tuple(cast(Span, tuple(span)) for span in row.spans)
    return Budget(spans=spans, ahead=row.ahead, counted_at=row.counted_at.timestamp())


def _uncounted(row: LearningTime, now: datetime) -> float:
    return watched_time.pass_time(row.uncounted, (now - row.counted_at).total_seconds())


def _save(row: LearningTime, budget: Budget, counted_at: datetime, *, watched: int = 0) -> None:
    learned_until = row.learned_until
    if watched and (learned_until is None or learned_until < counted_at):
        learned_until = counted_at
    _SAVE(
        pk=row.pk,
        spans=budget.spans,
        ahead=budget.ahead,
        counted_at=counted_at,
        uncounted=_uncounted(row, counted_at) - watched,
        learned_until=learned_until,
    )


def _record(user_id: int, course_id: int, seconds: int, now: datetime) -> None:
    """Add watched seconds to the learner's day. The caller holds the lock of the learner's time: nobody else adds."""
    if not seconds:
        return
    of_day = {"user_id": user_id, "course_id": course_id, "day": now.astimezone(UTC).date()}
    if not _WATCHED(**of_day, more=seconds):
        WatchedDay.objects.create(**of_day, seconds=seconds)
