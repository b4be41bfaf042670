"""What becomes of seats when people leave, money goes back, years follow each other, and pages are old."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import Notification
from apps.accounts.services import delete_account
from apps.billing.access import access_to, has_premium
from apps.billing.errors import (
    NothingToRefund,
    SeatInvoiceUnpaid,
    SeatListRefused,
    SeatsRefused,
    TeamInUse,
    TransferNotOffered,
)
from apps.billing.models import Order, Seat, SeatPack, Team
from apps.billing.queries import seat_packs, seat_use, team_seats
from apps.billing.services import bank_returns, checkout, refunds, seat_care, seat_returns, seats, team_care
from apps.billing.services.grants import close_premium
from apps.billing.services.seat_assignment import assign_seats
from apps.billing.services.transfer_orders import cancel_transfer_order, confirm_transfer
from apps.learning.models import LessonProgress
from apps.learning.services import enroll
from tests.billing.test_seat_orders import order, paid_by_card
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.seats import open_seats
from tests.factories.selling import PaidCourseFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
RETURNED = SeatPack.End.RETURNED


@pytest.fixture(autouse=True)
def bank(settings):
    settings.BANK_IBAN = "DE89370400440532013000"


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def maeve(db):
    return UserFactory(email="maeve@halden.example")


def held_by(user):
    return Seat.objects.filter(holder=user, pack__state="open")


# --- What a team sees ---------------------------------------------------------------------------------


def test_a_team_reads_nothing_of_what_was_opened_before_its_seat(maeve, now):
    lena = UserFactory(email="lena@halden.example")
    private, rivers = (CourseFactory(title=title, status="published", pricing="premium") for title in ("Own", "Rivers"))
    subscription = SubscriptionFactory(user=lena, started_at=now - 400 * DAY)
    enrollment = enroll(user=lena, course=private, now=now - 390 * DAY)
    type(subscription).objects.update(status="ended", ended_at=now - 300 * DAY)
    close_premium(user=lena, now=now - 300 * DAY)
    pack = open_seats(owner=maeve, now=now - 10 * DAY)
    assign_seats(user=maeve, team=pack.team, course_id=None, addresses=[lena.email], now=now - 10 * DAY)
    assert access_to(lena, private)  # the seat opens it again
    enroll(user=lena, course=rivers, now=now - 9 * DAY)
    seat = Seat.objects.select_related("pack").get(holder=lena)

    def seen():
        return [one.course for one in seat_use.use_of(pack.team, [seat], now=now)[seat.pk].courses]

    assert seen() == [rivers]
    lesson = LessonFactory(section__course=private)
    LessonProgress.objects.create(enrollment=enrollment, lesson=lesson, started_at=now - DAY, updated_at=now - DAY)
    assert seen() == [private, rivers]


# --- Years that follow each other -----------------------------------------------------------------------


def test_a_late_renewal_gives_nobody_a_second_seat_and_tells_the_others(maeve, now):
    leo, mia = UserFactory(), UserFactory()
    former = open_seats(owner=maeve, now=now - 400 * DAY)
    for seat, user in zip(former.rows.all(), [leo, mia], strict=False):
        seats.give_seat(seat=seat, user=user, by=maeve, now=now - 399 * DAY)
    seat_care.end_year(pack=former, now=now - 30 * DAY)
    other = open_seats(team=former.team, now=now - 20 * DAY)
    seats.give_seat(seat=other.rows.first(), user=leo, by=maeve, now=now - 19 * DAY)
    renewal = open_seats(team=former.team, now=now, renews=former)
    assert [seat.pack for seat in held_by(leo)] == [other]
    assert [seat.pack for seat in held_by(mia)] == [renewal]
    assert Notification.objects.filter(kind="billing.seats_reopened", user=mia).count() == 1


@pytest.mark.long
def test_added_seats_go_on_when_the_first_ones_were_given_up(browser_of, maeve, now):
    leo, mia = UserFactory(), UserFactory()
    base = open_seats(owner=maeve, now=now - 340 * DAY)
    for seat, user in zip(base.rows.all(), [leo, mia], strict=False):
        seats.give_seat(seat=seat, user=user, by=maeve, now=now - 339 * DAY)
    added = open_seats(team=base.team, now=now - 330 * DAY, extends=base)
    seats.end_pack(pack=base, reason=RETURNED, now=now - 50 * DAY)
    seats.give_seat(seat=added.rows.first(), user=leo, by=maeve, now=now - 40 * DAY)
    actions = seat_packs.actions_of(team_seats.packs_of(base.team), now=now)
    assert (actions[base.pk].renew, actions[added.pk].renew) == (False, True)
    for _again in range(2):
        seat_care.follow_seats(now=now)
    [said] = Notification.objects.filter(kind="billing.team_ends", user=maeve)
    assert said.params["seats"] == 3
    assert browser_of(maeve).get(said.link).status_code == 200

    renewal = open_seats(team=base.team, now=now, renews=base)
    assert (renewal.starts_at, held_by(leo).get().pack) == (added.ends_at, added)
    seat_care.follow_seats(now=added.ends_at)
    assert held_by(leo).get().pack == renewal
    assert not held_by(mia).exists()  # whose seat was paid back


@pytest.mark.long
def test_seats_that_were_given_up_are_not_renewed(browser_of, maeve, now):
    pack = open_seats(owner=maeve, now=now - 300 * DAY)
    seats.end_pack(pack=pack, reason=RETURNED, now=now)
    answer = browser_of(maeve).get(f"/billing/teams/{pack.team.uid}/packs/{pack.uid}/renew")
    assert answer["Location"] == f"/billing/teams/{pack.team.uid}"
    pack.refresh_from_db()
    with pytest.raises(SeatsRefused, match="were given up"):
        order(maeve, 3, now=now, renews=pack)


def test_a_team_that_fails_keeps_no_other_one_waiting(maeve, now, monkeypatch):
    broken, other = open_seats(owner=maeve, now=now - 400 * DAY), open_seats(now=now - 399 * DAY)
    end_pack = seats.end_pack

    def fail(*, pack, **given):
        if pack == broken:
            raise RuntimeError("broken")
        return end_pack(pack=pack, **given)

    monkeypatch.setattr(seats, "end_pack", fail)
    with pytest.raises(ExceptionGroup) as failed:
        seat_care.follow_seats(now=now)
    assert [str(error) for error in failed.value.exceptions] == ["broken"]
    other.refresh_from_db()
    assert other.state == "ended"


# --- Owners who leave -----------------------------------------------------------------------------------


@pytest.mark.long
def test_an_owner_with_people_or_debts_settles_before_leaving(standin, browser_of, maeve, now):
    def leave():
        delete_account(user=maeve, password=PASSWORD, browser="", now=now)

    placed = order(maeve, 2, now=now)
    with pytest.raises(SeatInvoiceUnpaid, match=placed.number):
        leave()
    assert f"/billing/orders/{placed.uid}" in browser_of(maeve).get("/settings/privacy/delete").content.decode()
    cancel_transfer_order(order=placed, reason="-", actor=maeve, now=now)
    pack = open_seats(owner=maeve, now=now)
    seat = pack.rows.first()
    assign_seats(user=maeve, team=pack.team, course_id=None, addresses=["ravi@halden.example"], now=now)
    with pytest.raises(TeamInUse):
        leave()
    seats.take_seat(seat=Seat.objects.get(email="ravi@halden.example"), now=now)
    seats.give_seat(seat=seat, user=maeve, by=maeve, now=now)  # one's own seat keeps nobody
    leave()


@pytest.mark.long
def test_after_a_team_was_handed_over_no_link_is_dead(browser_of, standin, card_form, maeve, now):
    payment, pack = paid_by_card(card_form, maeve, 2, now=now)
    leo = UserFactory()
    seats.give_seat(seat=pack.rows.first(), user=leo, by=maeve, now=now)
    team_care.hand_over(user=maeve, team=pack.team, to=leo, now=now)
    browser = browser_of(maeve)
    assert f"/billing/teams/{pack.team.uid}" not in browser.get(f"/billing/transactions/{payment.uid}").content.decode()
    paid = browser.get(f"/payment-success?order={payment.order.uid}")
    assert paid["Location"] == f"/billing/transactions/{payment.uid}"

    unpaid = order(UserFactory(), 2, now=now)
    team, ife = unpaid.seat_pack.team, UserFactory()
    seats.give_seat(seat=unpaid.seat_pack.rows.first(), user=ife, by=team.owner, now=now)
    Order.objects.filter(pk=unpaid.pk).update(status="processing")
    with pytest.raises(SeatListRefused, match="Pay the open invoice"):
        team_care.hand_over(user=team.owner, team=team, to=ife, now=now)
    Order.objects.filter(pk=unpaid.pk).update(status="open")
    team_care.hand_over(user=UserFactory(role="admin"), team=team, to=ife, now=now)
    browser = browser_of(ife)
    page = browser.get(f"/billing/teams/{team.uid}").content.decode()
    assert "the invoice is in their name" in page
    dead = [link for link in set(re.findall(r'href="(/billing/[^"#]+)"', page)) if browser.get(link).status_code == 404]
    assert dead == []


# --- Orders -----------------------------------------------------------------------------------------------


def test_invoices_are_offered_only_where_they_can_be_paid(browser_of, standin, maeve, now, settings):
    browser = browser_of(maeve)
    assert "Invoice, 30 days" in browser.get("/premium/teams").content.decode()
    settings.BANK_IBAN = ""
    page = browser.get("/premium/teams").content.decode()
    assert "Invoice, 30 days" not in page
    assert 'value="card" checked' in page
    assert "With an invoice" not in browser.get("/help/seats-for-teams").content.decode()
    with pytest.raises(TransferNotOffered):
        order(maeve, now=now)
    assert not Order.objects.exists()


def test_an_old_page_orders_nothing_else_and_what_was_given_up_makes_no_team(standin, maeve, now):
    key = uuid4()
    placed = order(maeve, 3, now=now, method=Order.Method.CARD, key=key)
    with pytest.raises(SeatsRefused, match="Reload"):
        order(maeve, 5, now=now, method=Order.Method.CARD, key=key)
    checkout.cancel_order(order=placed, now=now)
    with pytest.raises(SeatsRefused, match="Reload"):
        order(maeve, 3, now=now, method=Order.Method.CARD, key=key)
    assert not Team.objects.with_seats().exists()


def test_seats_of_a_course_that_is_not_sold_can_not_be_added(maeve, now):
    course = PaidCourseFactory(status="published")
    pack = open_seats(owner=maeve, course=course, now=now)

    def can_add():
        return seat_packs.actions_of(team_seats.packs_of(pack.team), now=now)[pack.pk].add

    assert can_add()
    for change in ({"status": "archived"}, {"status": "published", "pricing": "premium", "price": 0}):
        type(course).objects.filter(pk=course.pk).update(**change)
        assert not can_add()


# --- Money back -------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_admin_returns_a_part_and_says_which_seats_end(browser_of, standin, card_form, maeve, now):
    payment, pack = paid_by_card(card_form, maeve, 4, now=now)
    leo, sam = UserFactory(), UserFactory(role="admin")
    had = pack.rows.get(position=4)
    seats.give_seat(seat=had, user=leo, by=maeve, now=now)
    seats.take_seat(seat=had, now=now)
    seats.give_seat(seat=pack.rows.get(position=1), user=leo, by=maeve, now=now)
    admin, address = browser_of(sam), f"/dashboard/admin/payments/{payment.uid}/refund"
    page = admin.get(address).content.decode()
    assert "A full refund ends all 4 seats, also those that people have." in page
    terms = {"amount": "140", "reason": "One left", "seats": "4"}
    refused = admin.post(address, terms)
    assert refused.status_code == 422
    assert "Only 3 seats are free." in refused.content.decode()
    assert admin.post(address, terms | {"seats": "1"}).status_code == 302
    assert list(pack.rows.filter(closed_at__isnull=False).values_list("position", flat=True)) == [3]  # nobody had it
    assert (
        "1 seat was closed with it." in browser_of(maeve).get(f"/billing/transactions/{payment.uid}").content.decode()
    )
    with pytest.raises(NothingToRefund):  # all that went back closed a seat
        seat_returns.close_returned_seats(admin=sam, payment=payment, count=1, now=now)

    # In the provider's dashboard: all seats stay until the admin closes free ones.
    key = {"Authorization": f"Bearer {standin.secret_key}"}
    standin.call("POST", "/v1/refunds", {"payment_intent": payment.gateway_id, "amount": "14000"}, key)
    refunds.sync_refunds(payment=payment, now=now)
    assert pack.rows.usable().count() == 3
    assert "$140.00 went back without closing seats" in admin.get(address).content.decode()
    assert "It closed no seat." in browser_of(maeve).get(f"/billing/transactions/{payment.uid}").content.decode()
    with pytest.raises(SeatListRefused, match="2 seats are free"):
        seat_returns.close_returned_seats(admin=sam, payment=payment, count=3, now=now)
    assert admin.post(address, {"action": "close", "seats": "1"}).status_code == 302
    assert pack.rows.usable().count() == 2
    assert "went back without closing seats" not in admin.get(address).content.decode()
    assert has_premium(leo)


@pytest.mark.long
def test_after_a_refund_in_part_those_with_seats_keep_them(standin, card_form, maeve, now):
    payment, pack = paid_by_card(card_form, maeve, 10, now=now)
    leo, sam = UserFactory(), UserFactory(role="admin")
    seats.give_seat(seat=pack.rows.first(), user=leo, by=maeve, now=now)
    refunds.refund_by_admin(admin=sam, payment=payment, amount=payment.amount // 2, reason="-", now=now)
    payment.refresh_from_db()
    worth = seat_returns.worth_of(payment, pack, 5)
    assert worth == payment.amount // 4
    seat_returns.give_back_seats(user=maeve, pack=pack, count=5, expected_amount=worth, now=now)
    payment.refresh_from_db()
    assert payment.left == worth
    assert has_premium(leo)


@pytest.mark.long
def test_seats_whose_refund_is_refused_or_withdrawn_are_free_again(standin, card_form, maeve, now, monkeypatch):
    _payment, pack = paid_by_card(card_form, maeve, 2, now=now)
    with monkeypatch.context() as patch:
        patch.setattr("apps.billing.gateway.create_refund", lambda **_given: "charge_disputed")
        refund = seat_returns.give_back_seats(user=maeve, pack=pack, count=1, expected_amount=14000, now=now)
    assert (refund.status, pack.rows.free().count()) == ("failed", 2)

    sam, placed = UserFactory(role="admin"), order(maeve, 2, now=now)
    payment = confirm_transfer(order=placed, received_on=timezone.localdate(now), actor=sam, now=now)
    by_invoice = placed.seat_pack
    refund = seat_returns.give_back_seats(user=maeve, pack=by_invoice, count=1, expected_amount=14000, now=now)
    assert by_invoice.rows.free().count() == 1
    bank_returns.withdraw_return(refund=refund, reason="-", actor=sam, now=now)
    assert by_invoice.rows.free().count() == 2
    payment.refresh_from_db()
    assert payment.refunded == 0
