"""What the platform sold and gave back, for admins. Amounts are minor units of one currency, without tax."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Case, F, Q, QuerySet, Sum, When
from django.db.models.functions import TruncMonth
from django.utils.timezone import get_default_timezone

from apps.accounts.models import User
from apps.billing.models import AccountType, Dispute, EntryKind, LedgerEntry, LedgerLine, Payment, Refund
from apps.courses.models import Course

MONTHS = 12
SOLD = [EntryKind.SALE, EntryKind.SUBSCRIPTION]
RETURNED = [EntryKind.REFUND, EntryKind.REFUND_FAILED, EntryKind.DISPUTE_LOST, EntryKind.DISPUTE_REVERSED]

REVENUE = [str(kind) for kind in (*SOLD, *RETURNED)]


@dataclass(frozen=True)
class Month:
    """What came in during a month (TIME_ZONE). ``refunded`` is negative; ``fees`` contain losses by disputes."""

    first: date
    courses: int = 0
    premium: int = 0
    refunded: int = 0
    fees: int = 0

    @property
    def last(self) -> date:
        """Its last day."""
        return _month(self.first, 1) - timedelta(days=1)

    @property
    def net(self) -> int:
        """After refunds, before fees and the shares of instructors."""
        return self.courses + self.premium


def months_until(now: datetime, currency: str) -> list[Month]:
    """Return the last twelve months, the present one last. A refund counts in its own month. Two queries."""
    first = _month(_site_time(now).date(), 1 - MONTHS)
    since = datetime(first.year, first.month, 1, tzinfo=get_default_timezone())
    net = F("total") - F("tax")
    by_month = (
        _entries(currency)
        .filter(occurred_at__gte=since)
        .order_by()
        .values(month=TruncMonth("occurred_at", tzinfo=get_default_timezone()))
    )
    sums = by_month.annotate(
        courses=Sum(net, filter=Q(course_id__isnull=False), default=0),
        premium=Sum(net, filter=Q(course_id__isnull=True), default=0),
        refunded=Sum(net, filter=Q(kind__in=_names(RETURNED)), default=0),
    )
    found = {row["month"].date(): row for row in sums}
    lines = LedgerLine.objects.filter(
        account__type=AccountType.EXPENSE, currency=currency, entry__occurred_at__gte=since
    )
    fees = dict(
        lines.order_by()
        .values_list(TruncMonth("entry__occurred_at", tzinfo=get_default_timezone()))
        .annotate(amount=Sum("amount"))
    )
    paid = {month.date(): amount for month, amount in fees.items()}
    firsts = [_month(first, number) for number in range(MONTHS)]
    months = []
    for each in firsts:
        row = found.get(each)
        courses, premium, refunded = (row["courses"], row["premium"], row["refunded"]) if row else (0, 0, 0)
        months.append(Month(each, courses, premium, refunded, paid.get(each, 0)))
    return months


def currencies() -> list[str]:
    """Return the currencies in which something was sold, and the site's, which comes first. One query."""
    sold = LedgerEntry.objects.filter(kind__in=_names(SOLD)).order_by().values_list("currency", flat=True).distinct()
    return [settings.CURRENCY, *sorted(set(sold) - {settings.CURRENCY})]


def month_so_far(now: datetime) -> int:
    """Return what came in since the first of the month (TIME_ZONE) in the site's currency, after refunds. One query."""
    first = _site_time(now).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (
        _entries(settings.CURRENCY).filter(occurred_at__gte=first).aggregate(net=Sum(F("total") - F("tax")))["net"] or 0
    )


def best_courses(now: datetime, currency: str, *, count: int = 5) -> list[tuple[int, Course | None, int]]:
    """Return the courses that brought in most during these months, after refunds: id, course, amount. Two queries."""
    first = _month(_site_time(now).date(), 1 - MONTHS)
    since = datetime(first.year, first.month, 1, tzinfo=get_default_timezone())
    sold = _entries(currency).filter(occurred_at__gte=since, course_id__isnull=False).order_by()
    sums = sold.values_list("course_id").annotate(net=Sum(F("total") - F("tax"))).filter(net__gt=0)
    best = list(sums.order_by("-net", "course_id")[:count])
    courses = Course.objects.in_bulk([pk for pk, _net in best])
    return [(pk, courses.get(pk), net) for pk, net in best]


def owed_to_instructors(currency: str) -> int:
    """Return what instructors have earned and was not paid out. One query."""
    lines = LedgerLine.objects.filter(account__instructor_id__isnull=False, currency=currency)
    return -(lines.aggregate(amount=Sum("amount"))["amount"] or 0)


def refund_queue() -> QuerySet[Refund]:
    """Return the refunds that wait for a decision, the oldest first."""
    waiting = Refund.objects.filter(status=Refund.Status.REQUESTED)
    return waiting.select_related("payment__user", "payment__course").order_by("requested_at", "pk")


def disputes() -> QuerySet[Dispute]:
    """Return all disputes, the open ones first."""
    open_first = Case(When(status=Dispute.Status.OPEN, then=0), default=1)
    return Dispute.objects.select_related("payment__user").order_by(open_first, "-opened_at", "-pk")


def waiting_counts() -> tuple[int, int]:
    """Return how many refunds wait for a decision, and how many disputes for the bank's. Two queries."""
    requests = Refund.objects.filter(status=Refund.Status.REQUESTED).count()
    return requests, Dispute.objects.filter(status=Dispute.Status.OPEN).count()


def payments_like(text: str) -> QuerySet[Payment]:
    """Return payments by receipt number, or by the email or username of who paid; the latest first."""
    found = Payment.objects.select_related("user", "course").order_by("-paid_at", "-pk")
    users = User.objects.filter(Q(email__iexact=text) | Q(username__iexact=text))
    return found.filter(Q(receipt_number__iexact=text) | Q(user__in=users))


def _entries(currency: str) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(currency=currency, kind__in=REVENUE)


def _names(kinds: list[EntryKind]) -> list[str]:
    return [str(kind) for kind in kinds]


def _month(day: date, distance: int) -> date:
    """Return the first day of the month that is so many months away."""
    months = day.year * 12 + day.month - 1 + distance
    return date(months // 12, months % 12 + 1, 1)


def _site_time(moment: datetime) -> datetime:
    return moment.astimezone(get_default_timezone())
