"""What accountants ask of the books: revenue by month, course, instructor, country, tax rate, and the rows behind it.

Everything is read from the ledger; the buyer's country and the tax rate come from the payment that an entry belongs to.
Amounts are minor units of one currency, days are those of TIME_ZONE.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from django.db.models import BigIntegerField, CharField, Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat, TruncMonth
from django.utils.functional import Promise
from django.utils.timezone import get_default_timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.billing.models import ITEMS_PER_PART, AccountType, Document, EntryKind, LedgerEntry, LedgerLine, Payment
from apps.billing.queries.earnings import ACTIVITIES, EARNING
from apps.billing.queries.report_selection import NONE, Selection, entries_of, payment_value
from apps.billing.queries.revenue import RETURNED, SOLD
from apps.billing.services.ledger.posting import PREMIUM
from apps.courses.models import Course

_SOLD = [str(kind) for kind in SOLD]
_RETURNED = [str(kind) for kind in RETURNED]
_REVENUE = [*_SOLD, *_RETURNED]
# What money for a payment is about; what payouts, taxes and the bank move is not revenue.
_ACCRUING = [*_REVENUE, str(EntryKind.PREMIUM_SHARE)]


@dataclass(frozen=True)
class Figure:
    """An amount of a report. Its rows are the entries of ``kinds`` (None: of any) with a part of it.

    ``column``: of the entry; ``lines``: which of its lines are added up, and ``sign``; with both, their sum. ``only``
    narrows them.
    """

    label: str | Promise
    kinds: list[str] | None = None
    column: Any = None
    lines: Q | None = None
    sign: int = 1
    only: Q = field(default_factory=Q)


_NET = F("total") - F("tax")
_TAUGHT = Q(instructor_id__isnull=False)
FIGURES: dict[str, Figure] = {
    "sold": Figure(_("Sold"), _SOLD, F("total")),
    "refunded": Figure(_("Refunded"), _RETURNED, F("total")),
    "tax": Figure(_("Tax"), _REVENUE, F("tax")),
    "net": Figure(_("Without tax"), _REVENUE, _NET),
    "paid": Figure(_("Paid by learners"), EARNING, _NET, only=_TAUGHT),
    "kept": Figure(_("Platform's part"), EARNING, _NET, Q(account__instructor_id__isnull=False), only=_TAUGHT),
    "activities": Figure(_("Sales and shares of Premium"), ACTIVITIES, _NET, only=_TAUGHT),
    "courses": Figure(_("Courses, without tax"), _REVENUE, _NET, only=Q(course_id__isnull=False)),
    "premium": Figure(_("Premium, without tax"), _REVENUE, _NET, only=Q(course_id__isnull=True)),
    "instructors": Figure(_("Instructors"), _ACCRUING, lines=Q(account__instructor_id__isnull=False), sign=-1),
    "pool": Figure(_("Premium pool"), _ACCRUING, lines=Q(account__code=PREMIUM), sign=-1),
    "platform": Figure(_("Platform"), _ACCRUING, lines=Q(account__type=AccountType.REVENUE), sign=-1),
    "costs": Figure(_("Fees, losses"), lines=Q(account__type=AccountType.EXPENSE)),
}
# By which the revenue is divided: what the address and the rows call it, and the figures that have a meaning for it.
GROUPS: dict[str, tuple[str | Promise, tuple[str, ...]]] = {
    "month": (_("Month"), ("sold", "refunded", "tax", "net", "instructors", "pool", "platform", "costs")),
    "course": (_("Course"), ("sold", "refunded", "tax", "net", "instructors", "platform")),
    "instructor": (_("Instructor"), ("sold", "refunded", "tax", "net", "instructors", "platform")),
    "country": (_("Country"), ("sold", "refunded", "tax", "net", "costs")),
    "rate": (_("Tax rate"), ("sold", "refunded", "tax", "net")),
    "tax": (_("Tax return"), ("sold", "refunded", "tax", "net")),
}


@dataclass(frozen=True)
class ReportRow:
    """A line of a report: the amounts by the name of their figure, and the selection whose rows they are."""

    label: str
    selection: Selection
    count: int
    amounts: dict[str, int] = field(default_factory=dict)


def rows_of(selection: Selection, figure: Figure) -> QuerySet[LedgerEntry, Any]:
    """Return the entries that make a figure, each with its ``part`` of it; the latest first. They add up to it."""
    found = entries_of(selection).filter(figure.only)
    if figure.kinds is not None:
        found = found.filter(kind__in=figure.kinds)
    if figure.lines is None:
        part = figure.column
    else:
        lines = LedgerLine.objects.filter(figure.lines, entry=OuterRef("pk"), currency=selection.currency)
        sums = lines.order_by().values("entry").annotate(sum=Sum("amount")).values("sum")
        part = Subquery(sums, output_field=BigIntegerField()) * Value(figure.sign)
        if figure.column is not None:
            part = figure.column + Coalesce(part, Value(0))
    return found.annotate(part=part).exclude(part=0).exclude(part=None).order_by("-occurred_at", "-pk")


def sum_of(selection: Selection, figure: Figure) -> int:
    """Return a figure. One query."""
    return rows_of(selection, figure).order_by().aggregate(sum=Sum("part"))["sum"] or 0


def report(selection: Selection, group: str) -> list[ReportRow]:
    """Return the revenue of a selection, divided by one of GROUPS. Two queries, and one or two for names.

    Months are in their order, other groups by what they brought in without tax, most first.
    """
    names = GROUPS[group][1]
    found: dict[Any, dict[str, int]] = {}
    counts: dict[Any, int] = {}
    titles: dict[Any, str] = {}
    entries: Any = entries_of(selection).filter(kind__in=_ACCRUING).annotate(group=_group(group))
    sold, returned, revenue = Q(kind__in=_SOLD), Q(kind__in=_RETURNED), Q(kind__in=_REVENUE)
    for row in (
        entries.order_by()
        .values("group")
        .annotate(
            count=Count("pk", filter=sold if group == "instructor" else sold & Q(item__lt=ITEMS_PER_PART)),
            title=Max("description"),
            sum_sold=Sum("total", filter=sold, default=0),
            sum_refunded=Sum("total", filter=returned, default=0),
            sum_tax=Sum("tax", filter=revenue, default=0),
            sum_net=Sum(F("total") - F("tax"), filter=revenue, default=0),
        )
    ):
        key = row["group"]
        found[key] = {name: row[f"sum_{name}"] for name in ("sold", "refunded", "tax", "net") if name in names}
        counts[key], titles[key] = row["count"], row["title"]
    for key, name, amount in _line_sums(selection, group, names):
        found.setdefault(key, {})[name] = amount
    rows = []
    labels = _labels(group, found, titles)
    for key, amounts in found.items():
        complete = {name: amounts.get(name, 0) for name in names}
        if any(complete.values()) or counts.get(key):
            narrowed = _narrowed(selection, group, key)
            rows.append((key, ReportRow(labels[key], narrowed, counts.get(key, 0), complete)))
    if group == "month":
        rows.sort(key=lambda row: row[0])
    else:
        rows.sort(key=lambda row: (-row[1].amounts["net"], row[1].label))
    return [row for _key, row in rows]


def total_of(rows: list[ReportRow], selection: Selection) -> ReportRow:
    """Return the last line of a report."""
    names = rows[0].amounts if rows else {}
    amounts = {name: sum(row.amounts[name] for row in rows) for name in names}
    return ReportRow("", selection, sum(row.count for row in rows), amounts)


def documents_of(entries: list[Any]) -> dict[str, Document]:
    """Return the invoices and credit notes of entries, by the key of the entry; a bundle has one. One query."""
    keys = {entry.key: entry.document_fact for entry in entries}
    found = {each.fact: each for each in Document.objects.filter(fact__in=set(keys.values()))}
    return {key: found[fact] for key, fact in keys.items() if fact in found}


def receipts_of(entries: list[Any]) -> dict[str, Payment]:
    """Return the payments that entries belong to, with who paid, by their key. One query."""
    keys = {entry.payment_key for entry in entries if entry.payment_key}
    return {each.gateway_id: each for each in Payment.objects.select_related("user").filter(gateway_id__in=keys)}


def _group(group: str, prefix: str = "") -> Any:
    if group == "month":
        return TruncMonth(f"{prefix}occurred_at", tzinfo=get_default_timezone())
    if group in {"course", "instructor"}:
        return Coalesce(f"{prefix}{group}_id", Value(NONE), output_field=BigIntegerField())
    key = f"{prefix}payment_key"
    if group == "tax":  # by country, rate and treatment: a line of a tax return
        parts = (
            payment_value("country", key),
            Cast(payment_value("rate", key), CharField()),
            payment_value("treatment", key),
        )
        return Concat(parts[0], Value("|"), parts[1], Value("|"), parts[2], output_field=CharField())
    return payment_value(group, key)


def _line_sums(selection: Selection, group: str, names: tuple[str, ...]) -> Iterator[tuple[Any, str, int]]:
    """The sums of figures that are made of lines. One query."""
    wanted = {name: FIGURES[name] for name in names if FIGURES[name].lines is not None}
    if not wanted:
        return
    lines: Any = LedgerLine.objects.filter(entry__in=entries_of(selection), currency=selection.currency)
    conditions = {
        name: Sum(
            "amount",
            filter=(each.lines or Q()) & (Q() if each.kinds is None else Q(entry__kind__in=each.kinds)),
            default=0,
        )
        for name, each in wanted.items()
    }
    for row in lines.order_by().annotate(group=_group(group, "entry__")).values("group").annotate(**conditions):
        for name, each in wanted.items():
            yield row["group"], name, row[name] * each.sign


def _labels(group: str, keys: Any, titles: dict[Any, str]) -> dict[Any, str]:
    """What the groups are called; a course or an instructor that was deleted by its last title, or its number."""
    if group == "course":
        courses = dict(Course.objects.filter(pk__in=keys).values_list("pk", "title"))
        return {key: str(_("Premium")) if key == NONE else courses.get(key) or titles.get(key, "") for key in keys}
    if group == "instructor":
        people = {each.pk: each.display_name for each in User.objects.filter(pk__in=keys)}
        return {key: str(_("Platform")) if key == NONE else people.get(key, f"#{key}") for key in keys}
    return dict.fromkeys(keys, "")  # months, countries and rates are named by the page


def _narrowed(selection: Selection, group: str, key: Any) -> Selection:
    if group == "tax":
        country, rate, treatment = key.split("|")
        return replace(selection, country=country, rate=int(rate), treatment=treatment)
    if group != "month":
        return replace(selection, **{group: key})
    first = key.date()
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    since = max(first, selection.since) if selection.since else first
    until = min(last, selection.until) if selection.until else last
    return replace(selection, since=since, until=until)
