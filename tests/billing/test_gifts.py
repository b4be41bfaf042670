"""Gifts: bought for someone else, emailed on their day, redeemed once, and given back."""

import re
import threading
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Notification
from apps.billing.errors import GiftCodeUnknown, GiftOnHold, GiftOwned, GiftRedeemed, GiftRefused
from apps.billing.gift_codes import hash_gift_code, new_gift_code, tidy_gift_code
from apps.billing.models import Gift, Grant, Order, Payment, Refund
from apps.billing.purchases import purchase_of_course
from apps.billing.queries import gifts as queries
from apps.billing.queries.bundles import bundle_by_slug, purchase_for
from apps.billing.services import bundles, checkout, customers, disputes, gifts, refund_rule, refunds
from apps.billing.services.bundles import BundleTerms
from apps.billing.services.gifts import GiftTerms
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from studyplatform.kit.web.private_text import hide_codes, hide_secrets
from tests.factories.accounts import UserFactory
from tests.factories.selling import GrantFactory, PaidCourseFactory, PaymentFactory

pytestmark = pytest.mark.database


@pytest.fixture
def rivers(ada):
    return PaidCourseFactory(instructor=ada, title="Rivers", slug="rivers", price=6400)


def terms(**changes) -> GiftTerms:
    found = {
        "sender_name": "Mia", "recipient_name": "Leo", "recipient_email": "leo@friends.example",
        "message": "Happy birthday!", "send_on": timezone.localdate(),
    }  # fmt: skip
    return GiftTerms(**{**found, **changes})


def begin(user, purchase, given=None, total=None):
    return checkout.begin_order(
        user=user, purchase=purchase, code="", country="", email="", card="", saves_card=False, agrees=True,
        expected_total=purchase.price if total is None else total, expected_currency="usd", gift=given or terms(),
        now=timezone.now(),
    )  # fmt: skip


def give(card_form, user, course, **changes):
    begun = begin(user, purchase_of_course(course, is_gift=True), terms(**changes))
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())
    return Gift.objects.get(order=begun.order)


def redeem(user, gift, **how):
    return gifts.redeem_gift(user=user, code=gifts.code_of(gift), now=timezone.now(), **how)


def gift_mails():
    return [one for one in mail.outbox if "A gift from" in one.subject]


def code_in_mail() -> str:
    [found] = set(re.findall(r"[2-9A-Z]{4}(?:-[2-9A-Z]{4}){4}", gift_mails()[-1].body))
    return found


# --- Codes --------------------------------------------------------------------------------------------


def test_codes_are_random_and_found_however_they_are_typed():
    codes = {new_gift_code() for _ in range(200)}
    assert len(codes) == 200
    for code in codes:
        assert re.fullmatch(r"[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){4}", code)
    known = hash_gift_code("LLLL-2345-6789-ABCD-QQQQ")
    for typed in (
        "llll23456789abcdqqqq", " LLLL 2345 6789 ABCD QQQQ ", "llll–2345–6789–abcd–qqqq", "1I1l-2345-6789-abcd-0OQo",
        "ＬＬＬＬ２３４５６７８９ＡＢＣＤＱＱＱＱ",
    ):  # fmt: skip
        assert hash_gift_code(typed) == known
    for wrong in ("", "LLLL", "LLLL-2345-6789-ABCD-QQQQ-X", "x" * 5000, "\x00", "LLLL-2345-6789-ABCD-QQQÄ"):
        assert tidy_gift_code(wrong) == hash_gift_code(wrong) == ""


# --- Buying and sending -------------------------------------------------------------------------------


