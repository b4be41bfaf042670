"""The accounts of the ledger: what each held at the beginning and end of a period, and its statement.

A positive amount is debit, a negative one credit. Amounts are minor units of one currency, days are those of TIME_ZONE.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Case, CharField, F, Q, QuerySet, Sum, Value, When, Window
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.models import AccountType, LedgerAccount, LedgerLine
from apps.billing.queries.report_selection import day_start
from apps.billing.services.ledger.posting import ACCOUNTS

INSTRUCTORS = "instructors"  # the accounts of all instructors together
NAMES: dict[str, str | Promise] = {
    "provider": _("Payment provider"),
    "bank": _("Bank account"),
    "payouts": _("Payouts on their way"),
    "disputes": _("Disputed payments"),
    INSTRUCTORS: _("Owed to instructors"),
    "premium": _("Premium not yet shared"),
    "tax": _("Tax to be paid"),
    "platform": _("Platform's sales"),
    "refunds": _("Refunded by the platform"),
    "fees": _("Fees"),
    "pending_refunds": _("Refunds on their way"),
    "losses": _("Losses by disputes"),
    "deposits": _("Transfers held for buyers"),
    "reserves": _("Held back by the provider"),
    "exchange": _("Exchanged by the provider"),
    "owner": _("Put in and taken out"),
    "unexplained": _("Unexplained"),
}


@dataclass(frozen=True)
class AccountBalance:
    """An account in a period: ``opening + debit - credit == closing``."""

    code: str
    type: str
    opening: int
    debit: int
    credit: int

    @property
    def closing(self) -> int:
        """What it held at the end of the period."""
        return self.opening + self.debit - self.credit

    @property
    def name(self) -> str:
        """What pages call it."""
        return name_account(self.code)

    @property
    def number(self) -> str:
        """Its number in the accountant's chart of accounts, if the site has set one."""
        return number_account(self.code)


def name_account(code: str) -> str:
    """Return what pages call an account: "Payment provider"; an instructor's by its code."""
    return str(NAMES.get(code, code))


def number_account(code: str) -> str:
    """Return the number of an account in the accountant's chart of accounts (setting LEDGER_ACCOUNT_NUMBERS), or ""."""
    numbers: dict[str, str] = settings.LEDGER_ACCOUNT_NUMBERS
    return numbers.get(code) or numbers.get(INSTRUCTORS if code.startswith("instructor:") else code, "")


def balances(currency: str, since: date | None, until: date | None) -> list[AccountBalance]:
    """Return the trial balance of a period: an account a line, those of instructors together. One query."""
    code = Case(
        When(account__instructor_id__isnull=False, then=Value(INSTRUCTORS)),
        default=F("account__code"),
        output_field=CharField(),
    )
    rows: Any = _until(currency, until).order_by().values("account__type", code=code).annotate(**_sums(since))
    found = [_balance(row["code"], row) for row in rows]
    order = [*ACCOUNTS, INSTRUCTORS]
    types = [str(each) for each in AccountType.values]
    return sorted(
        found,
        key=lambda each: (types.index(each.type), order.index(each.code) if each.code in order else 99, each.code),
    )


def instructor_balances(currency: str, since: date | None, until: date | None) -> QuerySet[LedgerLine, Any]:
    """Return the accounts of instructors with their sums, what is owed most first: rows for `of_instructor`."""
    lines = _until(currency, until).filter(account__instructor_id__isnull=False).order_by()
    rows = lines.values("account__code", "account__type", "account__instructor_id").annotate(
        closing=Sum("amount"), **_sums(since)
    )
    return rows.order_by("closing", "account__code")


def of_instructor(row: dict[str, Any]) -> AccountBalance:
    """Return a row of `instructor_balances` as a balance."""
    return _balance(row["account__code"], row)


def find_account(code: str) -> LedgerAccount | None:
    """Return an account by its code, such as "instructor:7". One query."""
    return LedgerAccount.objects.filter(code=code).first()


def statement(account: LedgerAccount, currency: str, since: date | None, until: date | None) -> Any:
    """Return the lines of an account in a period, the latest first, each with the ``balance`` after it."""
    balance = Window(Sum("amount"), order_by=[F("entry__occurred_at").asc(), F("entry_id").asc()])
    opening = opening_balance(account, currency, since)
    lines = _until(currency, until).filter(account=account)
    if since is not None:
        lines = lines.filter(entry__occurred_at__gte=day_start(since))
    lines = lines.select_related("entry").annotate(balance=balance + Value(opening))
    return lines.order_by("-entry__occurred_at", "-entry_id")


def opening_balance(account: LedgerAccount, currency: str, since: date | None) -> int:
    """Return what an account held before a day. One query; none without a day."""
    if since is None:
        return 0
    before = LedgerLine.objects.filter(account=account, currency=currency, entry__occurred_at__lt=day_start(since))
    return before.aggregate(sum=Sum("amount"))["sum"] or 0


def balance_of(account: LedgerAccount, currency: str, since: date | None, until: date | None) -> AccountBalance:
    """Return one account in a period. One query."""
    sums = _until(currency, until).filter(account=account).aggregate(**_sums(since))
    return _balance(account.code, {"account__type": account.type, **sums})


def _until(currency: str, until: date | None) -> QuerySet[LedgerLine]:
    lines = LedgerLine.objects.filter(currency=currency)
    return lines if until is None else lines.filter(entry__occurred_at__lt=day_start(until + timedelta(days=1)))


def _sums(since: date | None) -> dict[str, Any]:
    start = day_start(since) if since is not None else datetime.min.replace(tzinfo=UTC)
    inside = Q(entry__occurred_at__gte=start)
    return {
        "opening": Sum("amount", filter=Q(entry__occurred_at__lt=start), default=0),
        "debit": Sum("amount", filter=inside & Q(amount__gt=0), default=0),
        "credit": Sum("amount", filter=inside & Q(amount__lt=0), default=0),
    }


def _balance(code: str, row: dict[str, Any]) -> AccountBalance:
    return AccountBalance(code, row["account__type"], row["opening"], row["debit"], -row["credit"])
