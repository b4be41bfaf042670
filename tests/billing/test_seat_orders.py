"""Ordering seats: prices, cards, invoices, more seats, another year, money back."""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from apps.accounts.models import Notification
from apps.billing.access import access_to, has_premium
from apps.billing.errors import (
    CountryMissing,
    NothingToRefund,
    PriceChanged,
    RefundTermsChanged,
    SeatsRefused,
    SeatsUsed,
    TermsNotAccepted,
)
from apps.billing.models import Document, LedgerLine, Order, Payment, SeatPack, Team
from apps.billing.queries.document_check import document_problems
from apps.billing.queries.ledger_check import problems
from apps.billing.seat_prices import days_of, discount_for, price_of_seats, year_after
from apps.billing.services import checkout, receipts, seat_care, seat_orders, seat_returns, seats
from apps.billing.services.disputes import sync_dispute
from apps.billing.services.refund_states import sync_refunds
from apps.billing.services.seat_orders import WantedSeats
from apps.billing.services.transfer_orders import cancel_transfer_order, confirm_transfer
from apps.billing.transfer_policies import cancel_order
from tests.billing.conftest import DECLINED, DISPUTED, GOOD
from tests.factories.accounts import UserFactory
from tests.factories.selling import GrantFactory

DAY = timedelta(days=1)
COMPANY = {"is_company": True, "name": "Halden Instruments Ltd", "country": "IE", "reference": "PO-2026-0118"}


# --- Prices -------------------------------------------------------------------------------------------


def test_discounts_begin_at_20_and_50_seats_of_the_whole_team():
    percents = {
        total: (discount_for(total).percent if discount_for(total) else 0) for total in (1, 19, 20, 49, 50, 199)
    }
    assert percents == {1: 0, 19: 0, 20: 15, 49: 15, 50: 25, 199: 25}
    price = price_of_seats(unit=14000, seats=20, total_seats=20)
    assert (price.list_price, price.discount) == (280000, 42000)
    added = price_of_seats(unit=14000, seats=5, total_seats=25, days_left=100, days=365)
    assert (added.unit, added.list_price, added.discount) == (3836, 19180, 2877)


def test_days_count_from_today_to_the_last_day():
    start, end = date(2026, 3, 13), date(2027, 3, 13)
    for today, left in [(start, 365), (date(2027, 3, 12), 1), (end, 0), (date(2026, 1, 1), 365), (date(2028, 1, 1), 0)]:
        assert days_of(start, end, today) == (left, 365)
    assert year_after(datetime(2028, 2, 29, 12, tzinfo=UTC)) == datetime(2029, 2, 28, 12, tzinfo=UTC)


# --- Orders -------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def bank(settings):
    """Invoices are offered where they can be paid."""
    settings.BANK_IBAN = "DE89370400440532013000"


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def maeve(db):
    return UserFactory(email="maeve@halden.example")


def order(user, count=20, *, now, method=Order.Method.TRANSFER, key=None, total=None, **wanted):
    found = WantedSeats(count=count, **wanted)
    price = seat_orders.quote_seats(wanted=found, country="", vat_id="", now=now).price
    return seat_orders.order_seats(
        user=user, wanted=found, method=method, buyer=COMPANY, country="", email="accounts@halden.example",
        expected_total=price.total if total is None else total, expected_currency=price.currency, agrees=True,
        request_key=key or uuid4(), now=now,
    )  # fmt: skip


def in_ledger(account):
    return sum(LedgerLine.objects.filter(account__code=account).values_list("amount", flat=True))


def sound():
    return [*problems(), *document_problems()] == []


def test_an_invoice_opens_the_seats_at_once_and_posts_nothing_until_it_is_paid(standin, maeve, now):
    placed = order(maeve, now=now)
    pack = SeatPack.objects.get(order=placed)
    assert (pack.state, pack.rows.free().count(), pack.team.name) == ("open", 20, "Halden Instruments Ltd")
    assert (placed.total, placed.discount, placed.status) == (238000, 42000, "open")
    assert localdays(placed.due_at, now) == 30
    [invoice] = Document.objects.filter(order=placed)
    assert invoice.total == 238000
    said = str(invoice.snapshot)
    assert "20 seats of Premium" in said
    assert "PO-2026-0118" in said
    assert "accounts@halden.example" in said
    assert not LedgerLine.objects.exists()

    confirm_transfer(order=placed, received_on=timezone.localdate(now), actor=UserFactory(role="admin"), now=now)
    payment = Payment.objects.get(order=placed)
    assert (payment.kind, payment.method, payment.period_end) == ("premium", "transfer", pack.ends_at)
    assert (in_ledger("bank"), in_ledger("premium")) == (238000, -238000)
    assert Document.objects.filter(order=placed).count() == 1
    assert sound()


