"""What each instructor earned in a year and was paid: the figures that tax reports ask for.

The platform reports what sellers received through it: in the EU by quarter, with the number of sales and what the
platform kept (Council Directive (EU) 2021/514, DAC7, Annex V, section III B); in the US by year (form 1099-K or
1099-NEC). Days and quarters are those of TIME_ZONE. Amounts are minor units of one currency, after refunds, without
tax.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import ExtractQuarter
from django.utils.timezone import get_default_timezone

from apps.accounts.models import User
from apps.billing.models import EntryKind, LedgerLine, PayoutAccount, TaxDetails
from apps.billing.queries.earnings import ACTIVITIES, EARNING
from apps.billing.queries.payouts import account_number, payout_accounts_of
from apps.billing.queries.report_selection import Selection, day_start
from apps.billing.queries.tax_details import TaxIdentity, identity_of, tax_details_of
from apps.billing.services.ledger.posting import BANK, PROVIDER
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount

_PAYOUTS = [str(kind) for kind in (EntryKind.PAYOUT_SENT, EntryKind.PAYOUT_FAILED, EntryKind.PAYOUT_REVERSED)]


@dataclass(frozen=True)
class Quarter:
    """``paid`` by learners without tax, ``earned`` by the instructor.

    ``tax``: what the platform withheld from the learners' payments for tax offices; ``sales``: their number;
    ``activities``: what the instructor was paid for: the sales, and each month's share of Premium for a course.
    """

    paid: int = 0
    earned: int = 0
    sales: int = 0
    tax: int = 0
    activities: int = 0

    @property
    def kept(self) -> int:
        """What the platform kept."""
        return self.paid - self.earned

    def __add__(self, other: Quarter) -> Quarter:
        return Quarter(
            self.paid + other.paid,
            self.earned + other.earned,
            self.sales + other.sales,
            self.tax + other.tax,
            self.activities + other.activities,
        )


@dataclass
class YearlyEarnings:
    """A year of an instructor. ``paid_out``: what was sent to them in ``payouts`` payouts during the year, less what
    of these or earlier ones came back in it."""

    instructor_id: int
    quarters: dict[int, Quarter] = field(default_factory=dict)
    paid_out: int = 0
    payouts: int = 0

    @property
    def year(self) -> Quarter:
        """The sum of its quarters."""
        return sum(self.quarters.values(), Quarter())

    def quarter(self, number: int) -> Quarter:
        """One of the four quarters."""
        return self.quarters.get(number, Quarter())


def of_year(year: int, currency: str, *, instructor_id: int | None = None) -> list[YearlyEarnings]:
    """Return the year of all instructors who earned something or were paid, most earned first. Two queries."""
    found: dict[int, YearlyEarnings] = {}
    lines = LedgerLine.objects.filter(
        account__instructor_id__isnull=False,
        currency=currency,
        entry__kind__in=EARNING,
        entry__occurred_at__gte=day_start(date(year, 1, 1)),
        entry__occurred_at__lt=day_start(date(year + 1, 1, 1)),
    )
    if instructor_id is not None:
        lines = lines.filter(account__instructor_id=instructor_id)
    quarter = ExtractQuarter("entry__occurred_at", tzinfo=get_default_timezone())
    rows: Any = lines.order_by().values("account__instructor_id", quarter=quarter)
    for row in rows.annotate(
        paid=Sum(F("entry__total") - F("entry__tax")),
        earned=Sum("amount"),
        sales=Count("pk", filter=Q(entry__kind=EntryKind.SALE)),
        tax=Sum("entry__tax"),
        activities=Count("pk", filter=Q(entry__kind__in=ACTIVITIES)),
    ):
        each = found.setdefault(row["account__instructor_id"], YearlyEarnings(row["account__instructor_id"]))
        each.quarters[row["quarter"]] = Quarter(
            row["paid"], -row["earned"], row["sales"], row["tax"], row["activities"]
        )
    for instructor, amount, count in _sent(year, currency, instructor_id):
        each = found.setdefault(instructor, YearlyEarnings(instructor))
        each.paid_out, each.payouts = amount, count
    return sorted(found.values(), key=lambda each: (-each.year.earned, each.instructor_id))


def quarter_selection(year: int, number: int, currency: str, instructor_id: int) -> Selection:
    """Return what selects the entries of one of an instructor's quarters in the reports."""
    start = date(year, number * 3 - 2, 1)
    end = (start + timedelta(days=92)).replace(day=1) - timedelta(days=1)
    return Selection(currency, since=start, until=end, instructor=instructor_id)