def test_a_gift_opens_to_the_one_who_redeems_its_code(standin, card_form, webhooks, mia, leo, rivers):
    gift = give(card_form, mia, rivers)
    assert not Grant.objects.exists()
    jobs.run_pending("default")

    [sent] = gift_mails()
    assert (sent.to, sent.subject) == (["leo@friends.example"], "A gift from Mia")
    assert "Happy birthday!" in sent.body
    gift.refresh_from_db()
    assert gift.sent_at is not None
    assert gifts.code_of(gift) not in gift.encrypted_code

    gifts.redeem_gift(user=leo, code=code_in_mail().lower(), now=timezone.now())
    gifts.redeem_gift(user=leo, code=code_in_mail(), now=timezone.now())  # a second tab

    assert list(Grant.objects.values_list("user", "course", "payment__user")) == [(leo.pk, rivers.pk, mia.pk)]
    assert Notification.objects.filter(user=mia, kind="billing.gift_redeemed").count() == 1
    with pytest.raises(GiftRedeemed):
        redeem(mia, gift)
    with pytest.raises(GiftCodeUnknown):
        gifts.redeem_gift(user=leo, code=new_gift_code(), now=timezone.now())


def test_a_gift_is_sent_on_its_day_once_also_after_the_server_was_off(standin, card_form, mia, rivers):
    mia.time_zone = "Asia/Tokyo"
    mia.save()
    with time_machine.travel(datetime(2026, 12, 1, 12, 0), tick=False):
        gift = give(card_form, mia, rivers, send_on=date(2026, 12, 24))
        jobs.run_pending("default")
    assert gift.send_at == datetime.fromisoformat("2026-12-24T08:00:00+09:00")
    with time_machine.travel(datetime(2026, 12, 23, 22, 59), tick=False):
        jobs.run_pending("default")
        assert queries.views_of(queries.gifts_of(mia))[0].state == "scheduled"
    with time_machine.travel(datetime(2026, 12, 26, 10, 0), tick=False):
        jobs.run_pending("default")
        jobs.run_pending("default")
        assert len(gift_mails()) == 1
        assert queries.views_of(queries.gifts_of(mia))[0].state == "sent"


def test_a_process_that_is_killed_while_it_sends_sends_once(standin, card_form, mia, rivers, monkeypatch):
    gift = give(card_form, mia, rivers)
    follow = jobs.enqueue

    def dies(kind, **payload):
        if kind == "billing.follow_gift_mail":
            raise SystemExit(1)
        return follow(kind, **payload)

    monkeypatch.setattr("apps.billing.services.gifts.jobs.enqueue", dies)
    with pytest.raises(SystemExit):
        gifts.send_gift(gift_id=gift.pk, now=timezone.now())
    assert not Job.objects.filter(kind="kit.deliver_mail", payload__name="gift").exists()
    monkeypatch.undo()
    jobs.run_pending("default")
    assert len(gift_mails()) == 1


@pytest.mark.parametrize(
    "wrong",
    [{"send_on": timezone.localdate() - timedelta(days=2)}, {"send_on": timezone.localdate() + timedelta(days=368)},
     {"recipient_name": "\u200b"}, {"sender_name": " "}],
)  # fmt: skip
def test_terms_that_make_no_sense_are_refused_before_anything_is_saved(standin, mia, rivers, wrong):
    with pytest.raises(GiftRefused):
        begin(mia, purchase_of_course(rivers, is_gift=True), terms(**wrong))
    assert not Order.objects.exists()


def test_several_gifts_and_a_purchase_of_the_same_course_are_separate(standin, card_form, mia, leo, rivers):
    GrantFactory(user=mia, course=rivers)  # who owns it may give it
    as_gift = purchase_of_course(rivers, is_gift=True)
    first = begin(mia, as_gift)
    assert begin(mia, as_gift).order.pk == first.order.pk  # the button pressed twice
    second = begin(mia, as_gift, terms(recipient_email="eve@friends.example"))
    assert second.order.pk != first.order.pk
    for begun in (first, second):
        card_form.confirm(begun.client_secret)
        checkout.sync_order(order=begun.order, now=timezone.now())
    assert begin(mia, as_gift).order.status == "open"  # the same again is another gift
    assert Gift.objects.filter(code_hash__isnull=False).count() == 2


