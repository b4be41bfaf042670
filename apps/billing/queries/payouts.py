"""What instructors are owed, what of it can be paid out, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from math import ceil

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine, Payout, PayoutAccount, PayoutRun
from apps.billing.queries.ledger import balances
from studyplatform.kit import encryption
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import minor_units, plain_amount, price_step, units_of_a_dollar

PURPOSE = "billing.payout_account"
RUN_AT = time(0, 5, tzinfo=UTC)
Failure = Payout.Failure
WHAT_TO_DO: dict[str, str | Promise] = {
    Failure.ACCOUNT_NUMBER: _("Check the account number in your payout details."),
    Failure.ACCOUNT_CLOSED: _("Enter another bank account in your payout details."),
    Failure.HOLDER: _("Enter the account holder's name exactly as your bank has it."),
    Failure.NOT_READY: _("Complete the details the payment provider needs."),
    Failure.REFUSED: _("Ask your bank, or enter another account."),
    Failure.REVERSED: _("Contact us if you don't know why."),
    Failure.OTHER: _("Check your payout details, or contact us."),
}


def next_payout_day(today: date) -> date:
    """The first payout day after ``today``."""
    this_month = today.replace(day=settings.PAYOUT_DAY)
    if this_month > today:
        return this_month
    return (today.replace(day=1) + timedelta(days=32)).replace(day=settings.PAYOUT_DAY)


def run_time(day: date) -> datetime:
    """When the payouts of a day are made."""
    return datetime.combine(day, RUN_AT)


def sales_until(day: date) -> datetime:
    """Payouts of this day contain the sales before this time: later ones may still be refunded automatically."""
    return datetime.combine(day, time(0, tzinfo=UTC)) - timedelta(days=settings.REFUND_DAYS)


def owed_to(instructor_id: int) -> dict[str, int]:
    """Return what an instructor has earned and not received, by currency: the balance, and payouts on their way.

    Two queries.
    """
    account = f"instructor:{instructor_id}"
    found = {currency: -amount for currency, amount in balances([account]).get(account, {}).items()}
    going = Payout.objects.filter(instructor=instructor_id, state=Payout.State.PROCESSING)
    for currency, amount in going.values_list("currency").annotate(Sum("amount")):
        found[currency] = found.get(currency, 0) + amount
    return {currency: amount for currency, amount in found.items() if amount > 0}


def minimum(currency: str) -> int:
    """The smallest amount that is paid out, in minor units. In a former currency of the site, about the same amount."""
    scale = Fraction(units_of_a_dollar(currency), units_of_a_dollar(settings.CURRENCY))
    return ceil(int(settings.PAYOUT_MINIMUM) * scale * minor_units(currency))


def payable(until: datetime, *, instructor_id: int | None = None) -> dict[tuple[int, str], int]:
    """What can be paid out, by instructor and currency, in minor units. One query.

    It is what the instructor is owed, without sales since ``until`` and what was given back of them. Negative where
    more was refunded than earned. Refunds and payouts count at once.
    """
    young = LedgerEntry.objects.filter(kind=EntryKind.SALE, occurred_at__gte=until)
    lines = LedgerLine.objects.filter(account__instructor_id__isnull=False)
    if instructor_id is not None:
        lines = LedgerLine.objects.filter(account__instructor_id=instructor_id)
        young = young.filter(instructor_id=instructor_id)
    ripe = lines.filter(~Q(entry__payment_key__in=young.values("payment_key")))
    sums = ripe.order_by().values_list("account__instructor_id", "currency").annotate(Sum("amount"))
    return {(instructor, currency): _in_steps(-amount, currency) for instructor, currency, amount in sums if amount}


def _in_steps(amount: int, currency: str) -> int:
    """What the provider sends of an amount; the rest stays in the balance."""
    return amount - amount % price_step(currency) if amount > 0 else amount


def payouts_like(text: str) -> QuerySet[Payout]:
    """All payouts, the latest first. ``text``: only those of users with it in their email or username."""
    rows = Payout.objects.select_related("instructor", "run").order_by("-created_at", "-pk")
    if text:
        rows = rows.filter(Q(instructor__email__folded_contains=text) | Q(instructor__username__folded_contains=text))
    return rows


def counts_by_state(text: str) -> Counter[str]:
    """How many of these payouts there are in each state. One query."""
    return Counter(dict(payouts_like(text).order_by().values_list("state").annotate(Count("pk"))))


def runs_with_transfers() -> QuerySet[PayoutRun]:
    """The runs with bank transfers that have to be made, the latest first, each with their number as ``count``."""
    waiting = Q(payouts__method=PayoutAccount.Method.BANK, payouts__state=Payout.State.PROCESSING)
    return PayoutRun.objects.annotate(count=Count("payouts", filter=waiting)).filter(count__gt=0).order_by("-day")


def number_of(payout: Payout) -> str:
    """The whole account number of a payout, for the bank; "…3000" if only its end is known.

    That is so for payouts that were on their way when payouts began to keep their account, and where the key of the
    encryption is lost.
    """
    return account_number(payout)


def account_number(account: Payout | PayoutAccount) -> str:
    """The whole account number; "…3000" if only its end is known, as that of a connected account."""
    with suppress(InvalidToken):
        if account.encrypted_number:
            return encryption.decrypt(account.encrypted_number, purpose=PURPOSE)
    return f"…{account.last4}" if account.last4 else ""


def payout_accounts_of(users: Iterable[int]) -> dict[int, PayoutAccount]:
    """Return where the payouts of users go, by the user's number. One query."""
    return {each.user_id: each for each in PayoutAccount.objects.filter(user__in=list(users))}


def bank_transfers(run_id: int) -> Iterator[str]:
    """The lines of a CSV file with the payouts of a run that the bank must make: those in processing.

    Each goes to the account that the instructor had when it started.
    """
    yield csv_line(["reference", "holder", "account_number", "bank_code", "amount", "currency"])
    method, state = PayoutAccount.Method.BANK, Payout.State.PROCESSING
    for payout in Payout.objects.filter(run=run_id, method=method, state=state).order_by("pk"):
        amount, currency = plain_amount(payout.amount, payout.currency), payout.currency.upper()
        yield csv_line([payout.key, payout.holder, number_of(payout), payout.bank_code, amount, currency])
