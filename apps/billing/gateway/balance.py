"""The provider's balance, and everything that moved it (https://docs.stripe.com/api/balance_transactions)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import stripe

from apps.billing.gateway.cards import id_of
from apps.billing.gateway.client import client, iterate_translated, moment, translates_errors
from apps.billing.gateway.objects import Listed
from apps.billing.provider_amounts import from_provider

if TYPE_CHECKING:
    from stripe.params import BalanceTransactionListParams

PAGE_SIZE = 100


@dataclass(frozen=True)
class BalanceTransactionState:
    """A movement of the balance: by ``net``, which is ``amount`` less ``fee``. ``source``: the object it belongs to.

    ``type`` and ``category`` as the provider names them (https://docs.stripe.com/reports/balance-transaction-types,
    https://docs.stripe.com/reports/reporting-categories). ``is_converted``: from another currency.
    """

    id: str
    type: str
    category: str
    amount: int
    fee: int
    net: int
    currency: str
    source: str
    description: str
    is_converted: bool
    created: datetime


@dataclass(frozen=True)
class SourceState:
    """The object that a movement belongs to. ``events``: types of events that lead to what is known of it.

    ``intent``: the payment that it is about; ``group``: the key of the payout that it is about; "" if it is about none.
    """

    id: str
    events: tuple[str, ...]
    intent: str = ""
    group: str = ""


_EVENTS = {
    "charge": ("charge.refunded", "charge.updated"),
    "refund": ("refund.updated",),
    "dispute": ("charge.dispute.updated",),
    "transfer": ("transfer.updated",),
    "transfer_reversal": ("transfer.reversed",),
}


@translates_errors
def provider_balance() -> dict[str, int]:
    """Return what the provider holds for us by currency, in minor units: what is available, and what will be."""
    found: Any = client().v1.balance.retrieve()
    sums = Counter[str]()
    for row in (*found.available, *found.pending):
        sums[row.currency] += from_provider(row.amount, row.currency)
    return {currency: amount for currency, amount in sums.items() if amount}


@translates_errors
def balance_transactions_page(*, after: str) -> tuple[list[Listed[BalanceTransactionState]], str]:
    """Return a page of all movements, newest first, and the id with which the next page begins ("": there is none).

    ``after``: that id; "" for the first page.
    """
    params: BalanceTransactionListParams = {"limit": PAGE_SIZE}
    if after:
        params["starting_after"] = after
    found = client().v1.balance_transactions.list(params)
    return [_listed(each) for each in found.data if _is_ours(each)], found.data[-1].id if found.has_more else ""


def balance_transactions_since(since: datetime) -> Iterator[Listed[BalanceTransactionState]]:
    """Yield the movements since then, newest first.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    params: BalanceTransactionListParams = {"created": {"gte": int(since.timestamp())}, "limit": PAGE_SIZE}
    found = translates_errors(client().v1.balance_transactions.list)(params)
    yield from (_listed(each) for each in iterate_translated(found.auto_paging_iter()) if _is_ours(each))


def _is_ours(found: stripe.BalanceTransaction) -> bool:
    """Other balances, such as that of issued cards, are no part of the one that payments have."""
    return getattr(found, "balance_type", None) in (None, "payments")


def _listed(found: stripe.BalanceTransaction) -> Listed[BalanceTransactionState]:
    return Listed(found.id, partial(_state, found))


def _state(found: stripe.BalanceTransaction) -> BalanceTransactionState:
    currency = found.currency
    fee, net = from_provider(found.fee, currency), from_provider(found.net, currency)
    return BalanceTransactionState(
        id=found.id,
        type=found.type,
        category=found.reporting_category,
        amount=net + fee,
        fee=fee,
        net=net,
        currency=currency,
        source=id_of(found.source) or "",
        description=found.description or "",
        is_converted=found.exchange_rate is not None,
        created=moment(found.created),
    )


@translates_errors
def source_of(transaction: str) -> SourceState | None:
    """Return the object that a movement belongs to; None if there is none, or none that events are about."""
    found: Any = client().v1.balance_transactions.retrieve(transaction, {"expand": ["source"]}).source
    kind = getattr(found, "object", "")
    if kind not in _EVENTS:
        return None
    if kind == "transfer_reversal":
        found = client().v1.transfers.retrieve(id_of(found.transfer) or "")
    return SourceState(
        id=found.id,
        events=_EVENTS[kind],
        intent=id_of(getattr(found, "payment_intent", None)) or "",
        group=getattr(found, "transfer_group", None) or "",
    )