def test_a_refused_email_is_shown_and_can_be_sent_to_another_address(card_form, standin, mia, leo, rivers, browser_of):
    gift = give(card_form, mia, rivers)
    gifts.send_gift(gift_id=gift.pk, now=timezone.now())
    gift.refresh_from_db()
    Job.objects.filter(uid=gift.mail_uid).update(state="failed", error="550 no such user")
    Job.objects.filter(kind="billing.follow_gift_mail").update(run_at=timezone.now())
    assert gifts.follow_mail(gift_id=gift.pk, now=timezone.now())
    assert Notification.objects.filter(user=mia, kind="billing.gift_failed").count() == 1
    page, browser = f"/billing/gifts/{gift.uid}", browser_of(mia)
    assert "Not delivered" in browser.get("/billing/gifts").content.decode()
    assert "Correct the address below" in browser.get(page).content.decode()

    answer = browser.post(page, {"name": "Leo", "email": "leo@other.example"})
    jobs.run_pending("default")

    assert answer.status_code == 302
    assert gift_mails()[-1].to == ["leo@other.example"]
    browser.post(f"{page}/send")
    jobs.run_pending("default")
    assert len(gift_mails()) == 2
    assert browser.post(page, {"name": "Leo", "email": "no address"}).status_code == 422


# --- Money that goes back -----------------------------------------------------------------------------


def test_an_unredeemed_gift_is_refunded_at_once_and_its_code_ends(card_form, webhooks, mia, leo, rivers):
    gift = give(card_form, mia, rivers)
    payment = Payment.objects.get(order=gift.order)
    assert refund_rule.is_immediate(payment=payment, now=timezone.now())
    assert refund_rule.review_reason(payment=payment, now=timezone.now() + timedelta(days=15)) == "too_late"
    refunds.request_refund(user=mia, payment=payment, reason="", now=timezone.now())

    with pytest.raises(GiftOnHold):
        redeem(leo, gift)
    jobs.run_pending("default")
    assert not gift_mails()
    assert queries.views_of(queries.gifts_of(mia))[0].state == "refunded"


def test_a_redeemed_gift_needs_a_decision_and_its_recipient_loses_it(card_form, webhooks, mia, leo, sam, rivers):
    gift = give(card_form, mia, rivers)
    redeem(leo, gift)
    Enrollment.objects.filter(user=leo, course=rivers).update(percent=40)
    payment = Payment.objects.get(order=gift.order)
    assert refund_rule.consumed_percents([payment]) == {payment.pk: 40}  # the recipient's
    asked = refunds.request_refund(user=mia, payment=payment, reason="x", now=timezone.now())
    assert asked.status == Refund.Status.REQUESTED

    refunds.decide_refund(admin=sam, refund=asked, grants=True, reason="", now=timezone.now())

    assert not Grant.objects.active().exists()
    assert Notification.objects.filter(user=leo, kind="billing.gift_ended").count() == 1
    with pytest.raises(GiftRedeemed):
        redeem(mia, gift)


def test_a_lost_dispute_closes_the_course_of_the_recipient(card_form, standin, webhooks, mia, leo, eve, rivers):
    gift, unused = give(card_form, mia, rivers), give(card_form, mia, rivers, recipient_name="Eve")
    redeem(leo, gift)
    for each in (gift, unused):
        dispute = standin.dispute(Payment.objects.get(order=each.order).gateway_id)["id"]
        disputes.sync_dispute(dispute=dispute, now=timezone.now())
        if each is unused:
            with pytest.raises(GiftOnHold):
                redeem(eve, unused)
        standin.decide_dispute(dispute, won=False)
        disputes.sync_dispute(dispute=dispute, now=timezone.now())
    assert not Grant.objects.active().exists()
    with pytest.raises(GiftOnHold):
        redeem(eve, unused)


# --- Redeeming ----------------------------------------------------------------------------------------


