"""Gifts, seats, codes, Premium, several currencies and tiny amounts: each gets what was theirs at the sale.

All sums agree to the cent, also while money is given back step by step and other people have joined or left since.
"""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.db.models import Sum
from django.utils import timezone

from apps.billing import services
from apps.billing.errors import NothingToRefund
from apps.billing.models import Gift, LedgerEntry, LedgerLine, Order, Payment, PremiumEarning, SeatPack
from apps.billing.purchases import purchase_of_course
from apps.billing.queries.ledger_check import problems
from apps.billing.services import checkout, gifts, refunds, seat_orders, seat_returns
from apps.billing.services.payments import book_sale
from apps.billing.services.seat_orders import WantedSeats
from apps.billing.splits import share_of
from apps.courses.services import people
from tests.billing.test_gifts import terms
from tests.billing.test_premium_shares import NOW as SHARED_AT
from tests.billing.test_premium_shares import OCTOBER, opened, premium_course, subscriber, watched
from tests.billing.test_seat_shares import holder, pay
from tests.factories.co_instructors import CoInstructorFactory, RevenueShareFactory
from tests.factories.courses import THEN
from tests.factories.seats import open_seats
from tests.factories.selling import PaidCourseFactory, PaymentFactory, PromoCodeFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


def join(course, percent, since=THEN):
    member = CoInstructorFactory(course=course)
    RevenueShareFactory(course=course, user=member.user, percent=percent, since=since)
    return member.user


def replace_member(course, user, percent, now):
    """Somebody leaves, and another one gets a larger share: neither changes what was sold before."""
    people.remove_co_instructor(course=course, by=course.instructor, user_id=user.pk, now=now)
    return join(course, percent, since=now)


def earned(user, payment=None, currency="usd"):
    """What the ledger has for somebody, of one payment or of everything."""
    lines = LedgerLine.objects.filter(account__code=f"instructor:{user.pk}", currency=currency)
    lines = lines.filter(entry__payment_key=payment.gateway_id) if payment else lines
    return -(lines.aggregate(sum=Sum("amount"))["sum"] or 0)


def faults_of_books(*, ignored=()):
    """What is wrong with the ledger; payments that were made without an order have no documents."""
    return [str(one) for one in problems() if one.kind not in ignored]


@pytest.fixture
def course(ada):
    return PaidCourseFactory(instructor=ada, title="Rivers", slug="rivers", price=1_001)


def buy(card_form, user, purchase, *, total, code="", gift=None):
    begun = checkout.begin_order(
        user=user, purchase=purchase, code=code, country="", email="", card="", saves_card=False, agrees=True,
        expected_total=total, expected_currency="usd", gift=gift, now=timezone.now(),
    )  # fmt: skip
    if begun.client_secret:
        card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())
    return Payment.objects.get(order=begun.order)


def give_back(sam, payment, amount):
    refunds.refund_by_admin(admin=sam, payment=payment, amount=amount, reason="", now=timezone.now())
    payment.refresh_from_db()


@pytest.mark.database
def test_a_gift_belongs_to_those_of_the_day_on_which_it_was_bought(standin, card_form, ada, sam, mia, leo, course):
    bo, cy = join(course, 33), join(course, 33)
    payment = buy(card_form, mia, purchase_of_course(course, is_gift=True), total=1_001, gift=terms())
    theirs = {user: earned(user) for user in (ada, bo, cy)}
    assert theirs == {ada: 238, bo: 231, cy: 231}  # 341, 330 and 330 cents of 1,001
    dee = replace_member(course, bo, 67, timezone.now())
    gift = Gift.objects.get(order=payment.order)
    gifts.redeem_gift(user=leo, code=gifts.code_of(gift), now=timezone.now())
    book_sale(payment)  # a repeated event
    assert {user: earned(user) for user in theirs} == theirs
    give_back(sam, payment, 500)
    assert all(0 < earned(user) < theirs[user] for user in theirs)
    give_back(sam, payment, 501)
    assert [earned(user) for user in (ada, bo, cy, dee)] == [0, 0, 0, 0]
    assert faults_of_books() == []


