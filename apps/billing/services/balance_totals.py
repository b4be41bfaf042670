"""Compare sums over all of history: the provider's balance, its list of movements, and the ledger.

Rows are compared for the last weeks only; if sums differ, all are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from django.db.models import F, Sum

from apps.billing import gateway
from apps.billing.models import BalanceTransaction, EntryKind, LedgerLine
from apps.billing.services.balance import BANK_TYPES
from apps.billing.services.differences import Difference
from apps.billing.services.ledger.posting import BANK, PROVIDER
from studyplatform.kit.text.money import money

MAX_BALANCE_READINGS = 3  # at reading a balance that payments change meanwhile
_BANK_KINDS = (EntryKind.PROVIDER_TO_BANK, EntryKind.BANK_TO_PROVIDER)
Sums = dict[str, int]


def listed() -> Sums:
    """What the provider's list adds up to, by currency. One query."""
    return _sums(BalanceTransaction.objects.values_list("currency").annotate(Sum("net")).order_by())


def booked() -> Sums:
    """What of it was in the ledger when each movement was last compared, by currency. One query."""
    return _sums(BalanceTransaction.objects.values_list("currency").annotate(Sum("booked")).order_by())


def unaccounted(unlisted: Sums) -> Sums:
    """What the ledger's account `provider` has beyond what is booked, unexplained, or known not to be listed.

    Not zero: something older than the compared rows changed. Two queries.
    """
    lines = LedgerLine.objects.filter(account__code=PROVIDER).exclude(entry__kind=EntryKind.UNEXPLAINED)
    explained = _sums(lines.values_list("currency").annotate(Sum("amount")).order_by())
    return _subtract(_subtract(explained, booked()), unlisted)


def against_balance(read: Callable[[], object]) -> Iterator[Difference]:
    """Yield the currencies in which the provider's list does not add up to its balance. ``read`` reads what is new in
    the list, which was read just before.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    if not _subtract(listed(), gateway.provider_balance()):
        return
    for _ in range(MAX_BALANCE_READINGS):
        before = gateway.provider_balance()
        read()
        sums, after = listed(), gateway.provider_balance()
        if before == after:
            break
    else:
        return  # payments arrive all the time; the next night is another chance
    for currency in _subtract(after, sums):
        shown = [money(each.get(currency, 0), currency, cents=True) for each in (after, sums)]
        text = f"the provider holds {shown[0]}, and its list of movements adds up to {shown[1]}"
        yield Difference("total", f"balance {currency}", text)


def against_bank() -> Iterator[Difference]:
    """Yield the currencies in which the ledger's account `bank` differs from what the provider paid out to it."""
    rows = BalanceTransaction.objects.filter(type__in=BANK_TYPES, booked=F("net")).order_by()
    paid = Counter[str]()
    for currency, net, fee in rows.values_list("currency").annotate(Sum("net"), Sum("fee")):
        paid[currency] = -net - fee
    lines = LedgerLine.objects.filter(account__code=BANK, entry__kind__in=_BANK_KINDS).order_by()
    posted = _sums(lines.values_list("currency").annotate(Sum("amount")))
    for currency, amount in _subtract(posted, paid).items():
        text = f"the ledger has {money(amount, currency, cents=True)} more from the provider than it paid out"
        yield Difference("total", f"bank {currency}", text)


def _sums(rows: object) -> Sums:
    return dict(rows)  # type: ignore[call-overload,no-any-return]


def _subtract(one: Sums | Counter[str], other: Sums | Counter[str]) -> Sums:
    found = {currency: one.get(currency, 0) - other.get(currency, 0) for currency in {*one, *other}}
    return {currency: amount for currency, amount in found.items() if amount}
