"""What an instructor earned: per month, per course, each transaction, and how the next payout adds up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.db.models import (
    BooleanField,
    Case,
    Count,
    F,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    When,
)
from django.db.models.functions import Cast, Substr
from django.db.models.lookups import In

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine, PremiumEarning
from apps.billing.queries.periods import ALL, Period, month_of, months_before
from apps.billing.queries.report_selection import day_start
from apps.courses.models import RevenueShare

# What changes what an instructor earned; payouts only move it.
ACTIVITIES = [str(EntryKind.SALE), str(EntryKind.PREMIUM_SHARE)]  # what instructors are paid for
EARNING = [str(kind) for kind in (
    EntryKind.SALE, EntryKind.REFUND, EntryKind.REFUND_FAILED, EntryKind.DISPUTE_LOST, EntryKind.DISPUTE_REVERSED,
    EntryKind.PREMIUM_SHARE,
)]  # fmt: skip
# Both databases write times in UTC, such as 2026-11-23 09:00. Django's TruncMonth takes 60 µs a row on SQLite.
_TEXT = Cast("entry__occurred_at", TextField())
MONTH, MINUTE = Substr(_TEXT, 1, 7), Substr(_TEXT, 1, 16)
# A month of another time zone begins or ends on one of these days of UTC. So only their rows are grouped by minute.
EDGES = ("01", "28", "29", "30", "31")
MONTH_OR_MINUTE = Case(When(In(Substr(_TEXT, 9, 2), EDGES), then=MINUTE), default=MONTH)


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
    """What was earned in a month with a course, by its sales or by Premium; ``course`` None: without a course."""

    currency: str
    month: date
    course: int | None
    title: str
    earned: Earned
    is_premium: bool = False


@dataclass(frozen=True)
class OfCourse:
    """What was earned with a course; ``premium`` is the part of it that Premium brought."""

    course: int | None
    title: str
    earned: Earned
    premium: Earned = Earned()


def earned_parts(instructor_id: int) -> list[Part]:
    """What was earned in each month of TIME_ZONE with each course. One query."""
    lines = LedgerLine.objects.filter(account__instructor_id=instructor_id, entry__kind__in=EARNING)
    is_premium = Case(When(entry__kind=EntryKind.PREMIUM_SHARE, then=True), default=False, output_field=BooleanField())
    key_of_time = MONTH if settings.TIME_ZONE == "UTC" else MONTH_OR_MINUTE
    rows = (
        lines.order_by()
        .values_list("currency", key_of_time, "entry__course_id", is_premium)
        .annotate(
            Max("entry__description"),
            paid=Sum(F("entry__total") - F("entry__tax")),
            earned=Sum("amount"),
            transactions=Count("pk"),
        )
    )
    found: dict[tuple[str, date, int | None, bool], Part] = {}
    for currency, text, course, premium, title, paid, share, count in rows:
        key = (currency, _month_in(text), course, bool(premium))
        known = found.get(key)
        earned = Earned(paid, -share, count) + (known.earned if known else Earned())
        name = max(title, known.title if known else "") if course is not None else ""
        found[key] = Part(currency, key[1], course, name, earned, is_premium=bool(premium))
    return list(found.values())


def _month_in(text: str) -> date:
    """The month of a moment as the database writes it, such as "2026-11-30 23:59"; of a whole month, its own."""
    if len(text) == len("2026-11"):
        return date.fromisoformat(f"{text}-01")
    return month_of(datetime.fromisoformat(text).replace(tzinfo=UTC))


def within(parts: list[Part], period: Period) -> list[Part]:
    """The parts of a period."""
    return [part for part in parts if period.has(part.month)]


def by_month(parts: list[Part], currency: str) -> dict[date, Earned]:
    """What was earned in each month, by its first day, oldest first. Months without any are missing."""
    months: dict[date, Earned] = {}
    for part in sorted(parts, key=lambda part: part.month):
        if part.currency == currency:
            months[part.month] = months.get(part.month, Earned()) + part.earned
    return months


def by_course(parts: list[Part], currency: str) -> list[OfCourse]:
    """What was earned with each course, with the title of its last sale; most first."""
    courses: dict[int | None, OfCourse] = {}
    for part in sorted(parts, key=lambda part: part.month):
        if part.currency == currency:
            known = courses.get(part.course, OfCourse(part.course, part.title, Earned()))
            premium = part.earned if part.is_premium else Earned()
            courses[part.course] = OfCourse(
                part.course, part.title, known.earned + part.earned, known.premium + premium
            )
    return sorted(courses.values(), key=lambda row: (-row.earned.share, row.title))


def premium_seconds(instructor_id: int, currency: str) -> dict[tuple[date, int], int]:
    """How long subscribers watched, by month and course, in the months that were shared. One query."""
    rows = PremiumEarning.objects.filter(instructor=instructor_id, shared__currency=currency)
    return {
        (month_of(last_moment_of(month)), course): seconds
        for month, course, seconds in rows.values_list("shared__month", "course", "seconds")
    }


def last_moment_of(month: date) -> datetime:
    """Return the last second of a month of UTC: when what Premium brought in it is earned."""
    return datetime.combine(months_before(month, -1), time(0), tzinfo=UTC) - timedelta(seconds=1)


def earned_by_month(instructor_id: int, currency: str) -> dict[date, Earned]:
    """What was earned in each month of TIME_ZONE, by its first day, oldest first. One query."""
    return by_month(earned_parts(instructor_id), currency)


def transactions(
    instructor_id: int, currency: str, course_id: int | None = None, period: Period = ALL
) -> QuerySet[LedgerEntry]:
    """Sales, what was given back of them, and shares of Premium, newest first.

    Each has ``paid`` and ``share`` as in `Earned`.
    """
    own = LedgerLine.objects.filter(entry=OuterRef("pk"), account__instructor_id=instructor_id, currency=currency)
    entries = LedgerEntry.objects.filter(instructor_id=instructor_id, currency=currency, kind__in=EARNING)
    if course_id is not None:
        entries = entries.filter(course_id=course_id)
    if period.start is not None:
        entries = entries.filter(occurred_at__gte=day_start(period.start))
    if period.end is not None:
        entries = entries.filter(occurred_at__lt=day_start(period.end))
    return entries.annotate(paid=F("total") - F("tax"), share=-Subquery(own.values("amount"))).order_by(
        "-occurred_at", "-pk"
    )


def present_shares(user_id: int) -> dict[int, int]:
    """Return the user's present shares in courses of others, in percent of the instructor's part. One query."""
    return dict(RevenueShare.objects.filter(user=user_id, until=None).values_list("course", "percent"))


def sums_by_course(parts: list[Part], currency: str) -> dict[int | None, Earned]:
    """The sums of each course, and of all together (under the key None)."""
    sums: dict[int | None, Earned] = {None: Earned()}
    for part in parts:
        if part.currency == currency:
            sums[None] += part.earned
            if part.course is not None:
                sums[part.course] = sums.get(part.course, Earned()) + part.earned
    return sums