@pytest.mark.database
def test_seats_of_a_course_are_given_back_by_those_who_got_their_price(standin, card_form, ada, mia, course):
    bo, cy = join(course, 33), join(course, 33)
    now, wanted = timezone.now(), WantedSeats(count=3, course=course)
    price = seat_orders.quote_seats(wanted=wanted, country="", vat_id="", now=now).price
    order = seat_orders.order_seats(
        user=mia, wanted=wanted, method=Order.Method.CARD, buyer={}, country="", email="", agrees=True,
        expected_total=price.total, expected_currency="usd", request_key=uuid4(), now=now,
    )  # fmt: skip
    card_form.confirm(checkout.pay_seats(user=mia, order=order, card="", now=now).client_secret)
    checkout.sync_order(order=order, now=now)
    pack, payment = SeatPack.objects.get(order=order), Payment.objects.get(order=order)
    theirs = {user: earned(user) for user in (ada, bo, cy)}
    assert price.total * 7 // 10 - 2 <= sum(theirs.values()) <= price.total * 7 // 10
    dee = replace_member(course, bo, 67, timezone.now())
    for left in (2, 1, 0):
        payment.refresh_from_db()
        pack.refresh_from_db()
        amount = seat_returns.worth_of(payment, pack, 1)
        seat_returns.give_back_seats(user=mia, pack=pack, count=1, expected_amount=amount, now=timezone.now())
        for user, all_of_it in theirs.items():
            assert abs(earned(user) - all_of_it * left // 3) <= 2
    assert [earned(user) for user in (ada, bo, cy, dee)] == [0, 0, 0, 0]
    assert faults_of_books() == []


@pytest.mark.database
def test_a_code_lowers_everybodys_part_and_a_free_order_brings_nobody_anything(
    standin, card_form, ada, sam, mia, leo, course
):
    bo, cy = join(course, 33), join(course, 33)
    PromoCodeFactory(code="THIRD", percent=33)
    PromoCodeFactory(code="FREE", percent=100)
    payment = buy(card_form, mia, purchase_of_course(course), total=671, code="THIRD")
    assert [earned(user) for user in (ada, bo, cy)] == [159, 155, 154]  # of 228, 222 and 221 cents
    free = buy(card_form, leo, purchase_of_course(course), total=0, code="FREE")
    assert (free.amount, LedgerEntry.objects.filter(payment_key=free.gateway_id).count()) == (0, 0)
    with pytest.raises(NothingToRefund):
        give_back(sam, free, 1)
    replace_member(course, cy, 50, timezone.now())
    give_back(sam, payment, 671)
    assert [earned(user) for user in (ada, bo, cy)] == [0, 0, 0]
    assert faults_of_books() == []


TINY = [("usd", (33, 33)), ("jpy", (1, 33, 33, 33)), ("kwd", (10,) * 10)]


def test_tiny_amounts_in_several_currencies_add_up_and_go_back_cent_by_cent(ada):
    for currency, percents in TINY:
        course = PaidCourseFactory(instructor=ada, price=7, currency=currency)
        users = [ada, *(join(course, percent) for percent in percents)]
        parts = dict(zip(users, (100 - sum(percents), *percents), strict=True))
        for total, tax in ((1, 0), (7, 1)):
            payment = PaymentFactory(
                course=course, amount=total, list_price=total, tax=tax, currency=currency, fee=None
            )
            book_sale(payment)
            entries = LedgerEntry.objects.filter(payment_key=payment.gateway_id)
            assert (sum(one.total for one in entries), sum(one.tax for one in entries)) == (total, tax)
            got = {user: earned(user, payment, currency) for user in users}
            assert sum(got.values()) <= share_of(total - tax, 7_000)
            assert all(got[user] <= -(-total * parts[user] // 100) for user in users)
            for cent in range(total):
                services.post_refund(f"re {payment.pk} {cent}", payment.gateway_id, 1, occurred_at=NOW)
                left = {user: earned(user, payment, currency) for user in users}
                assert all(0 <= left[user] <= got[user] for user in users)
            assert not any(left.values())
            books = LedgerLine.objects.filter(entry__payment_key=payment.gateway_id)
            assert set(books.values_list("currency", flat=True)) == {currency}
            assert books.aggregate(sum=Sum("amount"))["sum"] == 0
    assert faults_of_books(ignored={"document"}) == []


def test_a_cent_of_premium_goes_to_one_person_and_none_gets_lost(ada):
    course, other = premium_course(ada), premium_course(ada)
    bo, cy = join(course, 33), join(course, 33)
    gone = CoInstructorFactory(course=course, removed_at=datetime(2026, 9, 20, tzinfo=UTC)).user
    RevenueShareFactory(course=course, user=gone, percent=34, until=datetime(2026, 9, 20, tzinfo=UTC))
    RevenueShareFactory(course=course, user=gone, percent=34, since=datetime(2026, 11, 1, tzinfo=UTC))
    for amount in (1, 2, 5, 100):
        user = subscriber(course, 7, amount=amount)
        opened(user, other)
        watched(user, other, 5, date(2026, 10, 6))
    month = services.share_month(OCTOBER, "usd", now=SHARED_AT)
    rows = list(PremiumEarning.objects.all())
    assert (month.pool, sum(row.part for row in rows)) == (108, 108)
    assert {row.instructor_id for row in rows} == {ada.pk, bo.pk, cy.pk}
    assert sum(row.earned for row in rows) == sum(earned(user) for user in (ada, bo, cy)) <= 108 * 7 // 10
    own = {row.instructor_id: row.part for row in rows if row.course_id == course.pk}
    assert abs(own[bo.pk] - own[cy.pk]) <= 1
    assert faults_of_books(ignored={"document"}) == []


def test_seats_of_premium_are_shared_by_those_who_had_the_course_when_it_was_watched(ada):
    course = premium_course(ada)
    bo, cy = join(course, 33), join(course, 33)
    pack = open_seats(count=10, now=datetime(2026, 10, 1, tzinfo=UTC))
    pay(pack, pack.starts_at)
    holder(pack, 1, [(course, 30, date(2026, 10, 3)), (course, 30, date(2026, 10, 20))])
    people.remove_co_instructor(course=course, by=ada, user_id=bo.pk, now=datetime(2026, 10, 10, tzinfo=UTC))
    services.share_month(OCTOBER, "usd", now=SHARED_AT + timedelta(days=1))
    parts = dict(PremiumEarning.objects.values_list("instructor", "part"))
    # 310 cents of the first seat: until the 10th a third of half is Bo's, Cy's share holds all month.
    assert sum(parts.values()) == 310
    assert (abs(parts[bo.pk] - 51), abs(parts[cy.pk] - 102)) <= (1, 1)
    assert earned(bo) == share_of(parts[bo.pk], 7_000)
    assert faults_of_books(ignored={"document"}) == []