def localdays(moment, now):
    return (timezone.localdate(moment) - timezone.localdate(now)).days


def test_a_card_pays_for_seats_of_a_course_and_its_instructor_earns(standin, card_form, maeve, paid, now):
    placed = order(maeve, 3, now=now, method=Order.Method.CARD, course=paid)
    pack = SeatPack.objects.get(order=placed)
    assert pack.state == "waiting"
    begun = checkout.pay_seats(user=maeve, order=placed, card="", now=now)
    card_form.confirm(begun.client_secret, DECLINED)
    assert checkout.sync_order(order=placed, now=now).status == "open"  # another card pays the same order
    again = checkout.pay_seats(user=maeve, order=placed, card="", now=now)
    assert again.client_secret == begun.client_secret
    card_form.confirm(again.client_secret)
    assert checkout.sync_order(order=placed, now=now).status == "paid"
    pack.refresh_from_db()
    assert (pack.state, pack.ends_at, pack.rows.count()) == ("open", None, 3)
    assert in_ledger("provider") + in_ledger("fees") == 3 * 6400
    assert -in_ledger(f"instructor:{paid.instructor_id}") == 3 * 6400 * 70 // 100
    assert sound()


def test_a_form_that_is_sent_twice_orders_once(standin, maeve, now):
    key = uuid4()
    one = order(maeve, now=now, key=key)
    assert order(maeve, now=now, key=key) == one
    assert Team.objects.count() == SeatPack.objects.count() == 1
    with pytest.raises(SeatsRefused):  # another tab
        order(maeve, now=now)
    more = order(maeve, 5, now=now, extends=one.seat_pack)
    assert more.seat_pack.team == one.seat_pack.team


def test_orders_that_are_refused(standin, maeve, paid, now):
    for count in (0, 200):
        with pytest.raises(SeatsRefused):
            order(maeve, count, now=now)
    with pytest.raises(PriceChanged):
        order(maeve, now=now, total=1)
    first = order(maeve, now=now)
    with pytest.raises(SeatsRefused):  # 20 and 180 are more than 199
        order(maeve, 180, now=now, extends=first.seat_pack)
    order(maeve, 2, now=now, course=paid)
    order(maeve, 1, now=now, extends=first.seat_pack)
    with pytest.raises(SeatsRefused):  # three invoices are unpaid
        order(maeve, 1, now=now, extends=first.seat_pack)
    Order.objects.filter(pk=first.pk).update(due_at=now - DAY)
    with pytest.raises(SeatsRefused):
        order(maeve, 1, now=now, extends=first.seat_pack)
    assert order(maeve, 1, now=now, extends=first.seat_pack, method=Order.Method.CARD).status == "open"
    with pytest.raises(TermsNotAccepted):
        seat_orders.order_seats(
            user=maeve, wanted=WantedSeats(count=1), method=Order.Method.CARD, buyer={}, country="", email="",
            expected_total=14000, expected_currency="usd", agrees=False, request_key=uuid4(), now=now,
        )  # fmt: skip


def test_seats_need_a_country_where_prices_contain_tax(maeve, now, settings):
    settings.SELLER_COUNTRY, settings.TAX_RATES = "FI", {"FI": 2550}
    for method in (Order.Method.CARD, Order.Method.TRANSFER):
        with pytest.raises(CountryMissing):
            order(maeve, now=now, method=method)
    assert not Order.objects.exists()


