"""Premium seats in the pool: what each seat's holder watched divides what the seat has paid."""

from datetime import UTC, date, datetime, timedelta

import pytest

from apps.billing.models import Payment, PremiumEarning, SeatUse
from apps.billing.queries.ledger import balances
from apps.billing.services import ledger, premium_shares
from apps.billing.services.payments import book_sale
from apps.learning.models import WatchedDay
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.seats import open_seats
from tests.factories.selling import GrantFactory, PaymentFactory

pytestmark = pytest.mark.django_db
STARTS = datetime(2026, 10, 1, tzinfo=UTC)
OCTOBER, NOVEMBER = date(2026, 10, 1), date(2026, 11, 1)
AMOUNT = 36500  # a cent is a day of each seat's share: 10 seats, 365 days, $1 a day for all


@pytest.fixture
def courses(ada, eve):
    return [CourseFactory(instructor=one, status="published", pricing="premium") for one in (ada, eve)]


@pytest.fixture
def pack(db):
    return open_seats(count=10, now=STARTS)


def pay(pack, at, *, amount=AMOUNT):
    payment = PaymentFactory(
        kind=Payment.Kind.PREMIUM, user=pack.team.owner, course=None, instructor=None, share=0, title="10 seats",
        amount=amount, list_price=amount, period_start=pack.starts_at, period_end=pack.ends_at, paid_at=at,
        order=pack.order,
    )  # fmt: skip
    book_sale(payment)
    return payment


def holder(pack, position, watched, *, since=STARTS, until=None):
    """A user with a seat, and what they watched: (course, minutes, day)."""
    user, seat = UserFactory(), pack.rows.get(position=position)
    SeatUse.objects.create(seat=seat, user=user, started_at=since, ended_at=until)
    for course, minutes, day in watched:
        if not user.grants.filter(course=course).exists():
            GrantFactory(user=user, course=course, source="premium", created_at=since, ended_at=until)
        WatchedDay.objects.create(user=user, course=course, day=day, seconds=minutes * 60)
    return user


def share(month, days=40):
    moment = datetime(month.year, month.month, 1, tzinfo=UTC) + timedelta(days=days)
    return premium_shares.share_month(month, "usd", now=moment)


def parts(month):
    return dict(PremiumEarning.objects.filter(shared__month=month).values_list("course_id", "part"))


def test_each_seat_moves_its_own_part_and_what_nobody_watched_is_the_platforms(pack, courses):
    rivers, bees = courses
    pay(pack, STARTS)
    holder(pack, 1, [(rivers, 90, date(2026, 10, 3)), (bees, 30, date(2026, 10, 4))])
    holder(pack, 2, [(bees, 1, date(2026, 10, 5))])
    holder(pack, 3, [])
    month = share(OCTOBER)
    assert month.pool == 31 * 100  # 31 of 365 days
    # Each seat has earned 31 × 10 cents; the first is divided by 3 : 1.
    assert sum(parts(OCTOBER).values()) == 620
    assert abs(parts(OCTOBER)[rivers.pk] - 232) <= 1
    assert -balances(["premium"])["premium"]["usd"] == AMOUNT - month.pool


def test_a_seat_that_changes_hands_is_earned_by_the_days_of_each(pack, courses):
    rivers, bees = courses
    pay(pack, STARTS)
    changed = STARTS + timedelta(days=10)
    holder(pack, 1, [(rivers, 10, date(2026, 10, 5))], until=changed)
    holder(pack, 1, [(bees, 500, date(2026, 10, 20))], since=changed)
    # What they watch without the seat moves nothing.
    late = UserFactory()
    GrantFactory(user=late, course=rivers, source="premium", created_at=STARTS)
    WatchedDay.objects.create(user=late, course=rivers, day=date(2026, 10, 5), seconds=3600)
    share(OCTOBER)
    assert parts(OCTOBER) == {rivers.pk: 100, bees.pk: 210}


@pytest.mark.long
def test_an_unpaid_invoice_moves_nothing_until_its_month_of_payment_divides_all_months_since(pack, courses):
    rivers, bees = courses
    holder(pack, 1, [(rivers, 10, date(2026, 10, 5)), (bees, 10, date(2026, 11, 5))])
    other = open_seats(count=1, now=STARTS)
    pay(other, STARTS)
    holder(other, 1, [(bees, 5, date(2026, 10, 6))])
    assert (share(OCTOBER).pool, parts(OCTOBER)) == (3100, {bees.pk: 3100})

    pay(pack, datetime(2026, 11, 20, tzinfo=UTC))
    month = share(NOVEMBER)
    assert month.pool == 61 * 100 + 30 * 100
    assert parts(NOVEMBER) == {rivers.pk: 310, bees.pk: 300}  # October by October's minutes, November by November's
    assert share(date(2026, 12, 1)).pool == 31 * 200


@pytest.mark.long
def test_seats_given_back_leave_their_part_to_nobody(pack, courses):
    rivers, _bees = courses
    payment = pay(pack, STARTS)
    holder(pack, 1, [(rivers, 10, date(2026, 10, 5))])
    pack.rows.filter(position__gt=5).update(closed_at=STARTS)
    ledger.post_refund("re_half", payment.gateway_id, AMOUNT // 2, occurred_at=STARTS)
    assert share(OCTOBER).pool == 1550
    assert parts(OCTOBER) == {rivers.pk: 310}
