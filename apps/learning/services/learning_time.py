"""The one budget of time per learner, kept in a row that is locked while it changes."""

from datetime import datetime
from typing import cast

from django.db import transaction

from apps.learning.activity import time_budget
from apps.learning.activity.time_budget import Budget, Span
from apps.learning.models import LearningTime


def note_opening(*, user_id: int, now: datetime) -> datetime:
    """A lesson is opened for the first time. Returns when, by the learner's clock, which never goes back."""
    with transaction.atomic():
        row = _locked(user_id, now)
        moment = max(now, row.counted_at)
        _keep(row, time_budget.opened(_read(row), moment.timestamp()), moment)
    return moment


def take(*, user_id: int, needed: int, most: int, opened_at: datetime, now: datetime) -> int:
    """Take seconds for a lesson opened then: ``needed`` if there are so many, up to ``most`` to ask less often.

    Returns how many whole seconds were taken, perhaps fewer than needed. Call it inside the transaction that uses
    them: if that is taken back, they are too.
    """
    with transaction.atomic():
        row = _locked(user_id, now)
        counted = time_budget.passed(_read(row), now.timestamp())
        since = opened_at.timestamp()
        taken = min(max(needed, most), int(time_budget.available(counted, since)))
        if taken <= 0:
            return 0
        _keep(row, time_budget.spend(counted, taken, since), max(now, row.counted_at))
    return taken


def missing(*, user_id: int, needed: int, opened_at: datetime, now: datetime) -> int:
    """How many whole seconds of the clock must pass until a lesson opened then can be given that much.

    0: it has been given. Inside the caller's transaction.
    """
    with transaction.atomic():
        row = _locked(user_id, now)
        counted = time_budget.passed(_read(row), now.timestamp())
        since = opened_at.timestamp()
        lacking = needed - time_budget.available(counted, since)
        if lacking > 0:
            return int(-(-lacking // time_budget.RATE))
        _keep(row, time_budget.spend(counted, needed, since), max(now, row.counted_at))
    return 0


def _locked(user_id: int, now: datetime) -> LearningTime:
    """The learner's row. The first of all begins with nothing: what was before it is not known."""
    rows = LearningTime.objects.select_for_update().filter(pk=user_id)
    row = rows.first()
    if row is None:
        LearningTime.objects.bulk_create([LearningTime(user_id=user_id, counted_at=now)], ignore_conflicts=True)
        row = rows.get()
    return row


def _read(row: LearningTime) -> Budget:
    spans = tuple(cast(Span, tuple(span)) for span in row.spans)
    return Budget(spans=spans, ahead=row.ahead, counted_at=row.counted_at.timestamp())


def _keep(row: LearningTime, kept: Budget, counted_at: datetime) -> None:
    LearningTime.objects.filter(pk=row.pk).update(spans=kept.spans, ahead=kept.ahead, counted_at=counted_at)
