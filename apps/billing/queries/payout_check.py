"""Whether payouts and the ledger agree, for `manage.py check_ledger`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from apps.billing.models import EntryKind, LedgerLine, Payout
from apps.billing.services.ledger.posting import account_of

State = Payout.State
_KINDS = (
    EntryKind.PAYOUT_STARTED,
    EntryKind.PAYOUT_SENT,
    EntryKind.PAYOUT_FAILED,
    EntryKind.PAYOUT_REVERSED,
)
# What must be posted, and may be posted besides, in each state. A payout can come back after it was sent, as a whole or
# in parts, and a transfer of one that had failed can be found.
_WANTED: dict[str, tuple[set[str], set[str]]] = {
    State.SCHEDULED: (set(), set()),
    State.PROCESSING: ({"started"}, set()),
    State.SENT: ({"started"}, {"sent", "failed", "transfer", "reversal"}),
    State.FAILED: ({"started"}, {"sent", "failed", "transfer", "reversal"}),
}


def payout_problems() -> Iterator[tuple[str, str]]:
    """Yield the key of each payout that differs from its entries, and how. Two queries."""
    posted: dict[str, dict[str, dict[tuple[str, str], int]]] = defaultdict(lambda: defaultdict(dict))
    lines = LedgerLine.objects.filter(entry__kind__in=_KINDS).order_by()
    for key, account, currency, amount in lines.values_list("entry__key", "account__code", "currency", "amount"):
        payout, _, step = key.removeprefix("payout ").partition(" ")
        posted[payout][step or "started"][account, currency] = amount
    for row in Payout.objects.order_by("pk").iterator():
        yield from ((row.key, text) for text in _problems_of(row, posted.pop(row.key, {})))
    for key in sorted(posted):
        yield key, "was posted, and there is no such payout"


def _problems_of(row: Payout, steps: dict[str, dict[tuple[str, str], int]]) -> Iterator[str]:
    needed, allowed = _WANTED[row.state]
    names = {step.partition(" ")[0] for step in steps}
    if row.state == State.SENT and not names & {"sent", "transfer"}:
        needed = needed | {"sent"}
    if row.state == State.FAILED and not names & {"failed", "reversal"}:
        needed = needed | {"failed"}
    if missing := sorted(needed - names):
        yield f"is {row.state}, and its entry is missing: {', '.join(missing)}"
    if wrong := sorted(names - needed - allowed):
        yield f"is {row.state}, and was posted as {', '.join(wrong)}"
    if missing or wrong or "started" not in steps:
        return
    account = (account_of(row.instructor_id), row.currency)
    took = steps["started"].get(account, 0)
    if took != row.amount:
        yield f"is {row.amount} {row.currency}, and the ledger took {took} from the instructor"
        return
    has = sum(lines.get(account, 0) for lines in steps.values())
    # A second transfer of the same payout counts as well.
    twice = (
        sum(lines.get(account, 0) for step, lines in steps.items() if step.startswith("transfer"))
        if ("sent" in steps and "failed" not in steps)
        else 0
    )
    out = 0 if row.state == State.FAILED else row.amount + twice - row.amount_reversed
    if has != out:
        yield f"is {row.state}, and the ledger took {has} from the instructor instead of {out}"
