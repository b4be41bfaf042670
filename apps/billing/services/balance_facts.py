"""Compare each movement of the provider's balance with what the ledger has under the same fact.

A fact is a charge, a refund, a dispute, a transfer or its reversal, by the provider's id; its movements must add up to
its lines on the account `provider`. What is missing is first asked for as if its event had arrived. What is left is a
fee or an exchange if the provider says so; otherwise it is posted as unexplained, and an admin must look. If the fact
is posted later after all, the next comparison takes the unexplained amount back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from apps.billing import gateway
from apps.billing.models import BalanceTransaction, EntryKind, LedgerEntry, LedgerLine
from apps.billing.services import balance
from apps.billing.services.differences import Difference, examine
from apps.billing.services.ledger.posting import FEES, PROVIDER, UNEXPLAINED
from apps.billing.services.ledger.provider import post_difference
from studyplatform.kit.text.money import money

LEDGER_POSTING_GRACE = timedelta(hours=1)  # in which a fact may still be on its way into the ledger
BATCH_SIZE = 300
_PAID = (EntryKind.SALE, EntryKind.SUBSCRIPTION)
Amounts = Counter[str]  # by currency; Counter's own arithmetic drops negative ones and isn't used
Refetch = Callable[[BalanceTransaction], None]


@dataclass
class Booked:
    """What the ledger has of a fact by currency. ``unexplained``: the part of ``provider`` that is only known so far.

    ``open``: what of the account `unexplained` nobody has explained. ``recorded_at``: when the last entry was posted.
    """

    provider: Amounts = field(default_factory=Counter)
    fees: Amounts = field(default_factory=Counter)
    unexplained: Amounts = field(default_factory=Counter)
    open: Amounts = field(default_factory=Counter)
    differences: int = 0
    recorded_at: datetime | None = None


def booked_by_fact(facts: Sequence[str]) -> dict[str, Booked]:
    """Return what the ledger has of these facts. Four queries."""
    found: dict[str, Booked] = defaultdict(Booked)
    payments = dict(
        LedgerEntry.objects.filter(gateway_id__in=facts, kind__in=_PAID).values_list("payment_key", "gateway_id")
    )
    mine = Q(entry__gateway_id__in=facts)
    fees_of_payments = Q(entry__kind=EntryKind.FEE, entry__payment_key__in=payments, entry__gateway_id="")
    lines = LedgerLine.objects.filter(mine | fees_of_payments, account__code__in=[PROVIDER, FEES, UNEXPLAINED])
    sums = lines.order_by().values_list(
        "entry__gateway_id", "entry__payment_key", "entry__kind", "account__code", "currency"
    )
    for gateway_id, payment_key, kind, account, currency, amount, recorded_at in sums.annotate(
        Sum("amount"), Max("entry__recorded_at")
    ):
        row = found[gateway_id or payments[payment_key]]
        if account == UNEXPLAINED:
            row.open[currency] += amount
        elif account == FEES:
            row.fees[currency] += amount
        else:
            row.provider[currency] += amount
            if kind == EntryKind.UNEXPLAINED:
                row.unexplained[currency] += amount
            elif row.recorded_at is None or recorded_at > row.recorded_at:
                row.recorded_at = recorded_at
    numbers = LedgerEntry.objects.filter(gateway_id__in=facts, key__startswith="difference ").order_by()
    for gateway_id in numbers.values_list("gateway_id", flat=True):
        found[gateway_id].differences += 1
    return found


@dataclass(frozen=True)
class Comparison:
    """How facts are compared. What was posted since ``began`` is marked as repaired; ``refetch`` asks for an object."""

    refetch: Refetch
    began: datetime
    now: datetime
    tell: Callable[[], None] = lambda: None

    def compare(self, rows: QuerySet[BalanceTransaction]) -> Iterator[Difference]:
        """Yield what differs about the facts of these movements, and store what of each is booked."""
        last = 0
        ordered = rows.order_by("pk").values_list("pk", "fact")
        is_last = False
        while not is_last and (batch := list(ordered.filter(pk__gt=last)[:BATCH_SIZE])):
            last, is_last = batch[-1][0], len(batch) < BATCH_SIZE
            facts = sorted({fact for _, fact in batch})
            movements: dict[str, list[BalanceTransaction]] = defaultdict(list)
            for row in BalanceTransaction.objects.filter(fact__in=facts).order_by("created_at", "pk"):
                movements[row.fact].append(row)
            booked = booked_by_fact(facts)
            for fact in facts:
                self.tell()
                work = partial(self._compare_fact, fact, movements[fact], booked.get(fact, Booked()))
                yield from examine("balance", fact, work)

    def _compare_fact(self, fact: str, rows: list[BalanceTransaction], booked: Booked) -> Iterator[Difference]:
        gaps = _gaps(rows, booked)
        self._store(rows, booked)
        if any(row.created_at > self.now - LEDGER_POSTING_GRACE or balance.stands_alone(row) for row in rows):
            return
        is_posted = not _nonzero(_subtract(gaps, booked.unexplained))
        if is_posted and not _nonzero(booked.open):
            return
        repair = partial(self.settle, fact)
        is_open = partial(is_unexplained, fact)
        # An account in another currency: each movement is exchanged, and the night posts it.
        is_exchange = bool(gaps) and _known_kind(rows, booked, gaps) == EntryKind.EXCHANGE
        yield Difference("balance", fact, _text(rows, gaps or booked.open), repair, is_open, is_exchange)

    def settle(self, fact: str) -> None:
        """Ask for the object of a fact as if its event had arrived, and post what is left. Idempotent."""
        self.refetch(BalanceTransaction.objects.filter(fact=fact).order_by("-created_at")[0])
        with transaction.atomic():
            # Locked: two reconciliations at once post a difference once.
            rows = list(BalanceTransaction.objects.select_for_update().filter(fact=fact).order_by("created_at", "pk"))
            booked = booked_by_fact([fact]).get(fact, Booked())
            gaps = _gaps(rows, booked)
            if gaps and (kind := _known_kind(rows, booked, gaps)):
                _post(fact, kind, gaps, booked, rows)
                booked = booked_by_fact([fact])[fact]
                gaps = _gaps(rows, booked)
            if rest := _nonzero(_subtract(gaps, booked.unexplained)):
                _post(fact, EntryKind.UNEXPLAINED, Counter(rest), booked, rows)
            self._store(rows, booked)

    def _store(self, rows: list[BalanceTransaction], booked: Booked) -> None:
        """Store what of a fact is booked. What differs is shown with its latest movement."""
        rest = _gaps(rows, booked)
        is_new = booked.recorded_at is not None and booked.recorded_at >= self.began
        for row in reversed(rows):
            here = row.net - rest.pop(row.currency, 0)
            is_late = is_new and row.created_at < self.now - LEDGER_POSTING_GRACE and row.repaired_at is None
            if row.booked != here or is_late:
                row.booked, row.repaired_at = here, self.now if is_late else row.repaired_at
                BalanceTransaction.objects.filter(pk=row.pk).update(booked=here, repaired_at=row.repaired_at)


def _text(rows: list[BalanceTransaction], gaps: Amounts) -> str:
    types = ", ".join(sorted({row.type for row in rows}))
    amounts = ", ".join(money(amount, currency, cents=True) for currency, amount in sorted(_nonzero(gaps).items()))
    said = next((f" ({row.description})" for row in rows if row.description), "")
    return f"{types}{said}: {amounts} at the provider is not explained by the ledger"[:300]


def _known_kind(rows: list[BalanceTransaction], booked: Booked, gaps: Amounts) -> EntryKind | None:
    """What the provider itself calls a gap: a fee that a movement contains, or an exchange into another currency."""
    fees = Counter[str]()
    for row in rows:
        fees[row.currency] += row.fee
    if _nonzero(_subtract(booked.fees, fees)) == _nonzero(gaps):
        return EntryKind.PROVIDER_FEE
    is_exchange = any(row.is_converted for row in rows) and len(gaps) > 1
    return EntryKind.EXCHANGE if is_exchange else None


def _post(fact: str, kind: EntryKind, amounts: Amounts, booked: Booked, rows: list[BalanceTransaction]) -> None:
    latest = rows[-1]
    text = f"{latest.type} {latest.description}".strip()
    post_difference(fact, kind, amounts, number=booked.differences, occurred_at=latest.created_at, description=text)


def is_unexplained(fact: str) -> bool:
    """Whether an admin must look: an amount of it is in the account `unexplained`."""
    lines = LedgerLine.objects.filter(entry__gateway_id=fact, account__code=UNEXPLAINED).order_by()
    return any(amount for _, amount in lines.values_list("currency").annotate(Sum("amount")))


def _gaps(rows: list[BalanceTransaction], booked: Booked) -> Amounts:
    """What the provider moved and the ledger explains not, by currency."""
    moved = Counter[str]()
    for row in rows:
        moved[row.currency] += row.net
    explained = _subtract(booked.provider, booked.unexplained)
    return Counter(_nonzero(_subtract(moved, explained)))


def without_movement(*, since: datetime | None, until: datetime) -> QuerySet[LedgerLine]:
    """The lines on the account `provider` whose fact the provider does not list; ``since``: None for all."""
    listed = BalanceTransaction.objects.filter(fact=OuterRef("entry__gateway_id"))
    lines = LedgerLine.objects.filter(account__code=PROVIDER, entry__occurred_at__lt=until).exclude(
        entry__kind__in=[EntryKind.FEE, EntryKind.UNEXPLAINED]
    )
    if since is not None:
        lines = lines.filter(entry__occurred_at__gte=since)
    return lines.filter(~Exists(listed)).select_related("entry").order_by("pk")


def unlisted(*, since: datetime | None, now: datetime) -> Iterator[Difference]:
    """Yield what the ledger has and the provider doesn't list."""
    for line in without_movement(since=since, until=now - LEDGER_POSTING_GRACE).iterator():
        yield from examine("ledger", line.entry.key[:150], partial(_unlisted, line))


