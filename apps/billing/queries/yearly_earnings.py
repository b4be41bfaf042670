"""What each instructor earned in a year and was paid: the figures that tax reports ask for.

The platform reports what sellers received through it: in the EU by quarter, with the number of sales and what the
platform kept (Council Directive (EU) 2021/514, DAC7, Annex V, section III B); in the US by year (form 1099-K or
1099-NEC). Days and quarters are those of TIME_ZONE. Amounts are minor units of one currency, after refunds, without
tax.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import ExtractQuarter
from django.utils.timezone import get_default_timezone

from apps.accounts.models import User
from apps.billing.models import EntryKind, LedgerLine, Payout
from apps.billing.queries.earnings import EARNING
from apps.billing.queries.report_selection import day_start
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount


@dataclass(frozen=True)
class Quarter:
    """``paid`` by learners, ``earned`` by the instructor, ``sales``: their number."""

    paid: int = 0
    earned: int = 0
    sales: int = 0

    @property
    def kept(self) -> int:
        """What the platform kept."""
        return self.paid - self.earned

    def __add__(self, other: Quarter) -> Quarter:
        return Quarter(self.paid + other.paid, self.earned + other.earned, self.sales + other.sales)


@dataclass
class YearlyEarnings:
    """A year of an instructor. ``paid_out``: what was sent to them in ``payouts`` payouts during the year."""

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
    ):
        each = found.setdefault(row["account__instructor_id"], YearlyEarnings(row["account__instructor_id"]))
        each.quarters[row["quarter"]] = Quarter(row["paid"], -row["earned"], row["sales"])
    for instructor, amount, count in _sent(year, currency, instructor_id):
        each = found.setdefault(instructor, YearlyEarnings(instructor))
        each.paid_out, each.payouts = amount, count
    return sorted(found.values(), key=lambda each: (-each.year.earned, each.instructor_id))


def payouts_of_year(year: int, currency: str, instructor_id: int | None = None) -> QuerySet[Payout]:
    """Return the payouts that were sent during a year and did not come back."""
    sent = Payout.objects.filter(
        state=Payout.State.SENT,
        currency=currency,
        settled_at__gte=day_start(date(year, 1, 1)),
        settled_at__lt=day_start(date(year + 1, 1, 1)),
    )
    return sent if instructor_id is None else sent.filter(instructor=instructor_id)


def _sent(year: int, currency: str, instructor_id: int | None) -> Any:
    rows = payouts_of_year(year, currency, instructor_id).order_by().values_list("instructor_id")
    return rows.annotate(amount=Sum(F("amount") - F("amount_reversed")), count=Count("pk"))


def csv_lines(year: int, currency: str) -> Iterator[str]:
    """Yield the lines of a file with a line per instructor."""
    columns = [f"q{number}_{name}" for number in (1, 2, 3, 4) for name in ("paid", "kept", "earned", "sales")]
    yield csv_line(
        ["instructor", "name", "email", "year", "currency", *columns, "paid", "kept", "earned", "sales", "paid_out",
         "payouts"]
    )  # fmt: skip
    found = of_year(year, currency)
    people = User.objects.in_bulk([each.instructor_id for each in found])
    for each in found:
        person = people.get(each.instructor_id)
        cells: list[object] = []
        for quarter in (*(each.quarter(number) for number in (1, 2, 3, 4)), each.year):
            amounts = (quarter.paid, quarter.kept, quarter.earned)
            cells += [*(plain_amount(amount, currency) for amount in amounts), quarter.sales]
        yield csv_line(
            [
                each.instructor_id,
                person.display_name if person else "",
                person.email if person else "",
                year,
                currency.upper(),
                *cells,
                plain_amount(each.paid_out, currency),
                each.payouts,
            ]
        )
