"""What an instructor earned: per month, per course, each transaction, and how the next payout adds up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, Substr

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine, Payout

# What changes what an instructor earned; payouts only move it.
EARNING = [str(kind) for kind in (
    EntryKind.SALE, EntryKind.REFUND, EntryKind.REFUND_FAILED, EntryKind.DISPUTE_LOST, EntryKind.PREMIUM_SHARE
)]  # fmt: skip
# Both databases write times in UTC, such as 2026-11-23 09:00. Django's TruncMonth takes 60 µs a row on SQLite.
MONTH = Substr(Cast("entry__occurred_at", TextField()), 1, 7)


@dataclass(frozen=True)
class Earned:
    """``paid``: by learners, without tax and net of refunds; ``share``: the instructor's part of it. Minor units."""

    paid: int = 0
    share: int = 0
    count: int = 0
    """How many transactions."""

    def __add__(self, other: Earned) -> Earned:
        return Earned(self.paid + other.paid, self.share + other.share, self.count + other.count)


@dataclass(frozen=True)
class Part:
    """What was earned in a month with a course; ``course`` None is the share of Premium."""

    currency: str
    month: date
    course: int | None
    title: str
    earned: Earned


@dataclass(frozen=True)
class Pending:
    """What the next payout will be, in minor units of the instructor's share unless said otherwise.

    ``sales`` and ``refunds`` since the last payout, with what learners paid; ``waiting``: sales that may still be
    refunded, for a later payout; ``carried``: what was left of earlier months, and payouts that failed.
    """

    sales: Earned = Earned()
    refunds: Earned = Earned()
    premium: Earned = Earned()
    waiting: Earned = Earned()
    carried: int = 0

    @property
    def paid(self) -> int:
        """What learners paid of it."""
        return self.sales.paid + self.refunds.paid + self.premium.paid

    @property
    def platform(self) -> int:
        """The platform's part of what learners paid."""
        return self.paid - self.sales.share - self.refunds.share - self.premium.share

    @property
    def amount(self) -> int:
        """What will be paid out."""
        return self.sales.share + self.refunds.share + self.premium.share + self.carried


def earned_parts(instructor_id: int) -> list[Part]:
    """What was earned in each month (UTC) with each course. One query."""
    lines = LedgerLine.objects.filter(account__instructor_id=instructor_id, entry__kind__in=EARNING)
    rows = (
        lines.order_by()
        .values_list("currency", MONTH, "entry__course_id")
        .annotate(
            Max("entry__description"),
            paid=Sum(F("entry__total") - F("entry__tax")),
            earned=Sum("amount"),
            transactions=Count("pk"),
        )
    )
    return [
        Part(
            currency,
            date.fromisoformat(f"{month}-01"),
            course,
            title if course is not None else "",
            Earned(paid, -share, count),
        )
        for currency, month, course, title, paid, share, count in rows
    ]


def by_month(parts: list[Part], currency: str) -> dict[date, Earned]:
    """What was earned in each month, by its first day, oldest first. Months without any are missing."""
    months: dict[date, Earned] = {}
    for part in sorted(parts, key=lambda part: part.month):
        if part.currency == currency:
            months[part.month] = months.get(part.month, Earned()) + part.earned
    return months


def by_course(parts: list[Part], currency: str) -> list[tuple[int | None, str, Earned]]:
    """What was earned with each course: its id, the title of its last sale, and the sums; most first."""
    courses: dict[int | None, Earned] = {}
    titles: dict[int | None, str] = {}
    for part in sorted(parts, key=lambda part: part.month):
        if part.currency == currency:
            courses[part.course] = courses.get(part.course, Earned()) + part.earned
            titles[part.course] = part.title
    rows = [(course, titles[course], earned) for course, earned in courses.items()]
    return sorted(rows, key=lambda row: (-row[2].share, row[1]))


def earned_by_month(instructor_id: int, currency: str) -> dict[date, Earned]:
    """What was earned in each month (UTC), by its first day, oldest first. One query."""
    return by_month(earned_parts(instructor_id), currency)


def transactions(instructor_id: int, currency: str, course_id: int | None = None) -> QuerySet[LedgerEntry]:
    """Sales, what was given back of them, and shares of Premium, newest first.

    Each has ``paid`` and ``share`` as in `Earned`.
    """
    own = LedgerLine.objects.filter(entry=OuterRef("pk"), account__instructor_id=instructor_id, currency=currency)
    entries = LedgerEntry.objects.filter(instructor_id=instructor_id, currency=currency, kind__in=EARNING)
    if course_id is not None:
        entries = entries.filter(course_id=course_id)
    return entries.annotate(paid=F("total") - F("tax"), share=-Subquery(own.values("amount"))).order_by(
        "-occurred_at", "-pk"
    )


def pending_payout(instructor_id: int, currency: str, *, until: datetime, last: Payout | None) -> Pending:
    """How the payout with the sales before ``until`` adds up. ``last``: the last payout that did not fail. One query.

    Its amount is that of `queries.payouts.payable`.
    """
    sales = LedgerEntry.objects.filter(kind=EntryKind.SALE, instructor_id=instructor_id).order_by()
    young = Q(entry__payment_key__in=sales.filter(occurred_at__gte=until).values("payment_key"))
    old = Q(entry__kind__in=[])
    if last is not None:
        paid_out = sales.filter(occurred_at__lt=last.sales_until).values("payment_key")
        began = last.started_at or last.created_at
        old = Q(entry__kind=EntryKind.SALE, entry__occurred_at__lt=last.sales_until) | (
            ~Q(entry__kind=EntryKind.SALE)
            & Q(entry__occurred_at__lt=began)
            & (Q(entry__payment_key__in=paid_out) | Q(entry__payment_key=""))
        )
    kinds = Case(
        When(young, then=Value("waiting")),
        When(~Q(entry__kind__in=EARNING) | old, then=Value("carried")),
        When(entry__kind=EntryKind.SALE, then=Value("sales")),
        When(entry__kind=EntryKind.PREMIUM_SHARE, then=Value("premium")),
        default=Value("refunds"),
        output_field=CharField(),
    )
    lines = LedgerLine.objects.filter(account__instructor_id=instructor_id, currency=currency)
    rows = (
        lines.order_by()
        .values_list(kinds)
        .annotate(paid=Sum(F("entry__total") - F("entry__tax")), earned=Sum("amount"), entries=Count("pk"))
    )
    found = {kind: Earned(paid, -share, count) for kind, paid, share, count in rows}
    carried = found.pop("carried", Earned()).share
    return Pending(**found, carried=carried)


def transaction_counts(parts: list[Part], currency: str) -> Counter[int | None]:
    """How many transactions each course has, and all together (under the key None)."""
    counts: Counter[int | None] = Counter()
    for part in parts:
        if part.currency == currency:
            counts[None] += part.earned.count
            if part.course is not None:
                counts[part.course] += part.earned.count
    return counts