def payouts_of_year(year: int, currency: str, instructor_id: int | None = None) -> QuerySet[LedgerLine]:
    """Return what was sent to instructors during a year (negative) and what came back in it, as the ledger dates it.

    So a year that was reported doesn't change when a payout is noted late, or comes back in a later year.
    """
    moved = LedgerLine.objects.filter(
        account__code__in=[PROVIDER, BANK],
        entry__kind__in=_PAYOUTS,
        entry__instructor_id__isnull=False,
        currency=currency,
        entry__occurred_at__gte=day_start(date(year, 1, 1)),
        entry__occurred_at__lt=day_start(date(year + 1, 1, 1)),
    )
    return moved if instructor_id is None else moved.filter(entry__instructor_id=instructor_id)


def _sent(year: int, currency: str, instructor_id: int | None) -> Any:
    rows = payouts_of_year(year, currency, instructor_id).order_by().values_list("entry__instructor_id")
    return rows.annotate(paid=-Sum("amount"), count=Count("pk", filter=Q(entry__kind=EntryKind.PAYOUT_SENT)))


_PLAIN_COLUMNS = (
    "name", "street", "extra", "postal_code", "city", "region", "country", "residence", "vat_id", "registration_number",
)  # fmt: skip


def csv_lines(year: int, currency: str) -> Iterator[str]:
    """Yield the lines of a file with a line per instructor: the year by quarter, and their tax details.

    New columns are added at the end. The file contains tax numbers and account numbers.
    """
    quarters = [f"q{number}_" for number in (1, 2, 3, 4)]
    amounts = [f"{prefix}{name}" for prefix in (*quarters, "") for name in ("paid", "kept", "earned", "sales")]
    yield csv_line(
        [
            *("instructor", "name", "email", "year", "currency", *amounts, "paid_out", "payouts"),
            *(f"{prefix}{name}" for prefix in (*quarters, "") for name in ("tax_withheld", "activities")),
            *("is_company", *(f"legal_{name}" for name in _PLAIN_COLUMNS), "tax_number", "birth_date", "birth_place"),
            *("confirmed_on", "payout_method", "account_holder", "account_number", "bank_code"),
        ]
    )
    found = of_year(year, currency)
    everyone = [each.instructor_id for each in found]
    people = User.objects.in_bulk(everyone)
    details, accounts = tax_details_of(everyone), payout_accounts_of(everyone)
    for each in found:
        person = people.get(each.instructor_id)
        parts = (*(each.quarter(number) for number in (1, 2, 3, 4)), each.year)
        cells: list[object] = [
            each.instructor_id,
            person.display_name if person else "",
            person.email if person else "",
            year,
            currency.upper(),
        ]
        for part in parts:
            cells += [*(plain_amount(amount, currency) for amount in (part.paid, part.kept, part.earned)), part.sales]
        cells += [plain_amount(each.paid_out, currency), each.payouts]
        for part in parts:
            cells += [plain_amount(part.tax, currency), part.activities]
        cells += _tax_cells(details.get(each.instructor_id))
        cells += _account_cells(accounts.get(each.instructor_id))
        yield csv_line(cells)


def _tax_cells(details: TaxDetails | None) -> list[object]:
    if details is None:
        return [""] * (len(_PLAIN_COLUMNS) + 5)
    identity = identity_of(details) or TaxIdentity()
    confirmed_on = details.confirmed_at.astimezone(get_default_timezone()).date()
    return [
        "yes" if details.is_company else "no",
        *(getattr(details, name) for name in _PLAIN_COLUMNS),
        identity.tax_number,
        identity.birth_date,
        identity.birth_place,
        confirmed_on.isoformat(),
    ]


def _account_cells(account: PayoutAccount | None) -> list[object]:
    if account is None:
        return [""] * 4
    return [account.method, account.holder, account_number(account), account.bank_code]
