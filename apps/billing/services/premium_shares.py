"""Share each month of Premium among the courses that subscribers watched (docs/adr/0025).

A payment is earned evenly over the period that it pays for. The pool of a month is what has been earned until its end,
without tax and without what was refunded, less what was shared before: a refund after a month was shared lowers the
next pool, and nothing is taken back from instructors. The provider's fees are paid from the platform's part.

Each course gets the part of the pool that its watched seconds are of all, and its instructor the instructor share of
this part. Seconds count if the subscriber had paid for that day, and only Premium opened the course to them; at most
three hours a day of a learner in a course.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum

from apps.billing import extensions
from apps.billing.models import EntryKind, Grant, LedgerLine, Payment, PremiumEarning, PremiumMonth
from apps.billing.services.ledger.payouts import PremiumPart, post_premium_share
from apps.billing.services.ledger.posting import PREMIUM
from apps.billing.splits import split_by_weight
from apps.courses.models import Course
from studyplatform.kit import jobs

AFTER_MIDNIGHT = timedelta(minutes=1)
MOST_IN_A_DAY = 3 * 60 * 60  # seconds of a learner in a course: who plays it all night gains little
_Period = tuple[datetime, datetime]


def share_until(*, now: datetime) -> list[PremiumMonth]:
    """Share all months that have ended and were not shared, the oldest first. Returns those that this call shared.

    Two calls at once share each month once.
    """
    premium = Payment.objects.filter(kind=Payment.Kind.PREMIUM)
    shared: list[PremiumMonth] = []
    for currency in sorted(set(premium.values_list("currency", flat=True))):
        mine = premium.filter(currency=currency)
        first = mine.order_by("paid_at").values_list("paid_at", flat=True)[0]
        done = set(PremiumMonth.objects.filter(currency=currency).values_list("month", flat=True))
        for month in _months(first, now):
            if month not in done and (row := share_month(month, currency, now=now)):
                shared.append(row)
    return shared


@transaction.atomic
def share_month(month: date, currency: str, *, now: datetime) -> PremiumMonth | None:
    """Share a month in one currency, given by its first day. Returns None if it was shared before.

    :raises ValueError: the month has not ended.
    """
    start, end = _bounds(month)
    if end > now:
        raise ValueError(f"{month:%Y-%m} has not ended")
    known = {"share": settings.INSTRUCTOR_SHARE * 100, "shared_at": now}
    row, is_new = PremiumMonth.objects.get_or_create(month=month, currency=currency, defaults=known)
    if not is_new:
        return None
    net = _net_payments(currency)
    pool = max(0, sum(_earned(each, net, end) for each in _payments(currency)) - _shared_before(currency))
    seconds = _watched(start, end, currency, net)
    courses = Course.objects.in_bulk(list(seconds))
    parts = [
        PremiumPart(courses[pk].instructor_id, pk, courses[pk].title, part)
        for pk, part in split_by_weight(pool, seconds).items()
    ]
    last_moment = end - timedelta(seconds=1)
    earned = post_premium_share(f"{month:%Y-%m}", pool, parts, row.share, currency, occurred_at=last_moment)
    PremiumEarning.objects.bulk_create(
        PremiumEarning(
            shared=row,
            course_id=part.course_id,
            instructor_id=part.instructor_id,
            seconds=seconds[part.course_id],
            part=part.amount,
            earned=earned[part.course_id],
        )
        for part in parts
    )
    row.pool, row.seconds = pool, sum(seconds.values())
    row.save(update_fields=["pool", "seconds"])
    return row


def plan_next_share(*, now: datetime) -> None:
    """Enqueue the job that shares the present month once it has ended; it is enqueued once."""
    month = now.astimezone(UTC).date().replace(day=1)
    _, end = _bounds(month)
    jobs.enqueue(
        "billing.share_premium", key=month.isoformat(), delay=end + AFTER_MIDNIGHT - now, month=month.isoformat()
    )


def _payments(currency: str) -> Iterator[Payment]:
    found = Payment.objects.filter(kind=Payment.Kind.PREMIUM, currency=currency)
    return found.only("gateway_id", "user_id", "period_start", "period_end", "paid_at").iterator()


def _net_payments(currency: str) -> dict[str, int]:
    """What each payment brought, without tax and refunds, by its key in the ledger."""
    lines = LedgerLine.objects.filter(account__code=PREMIUM, currency=currency)
    paid = lines.exclude(entry__kind=EntryKind.PREMIUM_SHARE).order_by().values_list("entry__payment_key")
    return {key: -amount for key, amount in paid.annotate(Sum("amount"))}


def _shared_before(currency: str) -> int:
    lines = LedgerLine.objects.filter(account__code=PREMIUM, currency=currency)
    return lines.filter(entry__kind=EntryKind.PREMIUM_SHARE).aggregate(sum=Sum("amount"))["sum"] or 0


def _earned(payment: Payment, net: dict[str, int], until: datetime) -> int:
    """What of a payment has been earned, rounded down: in proportion to the time of its period that has passed."""
    start, end = _period(payment)
    whole = int((end - start).total_seconds())
    passed = int((until - start).total_seconds())
    amount = net.get(payment.gateway_id, 0)
    return amount if passed >= whole else amount * max(passed, 0) // whole


def _period(payment: Payment) -> _Period:
    start = payment.period_start or payment.paid_at
    return start, max(payment.period_end or start, start)


def _watched(start: datetime, end: datetime, currency: str, net: dict[str, int]) -> dict[int, int]:
    """The seconds of each course that count in a month."""
    paid: dict[int, list[_Period]] = defaultdict(list)
    for payment in _payments(currency):
        if net.get(payment.gateway_id, 0) > 0:
            paid[payment.user_id].append(_period(payment))
    opened: dict[tuple[int, int], list[_Period]] = defaultdict(list)
    owned: dict[tuple[int, int], list[_Period]] = defaultdict(list)
    grants = Grant.objects.filter(Q(ended_at=None) | Q(ended_at__gt=start), created_at__lt=end)
    courses = dict(
        Course.objects.filter(grants__in=grants.filter(source=Grant.Source.PREMIUM))
        .exclude(pricing=Course.Pricing.FREE)
        .values_list("pk", "instructor_id")
    )
    rows = grants.filter(course__in=courses).values_list("source", "user_id", "course_id", "created_at", "ended_at")
    for source, user, course, created, ended in rows:
        by = opened if source == Grant.Source.PREMIUM else owned
        by[user, course].append((created, ended or end))
    seconds: Counter[int] = Counter()
    for user, course, day, count in extensions.watched_seconds(start.date(), end.date(), courses.keys()):
        key = user, course
        is_opened = _touches(opened.get(key, []), day) and not _touches(owned.get(key, []), day)
        if is_opened and user != courses[course] and _touches(paid.get(user, []), day):
            seconds[course] += min(count, MOST_IN_A_DAY)
    return dict(seconds)


def _touches(periods: list[_Period], day: date) -> bool:
    begin = datetime.combine(day, time(0), tzinfo=UTC)
    return any(start < begin + timedelta(days=1) and end > begin for start, end in periods)


def _bounds(month: date) -> _Period:
    start = datetime.combine(month.replace(day=1), time(0), tzinfo=UTC)
    return start, (start + timedelta(days=32)).replace(day=1)


def _months(first: datetime, now: datetime) -> Iterator[date]:
    """The months from that of ``first`` to the last that has ended, by their first days."""
    month = first.astimezone(UTC).date().replace(day=1)
    while _bounds(month)[1] <= now:
        yield month
        month = _bounds(month)[1].date()