def test_who_owns_it_is_refused_politely_and_the_code_stays_usable(card_form, standin, mia, leo, eve, rivers):
    gift = give(card_form, mia, rivers)
    GrantFactory(user=leo, course=rivers)
    with pytest.raises(GiftOwned):
        redeem(leo, gift)
    assert redeem(eve, gift).redeemed_by == eve


def test_a_bundle_as_a_gift_opens_what_the_recipient_lacks(card_form, standin, mia, leo, sam, rivers):
    maps = PaidCourseFactory(title="Maps", slug="maps", price=3200)
    bundles.create_bundle(
        by=sam, terms=BundleTerms(title="Water", summary="", price=8000, courses=[rivers, maps]), now=timezone.now()
    )
    GrantFactory(user=mia, course=rivers)
    GrantFactory(user=leo, course=rivers)
    purchase = purchase_for(mia, bundle_by_slug("water"), is_gift=True)
    assert purchase.price == 8000
    begun = begin(mia, purchase)
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())

    redeem(leo, Gift.objects.get())

    assert list(Grant.objects.filter(payment__isnull=False).values_list("user", "course")) == [(leo.pk, maps.pk)]


@pytest.mark.long
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one write at a time")
@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_redeem_a_code_once(card_form, standin, mia, rivers):
    gift = give(card_form, mia, rivers)
    people, outcomes, start = [UserFactory() for _ in range(4)], [], threading.Barrier(4)

    def try_it(person):
        start.wait()
        try:
            outcomes.append(redeem(person, gift).redeemed_by_id)
        except GiftRedeemed:
            outcomes.append(None)
        finally:
            connection.close()

    threads = [threading.Thread(target=try_it, args=[person]) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, outcomes)) == [False, False, False, True]
    assert Grant.objects.active().count() == 1


# --- Pages --------------------------------------------------------------------------------------------


def test_a_visitor_sees_the_gift_and_comes_back_after_signing_in(
    client, browser_of, card_form, standin, mia, leo, rivers
):
    gift = give(card_form, mia, rivers)
    code = gifts.code_of(gift)
    shown = client.get(f"/gift/{code}").content.decode()
    assert "Mia gave you a gift" in shown
    assert "Happy birthday!" in shown
    assert "leo@friends.example" not in shown
    assert mia.email not in shown
    assert f"/auth/register?next=/gift/{code}" in shown
    assert client.post(f"/gift/{code}")["Location"].startswith("/auth/login")
    assert client.post("/gift", {"code": code.replace("-", "").lower()})["Location"] == f"/gift/{code}"
    wrong = client.post("/gift", {"code": "nonsense"})
    assert (wrong.status_code, "No gift has this code" in wrong.content.decode()) == (422, True)
    assert client.get(f"/gift/{new_gift_code()}").status_code == 404

    browser = browser_of(leo)
    assert "Redeem the gift" in browser.get(f"/gift/{code}").content.decode()
    assert browser.post(f"/gift/{code}").status_code == 302
    assert "Start learning" in browser.get(f"/gift/{code}").content.decode()
    assert "has been redeemed" in client.get(f"/gift/{code}").content.decode()


def test_only_the_buyer_sees_a_gift_and_its_code(client, browser_of, card_form, standin, mia, leo, ada, sam, rivers):
    gift = give(card_form, mia, rivers)
    assert "Gift for Leo" in browser_of(mia).get("/billing/transactions").content.decode()
    page = f"/billing/gifts/{gift.uid}"
    mine = browser_of(mia).get(page).content.decode()
    assert gifts.code_of(gift) in mine
    assert browser_of(mia).get(f"{page}/card.pdf").content[:5] == b"%PDF-"
    for visitor in (browser_of(leo), browser_of(ada), browser_of(sam)):
        for address in (page, f"{page}/card.pdf"):
            answer = visitor.get(address)
            assert answer.status_code in {302, 404}
            assert gifts.code_of(gift) not in answer.content.decode()
        visitor.post(f"{page}/send")
        visitor.post(page, {"name": "X", "email": "x@thieves.example"})
    assert client.get(page).status_code == client.get("/billing/gifts").status_code == 302
    gift.refresh_from_db()
    assert gift.recipient_email == "leo@friends.example"


