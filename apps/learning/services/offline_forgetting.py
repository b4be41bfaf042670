"""Forget what was kept of changes and papers of offline lessons, when nobody needs it anymore."""

from datetime import datetime, timedelta

from apps.learning.models import SealedPaper, TakenChange
from apps.learning.services.offline_sending import REFUSED

FORGETTING_INTERVAL = timedelta(days=1)
MAX_OUTCOME_AGE = timedelta(days=180)
"""How long the answer to a change is kept, and a paper whose device was removed.

A change that comes again afterwards is judged as a new one, and doubles nothing all the same: seconds are united, a
completed lesson stays so, notes merge, reviews have keys, and a paper was used. Only its answer may be another one.
"""
MAX_REFUSAL_AGE = timedelta(days=7)
"""How long a refusal is kept here. Devices keep it until it is dismissed, and anybody can send what is refused."""
ROWS_PER_DELETION = 5_000


def forget_old_changes(*, now: datetime) -> int:
    """Delete the answers to changes, and the papers without a device, that are too old; return how many. Idempotent."""
    count = 0
    orphans = SealedPaper.objects.filter(device=None, used_at=None, sealed_at__lt=now - MAX_OUTCOME_AGE)
    refused = TakenChange.objects.filter(taken_at__lt=now - MAX_REFUSAL_AGE, outcome__state=REFUSED)
    for rows in (TakenChange.objects.filter(taken_at__lt=now - MAX_OUTCOME_AGE), refused, orphans):
        while found := list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_PER_DELETION]):
            count += rows.filter(pk__in=found).delete()[0]
    return count


def forget_changes(*, user_id: int) -> None:
    """Delete all that is kept of the changes and papers of a deleted account. Its attempts stay."""
    TakenChange.objects.filter(user=user_id).delete()
    SealedPaper.objects.filter(enrollment__user=user_id).delete()
