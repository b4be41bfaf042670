"""Two at once: orders, renewals, people and refunds of seats."""

from functools import partial
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from apps.billing.errors import CardPaymentBegun, NothingToRefund, OrderSettled, SeatNotFree, SeatsRefused
from apps.billing.models import LedgerLine, Order, Payment, Refund, Seat, SeatPack, SeatUse, Team
from apps.billing.queries.ledger_check import problems
from apps.billing.services import checkout, seat_care, seat_returns, seats, transfer_cards
from apps.billing.services.transfer_orders import confirm_transfer
from studyplatform.kit.errors import AppError
from tests.billing.test_seat_orders import order, paid_by_card
from tests.factories.accounts import UserFactory
from tests.factories.seats import open_seats
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def bank(settings):
    """Invoices are offered where they can be paid."""
    settings.BANK_IBAN = "DE89370400440532013000"


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def maeve():
    return UserFactory()


def test_a_form_sent_twice_at_once_orders_once_and_so_do_two_tabs(standin, maeve, now):
    key = uuid4()
    made = run_simultaneously(*[partial(order, maeve, 3, now=now, key=key)] * 2)
    assert [one.pk for one in made] == [Order.objects.get().pk] * 2
    tabs = run_simultaneously(*[partial(order, UserFactory(), 2, now=now)] * 2)
    assert sorted(isinstance(one, SeatsRefused) for one in tabs) == [False, True]
    assert Team.objects.count() == SeatPack.objects.count() == 2


def test_two_people_take_the_last_seat_and_one_has_it(maeve, now):
    seat = open_seats(count=1, owner=maeve, now=now).rows.get()
    works = [partial(seats.give_seat, seat=seat, user=UserFactory(), by=None, now=now) for _ in range(2)]
    outcomes = run_simultaneously(*works)
    assert sorted(isinstance(one, SeatNotFree) for one in outcomes) == [False, True]
    assert Seat.objects.filter(holder__isnull=False).count() == SeatUse.objects.count() == 1


def test_seats_are_given_back_once_and_not_while_someone_takes_one(standin, card_form, maeve, now):
    payment, pack = paid_by_card(card_form, maeve, 2, now=now)
    give_back = partial(seat_returns.give_back_seats, user=maeve, pack=pack, count=2, expected_amount=28000, now=now)
    outcomes = run_simultaneously(give_back, give_back)
    assert sum(isinstance(one, Refund) for one in outcomes) == 1
    payment.refresh_from_db()
    assert payment.refunded == 28000

    other, pack = paid_by_card(card_form, UserFactory(), 1, now=now)
    take = partial(seats.give_seat, seat=pack.rows.get(), user=UserFactory(), by=None, now=now)
    give_back = partial(
        seat_returns.give_back_seats, user=other.user, pack=pack, count=1, expected_amount=14000, now=now
    )
    taken, returned = run_simultaneously(take, give_back)
    assert isinstance(taken, AppError) is isinstance(returned, Refund)
    assert isinstance(returned, Refund | NothingToRefund)
    assert [*problems()] == []


def test_a_year_is_renewed_once(standin, maeve, now):
    first = order(maeve, 2, now=now).seat_pack
    orders = [order(maeve, 2, now=now, renews=first, method=Order.Method.CARD) for _ in range(2)]
    run_simultaneously(*[partial(_open, one, now) for one in orders])
    assert SeatPack.objects.filter(renews=first, state="open").count() == 1


def _open(one, now):
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=one.pk)
        return seats.open_pack(one, now=now)


def test_a_card_pays_while_an_admin_confirms_the_transfer_and_money_is_booked_once(standin, card_form, maeve, now):
    placed, admin = order(maeve, 2, now=now), UserFactory(role="admin")
    begun = transfer_cards.pay_by_card(user=maeve, order=placed, card="", now=now)

    def pay():
        card_form.confirm(begun.client_secret)
        return checkout.sync_order(order=placed, now=now)

    confirm = partial(confirm_transfer, order=placed, received_on=timezone.localdate(now), actor=admin, now=now)
    _paid, confirmed = run_simultaneously(pay, confirm)
    payment = Payment.objects.get(order=placed)
    assert (payment.method == "transfer") is isinstance(confirmed, Payment)
    assert isinstance(confirmed, Payment | OrderSettled | CardPaymentBegun)
    key = {"Authorization": f"Bearer {standin.secret_key}"}
    charges = standin.call("GET", "/v1/charges", {}, key).body["data"]
    booked = LedgerLine.objects.filter(account__code="provider", amount__gt=0)
    assert sum(each["amount"] for each in charges) == sum(booked.values_list("amount", flat=True))
    assert SeatPack.objects.get(order=placed).state == "open"
    assert [*problems()] == []


def test_an_invoice_is_paid_while_its_seats_pause_and_they_are_open_afterward(standin, maeve, now):
    placed, admin = order(maeve, 2, now=now), UserFactory(role="admin")
    pause = partial(seat_care.pause_overdue, pack=placed.seat_pack, now=now)
    confirm = partial(confirm_transfer, order=placed, received_on=timezone.localdate(now), actor=admin, now=now)
    run_simultaneously(pause, confirm)
    assert SeatPack.objects.get(order=placed).state == "open"