def test_added_seats_cost_the_days_left_at_the_price_of_the_whole_team(standin, maeve, now):
    first = order(maeve, 15, now=now)
    later = now + 200 * DAY
    found = seat_orders.quote_seats(
        wanted=WantedSeats(count=5, extends=first.seat_pack), country="", vat_id="", now=later
    )
    assert (found.seats.percent, found.days_left) == (15, 165)
    assert found.price.list_price == 5 * round(14000 * 165 / 365)
    with pytest.raises(SeatsRefused):
        order(maeve, 5, now=now + 365 * DAY, extends=first.seat_pack)


def test_another_year_begins_when_the_first_ends(standin, maeve, now):
    first = order(maeve, 3, now=now)
    confirm_transfer(order=first, received_on=timezone.localdate(now), actor=UserFactory(role="admin"), now=now)
    renewed = order(maeve, 20, now=now + 340 * DAY, renews=first.seat_pack)
    assert renewed.discount == 42000
    assert renewed.seat_pack.starts_at == first.seat_pack.ends_at
    with pytest.raises(SeatsRefused):
        order(maeve, 20, now=now + 340 * DAY, renews=first.seat_pack)


def test_a_canceled_order_ends_its_seats_and_a_used_one_is_not_canceled_by_its_buyer(standin, maeve, now, monkeypatch):
    placed = order(maeve, 3, now=now)
    seats.give_seat(seat=placed.seat_pack.rows.first(), user=UserFactory(), by=maeve, now=now)
    assert cancel_order(maeve, placed) is None
    monkeypatch.setattr("apps.billing.extensions.has_opened_lesson", lambda *_: True)
    assert isinstance(cancel_order(maeve, placed), SeatsUsed)
    admin = UserFactory(role="admin")
    cancel_transfer_order(order=placed, reason="", actor=admin, now=now)
    assert SeatPack.objects.get(order=placed).end_reason == "canceled"
    assert sound()


# --- Money back ---------------------------------------------------------------------------------------


def paid_by_card(card_form, user, count, *, now, card=GOOD, **wanted):
    placed = order(user, count, now=now, method=Order.Method.CARD, **wanted)
    begun = checkout.pay_seats(user=user, order=placed, card="", now=now)
    card_form.confirm(begun.client_secret, card)
    checkout.sync_order(order=placed, now=now)
    return Payment.objects.get(order=placed), SeatPack.objects.select_related("team").get(order=placed)


def test_unused_seats_bring_their_part_back_and_the_last_ones_the_rest(standin, card_form, maeve, paid, now):
    payment, pack = paid_by_card(card_form, maeve, 3, now=now, course=paid)
    with pytest.raises(RefundTermsChanged):
        seat_returns.give_back_seats(user=maeve, pack=pack, count=1, expected_amount=1, now=now)
    worth = seat_returns.worth_of(payment, pack, 2)
    assert worth == 12800
    refund = seat_returns.give_back_seats(user=maeve, pack=pack, count=2, expected_amount=worth, now=now)
    assert refund.status == "done"
    assert pack.rows.usable().count() == 1
    payment.refresh_from_db()
    pack.refresh_from_db()
    assert (payment.refunded, pack.state) == (12800, "open")
    seat_returns.give_back_seats(user=maeve, pack=pack, count=1, expected_amount=6400, now=now)
    pack.refresh_from_db()
    assert (pack.state, pack.end_reason) == ("ended", "returned")
    assert in_ledger(f"instructor:{paid.instructor_id}") == 0
    assert Document.objects.filter(kind="credit_note").count() == 2
    assert sound()


@pytest.mark.long
def test_held_and_used_seats_and_late_requests_bring_nothing(standin, card_form, maeve, now, monkeypatch):
    _payment, pack = paid_by_card(card_form, maeve, 2, now=now)
    seat = pack.rows.first()
    seats.give_seat(seat=seat, user=UserFactory(), by=maeve, now=now)

    def give_back(count, amount, at=now):
        seat_returns.give_back_seats(user=maeve, pack=pack, count=count, expected_amount=amount, now=at)

    with pytest.raises(NothingToRefund):
        give_back(2, 28000)
    seats.take_seat(seat=seat, now=now)
    with monkeypatch.context() as patch:
        patch.setattr("apps.billing.extensions.has_opened_lesson", lambda *_: True)
        with pytest.raises(NothingToRefund):
            give_back(2, 28000)
    with pytest.raises(NothingToRefund):
        give_back(1, 14000, now + 15 * DAY)
    give_back(2, 28000)
    assert in_ledger("premium") == 0
    assert sound()