def _unlisted(line: LedgerLine) -> Iterator[Difference]:
    text = f"{money(line.amount, line.currency, cents=True)} is in the ledger, and the provider doesn't list it"
    yield Difference("ledger", line.entry.key[:150], text)


def refetch_by(handle: Callable[[str, dict[str, Any]], None]) -> Refetch:
    """Return what asks for the object of a movement. ``handle`` acts on a type of event and its object."""

    def refetch(row: BalanceTransaction) -> None:
        source = gateway.source_of(row.gateway_id)
        if source is not None:
            subject: dict[str, Any] = {
                "id": source.id,
                "payment_intent": source.intent or None,
                "transfer_group": source.group,
            }
            for event in source.events:
                handle(event, subject)

    return refetch


def differing() -> QuerySet[BalanceTransaction]:
    """The movements of which the ledger did not have everything when they were last compared."""
    return BalanceTransaction.objects.exclude(net=F("booked"))


def _nonzero(amounts: Amounts | dict[str, int]) -> dict[str, int]:
    return {currency: amount for currency, amount in amounts.items() if amount}


def _subtract(one: Amounts, other: Amounts) -> Amounts:
    return Counter({currency: one[currency] - other[currency] for currency in {*one, *other}})


def follow_balance(*, now: datetime) -> None:
    """Read and post the latest movements: an event has hinted at one. The nightly reconciliation reads everything.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    balance.read_since(now - balance.REREAD_SPAN)
    balance.post_known()
    for _difference in Comparison(refetch=lambda _row: None, began=timezone.now(), now=now).compare(differing()):
        pass  # stored what is booked by now; only the nightly comparison repairs
