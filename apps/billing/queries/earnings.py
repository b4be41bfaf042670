"""What an instructor earned: per month, per course, and each transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date

from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import TruncMonth

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine

# What changes what an instructor earned; payouts only move it.
EARNING = [
    EntryKind.SALE,
    EntryKind.REFUND,
    EntryKind.REFUND_FAILED,
    EntryKind.DISPUTE_LOST,
    EntryKind.PREMIUM_SHARE,
]


@dataclass(frozen=True)
class Earned:
    """``paid``: by learners, without tax and net of refunds; ``share``: the instructor's part of it. Minor units."""

    paid: int = 0
    share: int = 0

    def __add__(self, other: Earned) -> Earned:
        return Earned(self.paid + other.paid, self.share + other.share)


def earned_by_month(instructor_id: int, currency: str) -> dict[date, Earned]:
    """What was earned in each month (UTC), by its first day. Months without any are missing. One query."""
    months = (
        _lines(instructor_id, currency)
        .order_by()
        .values_list(TruncMonth("entry__occurred_at", tzinfo=UTC))
        .annotate(paid=Sum(F("entry__total") - F("entry__tax")), earned=Sum("amount"))
    )
    return {month.date(): Earned(paid, -amount) for month, paid, amount in months}


def _lines(instructor_id: int, currency: str) -> QuerySet[LedgerLine]:
    return LedgerLine.objects.filter(
        account__instructor_id=instructor_id, currency=currency, entry__kind__in=[str(kind) for kind in EARNING]
    )


def earned_by_course(instructor_id: int, currency: str) -> dict[int | None, Earned]:
    """What was earned with each course, by its id; None is the share of Premium. One query."""
    courses = (
        _lines(instructor_id, currency)
        .order_by()
        .values_list("entry__course_id")
        .annotate(paid=Sum(F("entry__total") - F("entry__tax")), earned=Sum("amount"))
    )
    return {course: Earned(paid, -amount) for course, paid, amount in courses}


def transactions(instructor_id: int, currency: str) -> QuerySet[LedgerEntry]:
    """Sales, what was given back of them, and shares of Premium, newest first.

    Each has ``paid`` and ``share`` as in `Earned`.
    """
    own = LedgerLine.objects.filter(entry=OuterRef("pk"), account__instructor_id=instructor_id, currency=currency)
    return (
        LedgerEntry.objects.filter(
            instructor_id=instructor_id, currency=currency, kind__in=[str(kind) for kind in EARNING]
        )
        .annotate(paid=F("total") - F("tax"), share=-Subquery(own.values("amount")))
        .order_by("-occurred_at", "-pk")
    )