@pytest.mark.long
def test_seats_whose_refund_fails_are_free_again(standin, card_form, maeve, paid, now):
    payment, pack = paid_by_card(card_form, maeve, 3, now=now, course=paid, card="4000000000005126")
    seat_returns.give_back_seats(user=maeve, pack=pack, count=2, expected_amount=12800, now=now)
    assert pack.rows.usable().count() == 1
    standin.clock.advance(days=40)
    sync_refunds(payment=payment, now=timezone.now())
    assert (payment.refunds.get().status, pack.rows.usable().count()) == ("failed", 3)
    assert sound()


@pytest.mark.long
def test_who_owns_the_course_orders_seats_of_it_and_later_more(standin, card_form, maeve, paid, now):
    GrantFactory(user=maeve, course=paid, source="staff")
    _payment, pack = paid_by_card(card_form, maeve, 2, now=now, course=paid)
    more = order(maeve, 3, now=now, course=paid, more_of=pack.team)
    assert more.seat_pack.team == pack.team
    assert more.list_price == 3 * 6400


@pytest.mark.long
def test_a_lost_dispute_ends_the_seats_and_the_buyer_reads_it(browser_of, standin, card_form, maeve, paid, now):
    leo = UserFactory()
    payment, pack = paid_by_card(card_form, maeve, 2, now=now, course=paid, card=DISPUTED)
    seats.give_seat(seat=pack.rows.first(), user=leo, by=maeve, now=now)
    key = {"Authorization": f"Bearer {standin.secret_key}"}
    [dispute] = standin.call("GET", "/v1/disputes", {"payment_intent": payment.gateway_id}, key).body["data"]
    evidence = {"evidence": {"uncategorized_text": "losing_evidence"}, "submit": "true"}
    standin.call("POST", f"/v1/disputes/{dispute['id']}", evidence, key)
    sync_dispute(dispute=dispute["id"], now=now)
    pack.refresh_from_db()
    assert (pack.state, access_to(leo, paid)) == ("ended", None)
    receipts.tell_of_lost_dispute(dispute=payment.disputes.select_related("payment__user").get())
    [said] = Notification.objects.filter(user=maeve, kind="billing.dispute_lost")
    assert "The seats have ended" in said.params["access"]
    browser = browser_of(maeve)
    shown = browser.get(f"/billing/transactions/{payment.uid}").content.decode()
    assert f"/billing/teams/{pack.team.uid}" in shown
    assert browser.get(f"/billing/transactions/{payment.uid}/refund").status_code in {302, 404, 409}
    assert sound()


# --- Over the year ------------------------------------------------------------------------------------


def told(user, kind):
    return Notification.objects.filter(user=user, kind=kind).count()


def test_seats_pause_two_weeks_after_the_invoice_was_due_and_open_when_it_is_paid(standin, maeve, paid, now):
    placed, leo = order(maeve, 3, now=now, course=paid), UserFactory()
    pack = placed.seat_pack
    seats.give_seat(seat=pack.rows.first(), user=leo, by=maeve, now=now)
    for day, state in [(43, "open"), (45, "paused"), (46, "paused")]:
        seat_care.follow_seats(now=now + day * DAY)
        pack.refresh_from_db()
        assert pack.state == state
        assert (access_to(leo, paid) is not None) == (state == "open")
    assert told(maeve, "billing.team_paused") == 1
    with time_machine.travel(now + 46 * DAY):
        confirm_transfer(
            order=placed, received_on=timezone.localdate(), actor=UserFactory(role="admin"), now=timezone.now()
        )
    assert access_to(leo, paid) is not None
    assert sound()


