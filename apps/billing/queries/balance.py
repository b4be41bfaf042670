"""How the ledger and the provider compare, day by day, and what is left to explain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import BooleanField, Case, Count, F, Max, Q, QuerySet, Sum, When
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.models import (
    BalanceHistory,
    BalanceTransaction,
    BooksDifference,
    LedgerEntry,
    LedgerLine,
    ManualEntry,
)
from apps.billing.queries.ledger import balances
from apps.billing.services.balance_facts import LEDGER_POSTING_GRACE
from apps.billing.services.ledger.posting import BANK, PROVIDER, TAX, UNEXPLAINED

DAYS_PER_PAGE = 14
# https://docs.stripe.com/reports/reporting-categories
CATEGORIES: dict[str, str | Promise] = {
    "charge": _("Payments"),
    "charge_failure": _("Failed payments"),
    "refund": _("Refunds"),
    "refund_failure": _("Failed refunds"),
    "partial_capture_reversal": _("Refunds"),
    "dispute": _("Disputes"),
    "dispute_reversal": _("Won disputes"),
    "transfer": _("Payouts to instructors"),
    "transfer_reversal": _("Payouts taken back"),
    "payout": _("Paid to the bank"),
    "payout_reversal": _("Returned by the bank"),
    "topup": _("Added from the bank"),
    "topup_reversal": _("Returned to the bank"),
    "fee": _("Fees"),
    "network_cost": _("Fees"),
    "tax": _("Tax on fees"),
    "risk_reserved_funds": _("Held back"),
}


@dataclass
class DayRow:
    """A day in the reader's time zone, in one currency; amounts in minor units.

    ``state``: "open", "waiting" (not compared yet), "fixed" or "matches". ``what``: the categories that differ, or that
    were fixed, with the number of movements.
    """

    day: date
    currency: str
    ours: int
    provider: int
    state: str
    what: list[tuple[str | Promise, int]] = field(default_factory=list)

    @property
    def difference(self) -> int:
        """What the provider moved and the ledger doesn't have."""
        return self.provider - self.ours


def category_label(name: str) -> str | Promise:
    """A category in words; one without words keeps its own name."""
    return CATEGORIES.get(name, name)


def compared_days(*, until: date, now: datetime) -> list[DayRow]:
    """Return the days before and on ``until`` on which money moved, the latest first. Two queries."""
    start, end = until - timedelta(days=DAYS_PER_PAGE - 1), until + timedelta(days=1)
    rows = BalanceTransaction.objects.filter(created_at__gte=_midnight(start), created_at__lt=_midnight(end))
    by_day = rows.annotate(day=TruncDate("created_at")).values_list("day", "currency")
    differs, is_old = ~Q(net=F("booked")), Q(created_at__lt=now - LEDGER_POSTING_GRACE)
    sums = by_day.annotate(
        ours=Sum("booked"),
        provider=Sum("net"),
        open=Count("pk", filter=differs & is_old),
        waiting=Count("pk", filter=differs & ~is_old),
        fixed=Count("repaired_at"),
    ).order_by("-day", "currency")
    what: dict[tuple[date, str], dict[str, Counter[str | Promise]]] = defaultdict(lambda: defaultdict(Counter))
    special = by_day.filter((differs & is_old) | Q(repaired_at__isnull=False)).order_by()
    differing = Case(When(differs, then=True), default=False, output_field=BooleanField())
    for day, currency, category, is_open, count in special.values_list(
        "day", "currency", "category", differing
    ).annotate(Count("pk")):
        what[day, currency]["open" if is_open else "fixed"][category_label(category)] += count
    found = []
    for day, currency, ours, provider, open_, waiting, fixed in sums:
        state = "open" if open_ else "waiting" if waiting else "fixed" if fixed else "matches"
        shown = sorted(what[day, currency][state].items(), key=lambda each: str(each[0]))
        found.append(DayRow(day, currency, ours, provider, state, shown))
    return found


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


@dataclass(frozen=True)
class Totals:
    """What the provider's list adds up to, what the ledger has at the provider, and other accounts, in one currency.

    ``provider`` is None until the whole list was read.
    """

    currency: str
    provider: int | None
    ledger: int
    bank: int
    tax: int
    unexplained: int


