"""Share each month of Premium among the courses that subscribers watched (docs/adr/0025).

A payment is earned evenly over the period that it pays for. The pool of a month is what has been earned until its end,
without tax and without what was refunded, less what was shared before. The provider's fees are paid from the
platform's part.

What a subscriber contributes to a month is what their payments have earned until its end, less what they contributed
before. It is divided among the courses that this subscriber watched, by their seconds, so nobody moves more money than
they paid. Each instructor gets the instructor share of their courses' parts. What subscribers contribute who watched
nothing is the platform's. A refund after a month was shared takes nothing back from instructors, and nothing from what
other subscribers contribute: it lowers the subscriber's own next contributions, and the rest is the platform's loss.

Seconds count if the subscriber had paid for that day, and only Premium opened the course to them; at most three hours a
day of a learner, over all courses. Days that were paid for after their month was shared count in the next one.

Of a payment for seats of a team, each seat that was not given back has an equal part, which its holders contribute for
the time in which they had it; what nobody held is the platform's (docs/adr/0055).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from apps.billing.models import (
    EntryKind,
    LedgerLine,
    Payment,
    PremiumContribution,
    PremiumEarning,
    PremiumMonth,
)
from apps.billing.premium_division import divide_by_seconds
from apps.billing.queries.earnings import last_moment_of
from apps.billing.services import revenue_shares, seat_shares
from apps.billing.services.ledger.payouts import PremiumPart, post_premium_share
from apps.billing.services.ledger.posting import PREMIUM
from apps.billing.services.premium_watching import watched_by_day, watched_in
from apps.billing.splits import share_of
from apps.courses.models import Course
from studyplatform.kit import jobs

DELAY_AFTER_MONTH = timedelta(minutes=1)
ROWS_PER_INSERT = 1000
_Period = tuple[datetime, datetime]
_FIELDS = ("gateway_id", "user_id", "order_id", "period_start", "period_end", "paid_at", "confirmed_at")


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
    found = _contributions(currency, start, end)
    pool = found.earned - _shared_before(currency)
    PremiumContribution.objects.bulk_create(
        (PremiumContribution(shared=row, user_id=user, amount=each) for user, each in (found.own + found.late).items()),
        batch_size=ROWS_PER_INSERT,
    )
    earlier = _only(watched_in(found.late_since, start, currency), found.late) if found.late else {}
    # Who watched nothing in those days contributes it to what they watched in this month.
    own = found.own + Counter({user: each for user, each in found.late.items() if user not in earlier})
    watched = Counter[int]()
    divided: dict[int, Counter[int]] = defaultdict(Counter)
    for amounts, seconds, begin, finish in (
        (own, _only(watched_in(start, end, currency), own), start, end),
        (found.late, earlier, found.late_since, start),
    ):
        for mine in seconds.values():
            watched.update(mine)
        by_course = divide_by_seconds(amounts, seconds)
        per_day = partial(watched_by_day, begin, finish, currency)
        for pk, shared in revenue_shares.divide_premium(by_course, begin, finish, per_day).items():
            divided[pk].update(shared)
    courses = Course.objects.in_bulk(list(watched))
    parts = [
        PremiumPart(user, pk, courses[pk].title, amount)
        for pk in sorted(watched)
        for user, amount in _owner_first(divided[pk], courses[pk].instructor_id)
    ]
    post_premium_share(f"{month:%Y-%m}", pool, parts, row.share, currency, occurred_at=last_moment_of(month))
    PremiumEarning.objects.bulk_create(
        PremiumEarning(
            shared=row,
            course_id=part.course_id,
            instructor_id=part.instructor_id,
            seconds=watched[part.course_id],
            part=part.amount,
            earned=share_of(part.amount, row.share),
        )
        for part in parts
    )
    row.pool, row.seconds = pool, watched.total()
    row.save(update_fields=["pool", "seconds"])
    return row


def _owner_first(parts: Counter[int], owner: int) -> list[tuple[int, int]]:
    """Return who gets which part of a course that was watched; its instructor also if it is nothing."""
    found = [(user, amount) for user, amount in sorted(parts.items()) if amount and user != owner]
    return [(owner, parts[owner]), *found]


def plan_next_share(*, now: datetime) -> None:
    """Enqueue the job that shares the present month once it has ended; it is enqueued once."""
    month = now.astimezone(UTC).date().replace(day=1)
    _, end = _bounds(month)
    jobs.enqueue(
        "billing.share_premium", key=month.isoformat(), delay=end + DELAY_AFTER_MONTH - now, month=month.isoformat()
    )


@dataclass(frozen=True)
class Contributions:
    """What subscribers contribute to a month, by user. ``earned``: what all payments have earned until its end.

    ``late``: earned in earlier months, but paid or found after they had been shared. ``late_since``: from which day on
    seconds of earlier months divide it.
    """

    earned: int
    own: Counter[int]
    late: Counter[int]
    late_since: datetime


def _contributions(currency: str, start: datetime, end: datetime) -> Contributions:
    net, earned = _net_payments(currency), 0
    until_end, within, late_starts = Counter[int](), Counter[int](), []
    found = Payment.objects.filter(kind=Payment.Kind.PREMIUM, currency=currency)
    for payment in found.only(*_FIELDS).iterator():
        before, after = _earned(payment, net, start), _earned(payment, net, end)
        earned += after
        if payment.order_id is None:
            until_end[payment.user_id] += after
            within[payment.user_id] += after - before
        else:
            kept = net.get(payment.gateway_id, 0), _period(payment)
            by_start, by_end = (seat_shares.earned_by_holders(payment, *kept, until) for until in (start, end))
            until_end += by_end
            within += by_end - by_start
        if before and (payment.confirmed_at or payment.paid_at) >= start:
            late_starts.append(_period(payment)[0])
    mine = until_end - _contributed_before(currency)  # of counters: only what is positive
    own = mine & within
    since = min(late_starts, default=_bounds((start - timedelta(days=1)).date())[0])
    return Contributions(earned, own, mine - own, since.replace(hour=0, minute=0, second=0, microsecond=0))


def _contributed_before(currency: str) -> Counter[int]:
    rows = PremiumContribution.objects.filter(shared__currency=currency).order_by().values_list("user")
    return Counter(dict(rows.annotate(Sum("amount"))))


def _only(seconds: dict[int, dict[int, int]], users: Counter[int]) -> dict[int, dict[int, int]]:
    return {user: mine for user, mine in seconds.items() if users[user]}


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


def _bounds(month: date) -> _Period:
    start = datetime.combine(month.replace(day=1), time(0), tzinfo=UTC)
    return start, (start + timedelta(days=32)).replace(day=1)


def _months(first: datetime, now: datetime) -> Iterator[date]:
    """The months from that of ``first`` to the last that has ended, by their first days."""
    month = first.astimezone(UTC).date().replace(day=1)
    while _bounds(month)[1] <= now:
        yield month
        month = _bounds(month)[1].date()