@pytest.mark.long
def test_owners_are_reminded_before_the_end_and_people_go_on_with_renewed_seats(standin, maeve, now):
    first = order(maeve, 3, now=now)
    confirm_transfer(order=first, received_on=timezone.localdate(now), actor=UserFactory(role="admin"), now=now)
    added = order(maeve, 1, now=now + DAY, extends=first.seat_pack).seat_pack
    pack, people = first.seat_pack, [UserFactory() for _ in range(4)]
    for seat, user in zip([*pack.rows.all(), *added.rows.all()], people, strict=True):
        seats.give_seat(seat=seat, user=user, by=maeve, now=now + DAY)
    for before, count in [(31, 0), (29, 1), (28, 1), (6, 2), (1, 2)]:
        seat_care.follow_seats(now=pack.ends_at - before * DAY)
        assert told(maeve, "billing.team_ends") == count
    Order.objects.filter(pk=added.order_id).update(status="paid")
    renewal = order(maeve, 4, now=pack.ends_at - DAY, renews=pack).seat_pack
    after = pack.ends_at + timedelta(minutes=5)
    seat_care.follow_seats(now=after)
    seat_care.follow_seats(now=after)
    assert renewal.rows.filter(holder__in=people).count() == 4
    assert all(has_premium(user, now=after) for user in people)
    assert set(SeatPack.objects.filter(state="ended").values_list("pk", flat=True)) == {pack.pk, added.pk}
    assert told(maeve, "billing.team_ended") == 0

    late = order(maeve, 2, now=renewal.ends_at + 20 * DAY, renews=renewal, method=Order.Method.CARD)
    over = renewal.ends_at
    seat_care.follow_seats(now=over)
    assert told(maeve, "billing.team_ended") == 1
    assert not any(has_premium(user, now=over) for user in people)
    afterward = over + 20 * DAY
    assert seats.open_pack(late, now=afterward)  # renewed after the end: the first two of them go on
    assert sum(has_premium(user, now=afterward) for user in people) == 2


# --- Pages --------------------------------------------------------------------------------------------


def form(**changes):
    given = {
        "what": "premium", "course": "", "q": "", "seats": "20", "method": "transfer", "name": "Halden Instruments Ltd",
        "street": "Quay Road", "city": "Galway", "postal_code": "H91 E2N1", "country": "IE", "vat_id": "",
        "email": "accounts@halden.example", "reference": "PO-1", "agrees": "on", "total": "238000", "currency": "usd",
        "key": str(uuid4()), "action": "order",
    }  # fmt: skip
    return {name: value for name, value in {**given, **changes}.items() if value is not None}


def test_the_page_computes_the_price_with_and_without_an_account(client, paid):
    said = client.get("/premium/teams").content.decode()
    assert "5 × $140.00 a year" in said
    assert "$700.00" in said
    for changes, words in [
        ({"seats": "20"}, ["15% off from 20 seats", "$2,380.00", "$9.92 per seat and month", "Sign in to order"]),
        ({"seats": "19", "action": "more"}, ["20 × $140.00"]),
        ({"seats": "1", "action": "fewer"}, ["1 × $140.00"]),
        ({"seats": "200"}, ["For more than 199 seats, write to us"]),
        ({"seats": "²"}, ["Order at least one seat."]),
        ({"what": "course"}, ["Choose a course to see the price."]),
        ({"what": "course", "q": "compil"}, ["How Compilers Think"]),
        ({"what": "course", "q": "zzz"}, ["No course has these words"]),
        ({"what": "course", "course": paid.slug, "seats": "2"}, ["2 × $64.00", "$128.00", "yours to keep"]),
        ({"what": "course", "course": "gone\x00"}, ["Choose a course to see the price."]),
    ]:
        answer = client.post("/premium/teams", form(**{"action": "update", **changes}))
        assert answer.status_code == 200
        for word in words:
            assert word in answer.content.decode(), (changes, word)
    answer = client.post("/premium/teams", form())
    assert answer.status_code == 302
    assert answer["Location"].startswith("/auth/login?next=%2Fpremium%2Fteams")


