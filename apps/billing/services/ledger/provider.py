"""What is posted when the provider's balance moves without a payment, and what admins post by hand.

Each entry of the provider's balance is named by the provider's id of the balance transaction
(https://docs.stripe.com/api/balance_transactions), so that it is posted once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.earlier import entry_of, facts_of
from apps.billing.services.ledger.posting import (
    BANK,
    EXCHANGE,
    FEES,
    OWNER,
    PROVIDER,
    RESERVES,
    TAX,
    UNEXPLAINED,
    Facts,
    Line,
    lines_of,
    post,
)

_COUNTERPARTS = {
    EntryKind.PROVIDER_TO_BANK: BANK,
    EntryKind.BANK_TO_PROVIDER: BANK,
    EntryKind.PROVIDER_FEE: FEES,
    EntryKind.RESERVE: RESERVES,
}
_DIFFERENCES = {EntryKind.UNEXPLAINED: UNEXPLAINED, EntryKind.EXCHANGE: EXCHANGE, EntryKind.PROVIDER_FEE: FEES}
_BY_HAND = {
    EntryKind.TAX_PAID: (TAX, 1),
    EntryKind.TAX_RETURNED: (TAX, -1),
    EntryKind.OWNER_IN: (OWNER, -1),
    EntryKind.OWNER_OUT: (OWNER, 1),
    EntryKind.BANK_FEE: (FEES, 1),
}


def post_balance_transaction(
    transaction: str,
    kind: EntryKind,
    net: int,
    currency: str,
    *,
    occurred_at: datetime,
    fee: int = 0,
    description: str = "",
) -> LedgerEntry | None:
    """The provider's balance moved by ``net``: to or from our bank, for a fee, or into a reserve.

    :param fee: the provider's fee that ``net`` contains.
    """
    facts = Facts(currency=currency, description=description, gateway_id=transaction)
    lines = [
        Line(PROVIDER, net, currency),
        Line(FEES, fee, currency),
        Line(_COUNTERPARTS[kind], -net - fee, currency),
    ]
    return post(f"balance {transaction}", kind, occurred_at, lines, facts)


def post_difference(
    fact: str, kind: EntryKind, amounts: Mapping[str, int], *, number: int, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """What the provider moved for a fact and the ledger didn't have, by currency.

    As a fee or an exchange if the provider says so, otherwise as unexplained, until an admin has looked. A later
    posting of the fact makes the difference return, with the next ``number``.
    """
    facts = Facts(currency=min(amounts), description=description, gateway_id=fact)
    lines = [
        line
        for currency, amount in amounts.items()
        for line in (Line(PROVIDER, amount, currency), Line(_DIFFERENCES[kind], -amount, currency))
    ]
    return post(f"difference {fact} {number}", kind, occurred_at, lines, facts)


def post_explained(
    fact: str, account: str, *, amount: int, currency: str, number: int, occurred_at: datetime
) -> LedgerEntry | None:
    """An admin knows what an unexplained amount of a fact was. ``amount``: what the account `unexplained` has of it."""
    facts = Facts(currency=currency, gateway_id=fact)
    lines = [Line(UNEXPLAINED, -amount, currency), Line(account, amount, currency)]
    return post(f"explained {fact} {number}", EntryKind.EXPLAINED, occurred_at, lines, facts)


def post_by_hand(
    key: str, kind: EntryKind, amount: int, currency: str, *, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """Our bank account moved as an admin says: tax was paid, money was put in or taken out, the bank took a fee."""
    account, sign = _BY_HAND[kind]
    facts = Facts(currency=currency, description=description)
    lines = [Line(account, sign * amount, currency), Line(BANK, -sign * amount, currency)]
    return post(f"manual {key}", kind, occurred_at, lines, facts)


def post_undone(key: str, *, occurred_at: datetime) -> LedgerEntry | None:
    """What an admin posted by hand was wrong: the counter entry.

    :raises NotPosted: there is no such entry.
    """
    entry = entry_of(f"manual {key}")
    lines = [Line(line.account, -line.amount, line.currency) for line in lines_of(entry)]
    return post(f"manual {key} undone", EntryKind(entry.kind), occurred_at, lines, facts_of(entry))
