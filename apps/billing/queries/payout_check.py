"""Whether payouts and the ledger agree, for `manage.py check_ledger`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from apps.billing.models import EntryKind, LedgerLine, Payout
from apps.billing.services.ledger.posting import account_of

State = Payout.State
_KINDS = (EntryKind.PAYOUT_STARTED, EntryKind.PAYOUT_SENT, EntryKind.PAYOUT_FAILED)
# What must be posted, and may be posted besides, in each state. A payout can come back after it was sent.
_WANTED: dict[str, tuple[set[str], set[str]]] = {
    State.SCHEDULED: (set(), set()),
    State.PROCESSING: ({"started"}, set()),
    State.SENT: ({"started", "sent"}, set()),
    State.FAILED: ({"started", "failed"}, {"sent"}),
}


def payout_problems() -> Iterator[tuple[str, str]]:
    """Yield the key of each payout that differs from its entries, and how. Two queries."""
    posted: dict[str, dict[str, dict[tuple[str, str], int]]] = defaultdict(lambda: defaultdict(dict))
    lines = LedgerLine.objects.filter(entry__kind__in=_KINDS).order_by()
    for key, account, currency, amount in lines.values_list("entry__key", "account__code", "currency", "amount"):
        payout, _, step = key.removeprefix("payout ").partition(" ")
        posted[payout][step or "started"][account, currency] = amount
    for row in Payout.objects.order_by("pk").iterator():
        steps = posted.pop(row.key, {})
        needed, allowed = _WANTED[row.state]
        if missing := sorted(needed - steps.keys()):
            yield row.key, f"is {row.state}, and its entry is missing: {', '.join(missing)}"
        if wrong := sorted(steps.keys() - needed - allowed):
            yield row.key, f"is {row.state}, and was posted as {', '.join(wrong)}"
        if "started" in steps:
            took = steps["started"].get((account_of(row.instructor_id), row.currency), 0)
            if took != row.amount:
                yield row.key, f"is {row.amount} {row.currency}, and the ledger took {took} from the instructor"
    for key in sorted(posted):
        yield key, "was posted, and there is no such payout"