def test_a_company_orders_by_invoice_and_lands_on_its_team(browser_of, standin, maeve, settings):
    settings.TAX_RATES, settings.SELLER_COUNTRY = {"DE": 1900, "IE": 2300}, "DE"
    browser = browser_of(maeve)
    for changes, word in [
        ({"name": ""}, "Enter the company"),
        ({"vat_id": "IE123"}, "VAT number of that country"),
        ({"agrees": None}, "Check this box"),
        ({"total": "1"}, "PRICE_CHANGED"),
        ({"seats": ""}, "Enter how many seats"),
        ({"country": ""}, "Choose a country."),
    ]:
        answer = browser.post("/premium/teams", form(**changes))
        assert answer.status_code in {409, 422}, changes
        assert word in answer.content.decode(), changes
    sent = form(vat_id="IE6388047V")
    answer = browser.post("/premium/teams", sent)
    pack = SeatPack.objects.select_related("order", "team").get()
    assert answer["Location"] == f"/billing/teams/{pack.team.uid}"
    assert browser.post("/premium/teams", sent)["Location"] == answer["Location"]
    assert SeatPack.objects.count() == 1
    assert (pack.order.tax, pack.order.tax_treatment) == (0, "reverse_charge")

    added = f"/billing/teams/{pack.team.uid}/packs/{pack.uid}"
    assert "for 365 of 365 days" in browser.get(f"{added}/add").content.decode()
    assert "20 × $140.00 a year" in browser.get(f"{added}/renew").content.decode()
    assert "paid yet" in browser.get(f"{added}/return").content.decode()
    assert browser_of(UserFactory()).get(f"{added}/add").status_code == 404
    assert "Pay by card" in browser.get(f"/billing/orders/{pack.order.uid}/pay").content.decode()


def test_seats_are_given_back_on_their_page(browser_of, standin, card_form, maeve, now):
    _payment, pack = paid_by_card(card_form, maeve, 4, now=now)
    page, browser = f"/billing/teams/{pack.team.uid}/packs/{pack.uid}/return", browser_of(maeve)
    assert "Give 4 seats back for $560.00" in browser.get(page).content.decode()
    shown = browser.post(page, {"seats": "3", "action": "update"}).content.decode()
    assert "Give 3 seats back for $420.00" in shown
    for many, action, left in [("3", "fewer", 2), ("4", "more", 4), ("1", "fewer", 1)]:
        assert f"Give {left} seat" in browser.post(page, {"seats": many, "action": action}).content.decode()
    assert browser.post(page, {"seats": "3", "action": "give_back", "amount": "1"}).status_code == 409
    assert browser.post(page, {"seats": "3", "action": "give_back", "amount": "42000"}).status_code == 302
    assert pack.rows.usable().count() == 1


def test_a_card_is_charged_over_the_api_once(browser_of, standin, card_form, maeve, now):
    placed = order(maeve, 2, now=now, method=Order.Method.CARD)
    page, browser = f"/api/v1/billing/orders/{placed.uid}/pay/", browser_of(maeve)
    begun = browser.post(page, {}, content_type="application/json").json()
    assert browser.post(page, {}, content_type="application/json").json()["client_secret"] == begun["client_secret"]
    card_form.confirm(begun["client_secret"])
    done = browser.post(f"/api/v1/billing/orders/{placed.uid}/sync/").json()
    assert (done["status"], done["next_url"]) == ("paid", f"/payment-success?order={placed.uid}")
    page = browser.get(done["next_url"], follow=True)
    assert page.redirect_chain[-1][0] == f"/billing/teams/{placed.seat_pack.team.uid}"
    assert "Your seats are paid." in page.content.decode()
    assert browser_of(UserFactory()).post(page, {}, content_type="application/json").status_code == 404


def test_the_page_of_a_team_shows_what_is_to_be_paid_and_what_can_be_done(browser_of, standin, maeve, now):
    placed = order(maeve, 3, now=now)
    pack, browser = placed.seat_pack, browser_of(maeve)
    page = f"/billing/teams/{pack.team.uid}"
    said = browser.get(page).content.decode()
    for word in ("is not paid yet", "$420.00 is due on", f"/billing/orders/{placed.uid}/pay", f"packs/{pack.uid}/add"):
        assert word in said, word
    assert f"packs/{pack.uid}/renew" not in said
    seats.pause_pack(pack=pack, now=now)
    assert "The seats are paused" in browser.get(page).content.decode()
    with time_machine.travel(pack.ends_at - 80 * DAY):
        confirm_transfer(
            order=placed, received_on=timezone.localdate(), actor=UserFactory(role="admin"), now=timezone.now()
        )
        said = browser_of(maeve).get(page).content.decode()
        assert f"packs/{pack.uid}/renew" in said
        assert "is not paid yet" not in said