def test_the_checkout_of_a_gift_is_open_to_owners(browser_of, mia, rivers, standin):
    GrantFactory(user=mia, course=rivers)
    browser = browser_of(mia)
    assert browser.get("/billing/checkout?course=rivers").status_code == 302
    page = browser.get("/billing/checkout?course=rivers&gift=1").content.decode()
    assert "Money back within 14 days if it hasn" in page
    quote = {"course": "rivers", "is_gift": True}
    assert browser.post("/api/v1/billing/quote/", quote, content_type="application/json").status_code == 200
    gift = {
        "sender_name": "Mia", "recipient_name": "Leo", "recipient_email": "leo@friends.example",
        "send_on": timezone.localdate().isoformat(),
    }  # fmt: skip
    order = {"course": "rivers", "is_gift": True, "total": 6400, "currency": "usd", "agrees": True, "gift": gift}
    post = lambda body: browser.post("/api/v1/billing/orders/", body, content_type="application/json")  # noqa: E731
    assert post(order).status_code == 201
    assert post({**order, "gift": None}).status_code == 400
    assert post({**order, "is_gift": False}).status_code == 400
    assert post({**order, "gift": {**gift, "send_on": "2020-01-01"}}).status_code == 422


def test_many_gifts_cost_no_query_each(browser_of, mia, django_assert_max_num_queries):
    for number in range(25):
        payment = PaymentFactory(user=mia)
        Order.objects.filter(pk=payment.order_id).update(is_gift=True)
        Gift.objects.create(
            order_id=payment.order_id, sender_name="M", recipient_name="L", recipient_email="l@friends.example",
            send_at=timezone.now(), code_hash=str(number), created_at=timezone.now(),
        )  # fmt: skip
    browser = browser_of(mia)
    with django_assert_max_num_queries(9):
        assert browser.get("/billing/gifts").content.decode().count("table__title") == 20


def test_a_deleted_account_takes_the_addresses_of_its_gifts_along(card_form, standin, mia, leo, eve, rivers):
    waits = give(card_form, mia, rivers, send_on=timezone.localdate() + timedelta(days=30))
    used = give(card_form, mia, rivers, recipient_name="Eve")
    redeem(eve, used)
    mia.deleted_at = timezone.now()
    mia.save()
    customers.forget_user(user_id=mia.pk)
    waits.refresh_from_db()
    used.refresh_from_db()
    assert (used.recipient_email, used.message) == ("", "")
    assert waits.recipient_email == "leo@friends.example"  # it is still to be sent
    gifts.send_gift(gift_id=waits.pk, now=timezone.now())
    waits.refresh_from_db()
    assert (waits.recipient_email, waits.sent_at is not None) == ("", True)
    assert redeem(leo, waits).redeemed_by == leo


def test_neither_the_log_nor_the_mails_of_admins_show_a_code():
    code = new_gift_code()
    assert hide_secrets(f"GET https://learn.example/gift/{code} 200") == "GET https://learn.example/gift/… 200"
    assert hide_codes(f"Your code: {code}.") == "Your code: …."


def test_one_of_two_gifts_is_sent_again(card_form, standin, mia, rivers):
    first, second = give(card_form, mia, rivers), give(card_form, mia, rivers, recipient_email="eve@friends.example")
    jobs.run_pending("default")
    before = len(gift_mails())
    gifts.send_again(user=mia, gift=second, now=timezone.now())
    jobs.run_pending("default")
    assert [one.to for one in gift_mails()[before:]] == [["eve@friends.example"]]
    assert first.uid != second.uid
