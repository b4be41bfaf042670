"""Read what moved the provider's balance, and post what belongs to no payment or payout.

The provider's list is read page by page, once as a whole and then what is new. A process that dies continues where it
stopped. Nothing is posted twice: an entry is named by the provider's id of the balance transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from django.db import DataError, IntegrityError, transaction
from django.db.models import F, Max

from apps.billing import gateway
from apps.billing.errors import PaymentRefused
from apps.billing.models import BalanceHistory, BalanceTransaction, EntryKind
from apps.billing.services.differences import Difference, examine
from apps.billing.services.ledger import post_balance_transaction
from studyplatform.kit.text.money import money

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
REREAD_SPAN = timedelta(days=3)  # read again, should the provider list something late
# https://docs.stripe.com/reports/balance-transaction-types: what stands for itself. All other types belong to a charge,
# a refund, a dispute or a transfer, which their services post, or nobody knows what they are.
_TO_OR_FROM_BANK = {
    "payout", "payout_cancel", "payout_failure", "topup", "topup_reversal",
}  # fmt: skip
_FEES = {"stripe_fee", "stripe_fx_fee", "tax_fee", "network_cost"}
_RESERVES = {
    "payment_network_reserve_hold", "payment_network_reserve_release", "payout_minimum_balance_hold",
    "payout_minimum_balance_release", "reserve_hold", "reserve_release", "reserve_transaction", "reserved_funds",
    "risk_reserved_funds",
}  # fmt: skip
_DISPUTE_IDS = ("dp_", "du_")
_REFUSED = (DataError, IntegrityError, OverflowError, ValueError)
"""What a database says of a text that is too long or contains NUL, and of a number that is too large."""
BANK_TYPES = frozenset(_TO_OR_FROM_BANK)

Tell = Callable[[], None]


def kind_of(type: str, category: str, source: str, net: int) -> EntryKind | None:
    """As what a movement is posted by itself; None if it is part of something else, or unknown."""
    if type in _TO_OR_FROM_BANK:
        return EntryKind.BANK_TO_PROVIDER if net > 0 else EntryKind.PROVIDER_TO_BANK
    if type in _RESERVES:
        return EntryKind.RESERVE
    is_fee = type == "adjustment" and category == "fee" and not source.startswith(_DISPUTE_IDS)
    return EntryKind.PROVIDER_FEE if type in _FEES or is_fee else None


def stands_alone(row: BalanceTransaction) -> bool:
    """Whether it is posted by itself: `unposted` has it if the ledger doesn't."""
    return kind_of(row.type, row.category, row.source, row.net) is not None


def read_history(*, tell: Tell = lambda: None) -> list[Difference]:
    """Store the movements that are not stored yet. ``tell`` is called for each new one.

    Returns those that can't be read, which are left out.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    history = BalanceHistory.objects.order_by("pk").first() or BalanceHistory.objects.create()
    is_resumed = history.is_complete or bool(history.cursor)
    unread: dict[str, Difference] = {}
    while not history.is_complete:
        try:
            page, following = gateway.balance_transactions_page(after=history.cursor)
        except PaymentRefused:
            if not history.cursor:
                raise
            page, following = gateway.balance_transactions_page(after="")  # it knows the cursor no longer
        with transaction.atomic():
            unread |= _store(page, tell)
            history.cursor, history.is_complete = following, not following
            history.save()
    if not is_resumed:  # nothing is newer than what was just read from the first page on
        return list(unread.values())
    latest = BalanceTransaction.objects.aggregate(latest=Max("created_at"))["latest"]
    # The list may have been empty until now, and be many pages long today.
    since = _BEGINNING if latest is None else latest - REREAD_SPAN
    unread |= {each.name: each for each in read_since(since, tell=tell)}
    return list(unread.values())


def read_since(since: datetime, *, tell: Tell = lambda: None) -> list[Difference]:
    """Store the movements since then. Returns those that can't be read, which are left out.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    unread: dict[str, Difference] = {}
    batch: list[gateway.Listed[gateway.BalanceTransactionState]] = []
    for each in gateway.balance_transactions_since(since):
        batch.append(each)
        if len(batch) == gateway.PAGE_SIZE:
            unread |= _store(batch, tell)
            batch = []
    unread |= _store(batch, tell)
    return list(unread.values())


def _store(listed: Iterable[gateway.Listed[gateway.BalanceTransactionState]], tell: Tell) -> dict[str, Difference]:
    """Store movements. Returns by id those that can't be read."""
    states: list[gateway.BalanceTransactionState] = []
    unread: dict[str, Difference] = {}
    for row in listed:
        unread |= {each.name: each for each in examine("balance", row.id, partial(_read, row, states))}
    if not states:
        return unread
    known = set(
        BalanceTransaction.objects.filter(gateway_id__in=[each.id for each in states]).values_list(
            "gateway_id", flat=True
        )
    )
    new = [each for each in states if each.id not in known]
    rows = [
        BalanceTransaction(
            gateway_id=each.id,
            fact=each.id if kind_of(each.type, each.category, each.source, each.net) else each.source or each.id,
            type=each.type[:60],
            category=each.category[:60],
            amount=each.amount,
            fee=each.fee,
            net=each.net,
            currency=each.currency,
            source=each.source,
            description=each.description[:300],
            is_converted=each.is_converted,
            created_at=each.created,
        )
        for each in new
    ]
    try:
        _insert(rows)
    except _REFUSED:  # one of them: the others are stored
        for one in rows:
            unread |= {each.name: each for each in examine("balance", one.gateway_id, partial(_insert, [one]))}
    for _ in new:
        tell()
    return unread


def _insert(rows: list[BalanceTransaction]) -> tuple[Difference, ...]:
    """Store movements, all or none. Returns no differences."""
    with transaction.atomic():
        BalanceTransaction.objects.bulk_create(rows, ignore_conflicts=True)
    return ()


def _read(
    row: gateway.Listed[gateway.BalanceTransactionState], states: list[gateway.BalanceTransactionState]
) -> Iterator[Difference]:
    """Add a movement to ``states``; nothing differs about it yet."""
    states.append(row.read())
    yield from ()


def unposted() -> Iterator[Difference]:
    """Yield the movements to and from the bank, fees and reserves that the ledger doesn't have yet."""
    rows = BalanceTransaction.objects.filter(fact=F("gateway_id")).exclude(net=F("booked")).order_by("created_at")
    for row in rows.iterator():
        yield from examine("balance", row.gateway_id, partial(_unposted, row))


def _unposted(row: BalanceTransaction) -> Iterator[Difference]:
    kind = kind_of(row.type, row.category, row.source, row.net)
    if kind is not None:
        text = f"{kind.label.lower()}: {money(abs(row.net), row.currency)} is not posted"
        yield Difference("balance", row.gateway_id, text, partial(_post, row, kind))


def post_known() -> int:
    """Post all of these. Idempotent; returns how many."""
    count = 0
    for each in unposted():
        if each.repair is not None:
            each.repair()
            count += 1
    return count


@transaction.atomic
def _post(row: BalanceTransaction, kind: EntryKind) -> None:
    is_fee = kind == EntryKind.PROVIDER_FEE
    post_balance_transaction(
        row.gateway_id,
        kind,
        row.net,
        row.currency,
        fee=0 if is_fee else row.fee,
        occurred_at=row.created_at,
        description=row.description,
    )
    BalanceTransaction.objects.filter(pk=row.pk).update(booked=row.net)