def totals() -> list[Totals]:
    """Return the balances by currency. Three queries."""
    is_complete = BalanceHistory.objects.filter(is_complete=True).exists()
    listed = dict(BalanceTransaction.objects.values_list("currency").annotate(Sum("net")).order_by())
    found = balances([PROVIDER, BANK, TAX, UNEXPLAINED])
    currencies = sorted({*listed, *(currency for each in found.values() for currency in each)})
    return [
        Totals(
            currency,
            listed.get(currency, 0) if is_complete else None,
            *(found.get(account, {}).get(currency, 0) for account in (PROVIDER, BANK)),
            *(-found.get(account, {}).get(currency, 0) for account in (TAX, UNEXPLAINED)),
        )
        for currency in currencies
    ]


def movements(*, currency: str, category: str = "", day: date | None = None) -> QuerySet[BalanceTransaction]:
    """Return what moved the provider's balance, the latest first: of a day, of a category and those called the same."""
    found = BalanceTransaction.objects.filter(currency=currency).order_by("-created_at", "-pk")
    if category:
        label = category_label(category)
        found = found.filter(category__in=[category, *(name for name, each in CATEGORIES.items() if each == label)])
    if day is not None:
        found = found.filter(created_at__gte=_midnight(day), created_at__lt=_midnight(day + timedelta(days=1)))
    return found


def sums_of(found: QuerySet[BalanceTransaction]) -> tuple[int, int]:
    """Return what movements add up to: what is booked of them, and what the provider moved. One query."""
    sums = found.order_by().aggregate(booked=Sum("booked", default=0), net=Sum("net", default=0))
    return sums["booked"], sums["net"]


def entries_of_facts(facts: list[str]) -> dict[str, list[LedgerEntry]]:
    """Return the entries of the ledger by the fact that they post, as far as they name it. One query."""
    found: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in LedgerEntry.objects.filter(gateway_id__in=set(facts)).order_by("occurred_at", "pk"):
        found[entry.gateway_id].append(entry)
    return found


def by_category() -> list[tuple[str, str | Promise, str, int, int]]:
    """Return each category (a name and its label) and currency, with what the provider moved and what is booked of it.

    Categories with the same label are one, under the name of the first. One query.
    """
    sums: dict[tuple[str | Promise, str], tuple[int, int]] = {}
    names: dict[str | Promise, str] = {}
    rows = BalanceTransaction.objects.values_list("category", "currency").annotate(Sum("net"), Sum("booked")).order_by()
    for category, currency, net, booked in rows:
        key = (category_label(category), currency)
        names.setdefault(key[0], category)
        before = sums.get(key, (0, 0))
        sums[key] = (before[0] + net, before[1] + booked)
    rows_by_label = sorted(sums.items(), key=lambda each: (str(each[0][0]), each[0][1]))
    return [(names[label], label, currency, *amounts) for (label, currency), amounts in rows_by_label]


@dataclass(frozen=True)
class UnexplainedRow:
    """What nobody could explain of a fact, in minor units; positive came in."""

    fact: str
    currency: str
    amount: int
    at: datetime
    transaction: BalanceTransaction | None


def unexplained() -> QuerySet[LedgerLine, Any]:
    """The facts of which something is unexplained, the latest first, with their sums."""
    lines = LedgerLine.objects.filter(account__code=UNEXPLAINED).order_by()
    sums = lines.values("entry__gateway_id", "currency").annotate(sum=Sum("amount"), at=Max("entry__occurred_at"))
    return sums.exclude(sum=0).order_by("-at", "entry__gateway_id")


def unexplained_rows(page: Any) -> Iterator[UnexplainedRow]:
    """The rows of a page of :func:`unexplained`. One query."""
    found = list(page)
    movements = BalanceTransaction.objects.filter(fact__in=[each["entry__gateway_id"] for each in found])
    by_fact = {row.fact: row for row in movements.order_by("created_at")}
    for each in found:
        fact = each["entry__gateway_id"]
        yield UnexplainedRow(fact, each["currency"], -each["sum"], each["at"], by_fact.get(fact))


def open_differences() -> QuerySet[BooksDifference]:
    """What reconciliation could not repair, the latest first."""
    return BooksDifference.objects.filter(resolved_at=None).order_by("-found_at", "-pk")


def manual_entries() -> QuerySet[ManualEntry]:
    """What admins posted by hand, the latest first."""
    return ManualEntry.objects.select_related("made_by", "undone_by").order_by("-day", "-made_at", "-pk")
