"""Which entries of the ledger a report is about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import BigIntegerField, CharField, Field, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.timezone import get_default_timezone

from apps.billing.models import LedgerEntry, Payment
from apps.billing.tax import TaxTreatment

NONE = -1  # as an id: the entries without a course or an instructor


@dataclass(frozen=True)
class Selection:
    """Which entries a report is about. ``since`` and ``until`` are its first and last day; None: without a limit.

    ``course`` and ``instructor`` are ids, ``country`` is ISO 3166-1 or "" (unknown), ``rate`` is in hundredths of a
    percent, ``treatment`` is a `TaxTreatment`. -1 as an id means none: Premium, or the platform itself.
    """

    currency: str
    since: date | None = None
    until: date | None = None
    course: int | None = None
    instructor: int | None = None
    country: str | None = None
    rate: int | None = None
    treatment: str | None = None

    def parameters(self) -> dict[str, str]:
        """Return it as the parameters of an address."""
        values = {
            "currency": self.currency,
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "course": self.course,
            "instructor": self.instructor,
            "country": self.country,
            "rate": self.rate,
            "treatment": self.treatment,
        }
        return {name: str(value) for name, value in values.items() if value is not None}


def day_start(day: date) -> datetime:
    """Return when a day begins in TIME_ZONE."""
    return datetime.combine(day, time(0), tzinfo=get_default_timezone())


def entries_of(selection: Selection) -> QuerySet[LedgerEntry]:
    """Return all entries of a selection."""
    found = LedgerEntry.objects.filter(currency=selection.currency)
    if selection.since is not None:
        found = found.filter(occurred_at__gte=day_start(selection.since))
    if selection.until is not None:
        found = found.filter(occurred_at__lt=day_start(selection.until + timedelta(days=1)))
    if selection.course is not None:
        found = found.filter(course_id=None if selection.course == NONE else selection.course)
    if selection.instructor is not None:
        found = found.filter(instructor_id=None if selection.instructor == NONE else selection.instructor)
    if selection.country is not None:
        found = found.annotate(country=payment_value("country")).filter(country=selection.country)
    if selection.rate is not None:
        found = found.annotate(rate=payment_value("rate")).filter(rate=selection.rate)
    if selection.treatment is not None:
        found = found.annotate(treatment=payment_value("treatment")).filter(treatment=selection.treatment)
    return found


def first_day() -> date | None:
    """Return the day of the first entry. One query."""
    first = LedgerEntry.objects.order_by("occurred_at").values_list("occurred_at", flat=True).first()
    return first.astimezone(get_default_timezone()).date() if first else None


# What is known of the payment of an entry: its column, its type, and what counts without a payment.
_PAYMENT_COLUMNS: dict[str, tuple[str, type[Field[Any, Any]], object]] = {
    "country": ("country", CharField, ""),
    "rate": ("tax_rate", BigIntegerField, 0),
    "treatment": ("tax_treatment", CharField, str(TaxTreatment.STANDARD)),
}


def payment_value(name: str, key: str = "payment_key") -> Any:
    """Return an expression: the country, tax rate or tax treatment of the payment of an entry."""
    column, kind, otherwise = _PAYMENT_COLUMNS[name]
    found = Subquery(Payment.objects.filter(gateway_id=OuterRef(key)).values(column)[:1])
    return Coalesce(found, Value(otherwise), output_field=kind())
