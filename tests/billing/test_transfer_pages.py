"""Pages about bank transfers: of buyers, and of admins."""

from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.utils import timezone
from django.utils.timezone import localdate

from apps.billing.bank_account import account_problems, bank_account
from apps.billing.models import Deposit, Order, Payment, Refund
from apps.billing.services.bundles import BundleTerms, create_bundle
from apps.billing.services.transfer_notices import due_day
from apps.billing.services.transfer_orders import (
    cancel_transfer_order,
    confirm_transfer,
    due_time,
    place_transfer_order,
    record_transfer,
)
from apps.billing.transfer_codes import epc_code
from apps.courses.models import Course
from studyplatform.kit import jobs
from tests.factories.courses import LessonFactory, SectionFactory
from tests.factories.selling import OrderFactory, PaidCourseFactory

pytestmark = pytest.mark.django_db
IBAN = "DE89370400440532013000"
ADMIN = "/dashboard/admin/transfers"


@pytest.fixture(autouse=True)
def _account(settings):
    settings.BANK_IBAN, settings.BANK_BIC, settings.BANK_HOLDER = IBAN, "COBADEFFXXX", "Tides School"


@pytest.fixture
def placed(mia, paid):
    now = timezone.now()
    return place_transfer_order(
        order=OrderFactory(user=mia, course=paid, created_at=now), due_at=due_time(now), now=now
    )


def text_of(answer) -> str:
    return unescape(answer.content.decode())


def test_a_course_is_ordered_by_bank_transfer(browser_of, mia, paid, mailoutbox):
    browser = browser_of(mia)
    wanted = {"course": paid.slug, "total": 6400, "currency": "usd", "agrees": True, "method": "transfer"}

    made = browser.post("/api/v1/billing/orders/", wanted, content_type="application/json").json()
    jobs.run_pending("default")

    order = Order.objects.get()
    address = f"/billing/orders/{order.uid}"
    assert (made["status"], made["client_secret"], made["next_url"]) == ("open", "", address)
    page = text_of(browser.get(address))
    expected = [
        "$64.00",
        "DE89 3704 0044 0532 0130 00",
        "COBADEFFXXX",
        "Tides School",
        order.number,
        "INV-2026",
        "Cancel",
    ]
    assert [each for each in expected if each not in page] == []
    assert "payto__code" not in page  # the code is for euros alone
    assert IBAN[:4] in mailoutbox[0].body
    assert order.number in mailoutbox[0].body
    for elsewhere in (f"/billing/checkout?course={paid.slug}", f"/payment-success?order={order.uid}"):
        assert browser.get(elsewhere)["Location"] == address
    assert order.number in text_of(browser.get("/billing/transactions"))
    assert browser.get(f"{address}/pay").status_code == 200

    browser.post(f"{address}/cancel")
    assert "This order was canceled" in text_of(browser.get(address))
    assert browser.get(f"{address}/pay").status_code == 302


def test_without_an_account_of_the_school_there_are_cards_only(browser_of, mia, paid, settings):
    browser = browser_of(mia)
    assert '"transfer_days": 14' in text_of(browser.get(f"/billing/checkout?course={paid.slug}"))
    settings.BANK_IBAN = ""
    assert '"transfer_days": 0' in text_of(browser.get(f"/billing/checkout?course={paid.slug}"))
    wanted = {"course": paid.slug, "total": 6400, "currency": "usd", "agrees": True, "method": "transfer"}
    answer = browser.post("/api/v1/billing/orders/", wanted, content_type="application/json")
    assert answer.json()["code"] == "TRANSFER_NOT_OFFERED"


def test_a_wrong_account_is_refused_and_the_code_is_for_euros(settings):
    account = bank_account()
    assert account is not None
    assert epc_code(account, amount=6400, currency="usd", reference="A") == ""
    assert epc_code(account, amount=0, currency="eur", reference="A") == ""
    assert epc_code(account, amount=6400, currency="eur", reference="7F4K-2222").startswith("<svg")
    assert account_problems() == []
    settings.BANK_IBAN, settings.BANK_BIC = "DE89370400440532013001", "X"
    assert [each.partition(":")[0] for each in account_problems()] == ["BANK_IBAN", "BANK_BIC"]
    assert bank_account() is None


@pytest.mark.long
def test_admins_find_orders_by_number_name_company_and_amount(browser_of, sam, placed):
    Order.objects.filter(pk=placed.pk).update(buyer={"name": "Müller & Söhne GmbH"})
    other = place_transfer_order(order=OrderFactory(), due_at=timezone.now() - timedelta(days=1), now=timezone.now())
    Order.objects.filter(pk=other.pk).update(list_price=999, total=999)
    browser = browser_of(sam)
    for text in (placed.number, placed.number.replace("-", "").lower(), "Mia", "söhne", "64", "64,00", "$64.00"):
        page = text_of(browser.get(ADMIN, {"q": text}))
        assert (placed.number in page, other.number in page) == (True, False), text
    assert placed.number not in text_of(browser.get(ADMIN, {"state": "overdue"}))
    assert other.number in text_of(browser.get(ADMIN, {"state": "overdue"}))
    assert "No matching orders" in text_of(browser.get(ADMIN, {"q": "99999999999999999999"}))
    for currency, total, text in (("jpy", 6400, "6400"), ("kwd", 64125, "64.125")):
        Order.objects.filter(pk=other.pk).update(list_price=total, total=total, currency=currency)
        page = text_of(browser.get(ADMIN, {"q": text}))
        assert (placed.number in page, other.number in page) == (False, True), text


def test_an_admin_records_a_part_and_then_the_rest(browser_of, sam, placed):
    browser, page = browser_of(sam), f"{ADMIN}/{placed.uid}"
    sent = {"amount": "40.00", "day": localdate().isoformat(), "uid": str(uuid4())}

    answer = browser.post(page, sent)
    assert answer.status_code == 409
    assert "$40.00 arrived, and $64.00 is missing" in text_of(answer)
    assert not Deposit.objects.exists()
    for _twice in range(2):
        assert browser.post(page, {**sent, "keeps": "1"}).status_code == 302
    assert Deposit.objects.get().amount == 4000
    assert "$24.00 is missing" in text_of(browser.get(page))
    for wrong in ({"amount": "0"}, {"amount": "24.001"}, {"day": "2999-01-01"}, {"amount": ""}):
        assert browser.post(page, {**sent, "uid": str(uuid4()), **wrong}).status_code == 422
    assert browser.post(page, {**sent, "amount": "24.00", "uid": str(uuid4())}).status_code == 302
    assert Payment.objects.get().amount == 6400
    assert browser.post(page, {**sent, "amount": "64.00", "uid": str(uuid4())}).status_code == 422  # it is paid

    assert browser.post(page, {**sent, "amount": "5.00", "uid": str(uuid4()), "keeps": "1"}).status_code == 302
    held = Deposit.objects.latest("pk")
    assert "$5.00" in text_of(browser.get(ADMIN, {"state": "returns"}))
    browser.post(f"/dashboard/admin/deposits/{held.uid}/return", {"day": localdate().isoformat()})
    held.refresh_from_db()
    assert held.rest == 0


def test_an_admin_cancels_with_a_reason(browser_of, sam, placed):
    browser, page = browser_of(sam), f"{ADMIN}/{placed.uid}"
    browser.post(f"{page}/cancel", {"reason": " "})
    placed.refresh_from_db()
    assert placed.status == "open"
    browser.post(f"{page}/cancel", {"reason": "Ordered twice"})
    placed.refresh_from_db()
    assert (placed.status, placed.canceled_by) == ("canceled", sam)
    assert "Ordered twice" in text_of(browser.get(page))


def test_a_refund_names_its_account_and_an_admin_transfers_it(browser_of, mia, sam, placed):
    payment = confirm_transfer(order=placed, received_on=localdate(), actor=sam, now=timezone.now())
    learner, admin = browser_of(mia), browser_of(sam)
    page = f"/billing/transactions/{payment.uid}/refund"
    sent = {"reason": "Too hard", "agrees": "on", "told": "immediate", "holder": "Mia Moreau", "number": IBAN[:-1]}

    answer = learner.post(page, sent)
    assert answer.status_code == 422
    assert "This IBAN is not valid" in text_of(answer)
    assert learner.post(page, {**sent, "number": "DE89 3704 0044 0532 0130 00"}).status_code == 302
    refund = Refund.objects.get()
    assert "account ending in 3000" in text_of(learner.get(f"/billing/transactions/{payment.uid}"))
    order_page = f"/billing/orders/{placed.uid}"
    assert "You asked for $64.00 back" in text_of(learner.get(order_page))

    returns = text_of(admin.get(ADMIN, {"state": "returns"}))
    assert IBAN in returns
    assert "Mia Moreau" in returns
    learner.post(f"/billing/refunds/{refund.uid}/account", {"holder": "M. Moreau", "number": "GB82WEST12345698765432"})
    refund.refresh_from_db()
    assert (refund.holder, refund.last4) == ("M. Moreau", "5432")
    admin.post(f"/dashboard/admin/refunds/{refund.uid}/transferred", {"day": "2999-01-01"})
    assert Refund.objects.get().status == "processing"
    admin.post(f"/dashboard/admin/refunds/{refund.uid}/transferred", {"day": localdate().isoformat()})
    assert Refund.objects.get().status == "done"
    closed = text_of(learner.get(order_page))
    assert "$64.00 was returned to you" in closed
    assert "Start learning" not in closed
    assert learner.get(f"/billing/refunds/{refund.uid}/account").status_code == 302

    admin.post(
        f"/dashboard/admin/refunds/{refund.uid}/rejected", {"reason": "Account closed", "day": localdate().isoformat()}
    )
    assert Refund.objects.get().status == "failed"
    again = admin.post(
        f"/dashboard/admin/payments/{payment.uid}/refund", {"amount": "64.00", "reason": "Sent back by the bank"}
    )
    second = Refund.objects.latest("pk")
    assert again["Location"] == f"/billing/refunds/{second.uid}/account"
    assert second.is_to_transfer
    admin.post(f"/dashboard/admin/refunds/{second.uid}/withdraw", {"reason": "Paid in cash"})
    second.refresh_from_db()
    assert (second.status, second.decision) == ("declined", "Paid in cash")


@pytest.mark.long
def test_the_lists_cost_the_same_for_many_orders(browser_of, sam, django_assert_max_num_queries):
    now = timezone.now()
    for _ in range(4):
        order = OrderFactory(course=PaidCourseFactory(), created_at=now)
        place_transfer_order(order=order, due_at=due_time(now), now=now)
    cancel_transfer_order(order=order, reason="-", actor=sam, now=now)
    browser = browser_of(sam)
    browser.get(ADMIN)
    for state in ("waiting", "settled", "returns"):
        with django_assert_max_num_queries(16):
            assert browser.get(ADMIN, {"state": state}).status_code == 200


# --- Where an open order is seen ----------------------------------------------------------------------


def make_bundle(admin, course):
    terms = BundleTerms(
        title="All of it", summary="", price=9900, courses=(course, PaidCourseFactory(instructor=course.instructor))
    )
    return create_bundle(by=admin, terms=terms, now=timezone.now())


def test_who_returns_sees_the_open_order_instead_of_buy(browser_of, mia, sam, paid, placed):
    bundle = make_bundle(sam, paid)
    browser, order = browser_of(mia), f"/billing/orders/{placed.uid}"
    course, checkout = f"/courses/{paid.slug}", f"/billing/checkout?bundle={bundle.slug}"
    told = f"$64.00, due on {due_day(placed)}, reference {placed.number}"
    for page in (course, "/me/dashboard", "/billing/transactions"):
        shown = text_of(browser.get(page))
        assert (told in shown, f'href="{order}"' in shown) == (True, True), page
    assert "Buy this course" not in text_of(browser.get(course))
    assert f"{order}/pay" in text_of(browser.get(course))
    section = SectionFactory(course=paid)
    preview, closed = (LessonFactory(section=section, is_preview=is_open) for is_open in (True, False))
    for page in (
        *(f"/learn/{paid.slug}/{each.slug}" for each in (preview, closed)),
        f"/me/course/{paid.slug}/progress",
    ):
        shown = text_of(browser.get(page))
        assert ("Buy this course" in shown, f'href="{order}"' in shown) == (False, True), page
    assert "pay for it here again" in text_of(browser.get(f"/bundles/{bundle.slug}/"))
    assert "you pay twice" in text_of(browser.get(checkout))

    record_transfer(
        order=placed, amount=4000, received_on=localdate(), actor=sam, uid=uuid4(), keeps_difference=True,
        now=timezone.now(),
    )  # fmt: skip
    assert "$24.00, due on" in text_of(browser.get(course))
    assert "$40.00 of your transfer has arrived" in text_of(browser.get(f"{order}/pay"))
    cancel_transfer_order(order=placed, reason="-", actor=mia, now=timezone.now())
    assert "Buy this course" in text_of(browser.get(course))
    assert "Waiting for your transfer" not in text_of(browser.get("/me/dashboard"))


def test_an_order_of_a_bundle_is_seen_beside_its_courses(browser_of, mia, sam, paid):
    bundle = make_bundle(sam, paid)
    terms = {"bundle": bundle.slug, "total": 9900, "currency": "usd", "agrees": True, "method": "transfer"}
    browser = browser_of(mia)
    assert browser.post("/api/v1/billing/orders/", terms, content_type="application/json").status_code == 201
    for page in (f"/courses/{paid.slug}", f"/bundles/{bundle.slug}/"):
        shown = text_of(browser.get(page))
        assert "$99.00, due on" in shown, page
        assert "See the payment details" in shown
    assert "Buy this bundle" not in text_of(browser.get(f"/bundles/{bundle.slug}/"))
    checkout = text_of(browser.get(f"/billing/checkout?course={paid.slug}"))
    assert "You've ordered a part of this by bank transfer" in checkout


def test_who_has_the_course_by_now_is_told_before_they_transfer(browser_of, mia, sam, paid, placed):
    browser, page = browser_of(mia), f"/billing/orders/{placed.uid}"
    assert "already have access" not in text_of(browser.get(page))
    for changes, said in (
        ({"pricing": "free", "price": 0}, f"You already have access to {paid.title}"),
        ({"pricing": "one_time", "price": 6400, "status": "suspended"}, f"{paid.title} isn't offered at the moment"),
        ({"status": "draft"}, f"{paid.title} isn't offered at the moment"),
        ({"status": "archived"}, ""),
    ):
        Course.objects.filter(pk=paid.pk).update(**changes)
        shown, admin = text_of(browser.get(page)), text_of(browser_of(sam).get(f"{ADMIN}/{placed.uid}"))
        assert (said in shown, "isn't offered" in shown) == (True, "isn't offered" in said), changes
        assert ("isn't published" in admin) == ("isn't offered" in said)
    confirm_transfer(order=placed, received_on=localdate(), actor=sam, now=timezone.now())
    assert browser.get(f"/courses/{paid.slug}").status_code == 200


# --- Bank charges, and what comes back ----------------------------------------------------------------


def test_an_admin_bears_bank_charges_and_records_what_came_back(browser_of, sam, placed):
    browser, page = browser_of(sam), f"{ADMIN}/{placed.uid}"
    sent = {"amount": "63.50", "day": localdate().isoformat(), "uid": str(uuid4())}
    shown = text_of(browser.post(page, sent))
    assert "Confirm: $0.50 are bank charges" in shown
    assert "are bank charges" not in text_of(browser.post(page, {**sent, "amount": "20.00"}))
    browser.post(page, {**sent, "keeps": "1"})
    shown = text_of(browser.get(page))
    assert 'name="missing" value="50"' in shown
    for wrong in ({}, {"missing": "x"}, {"missing": "51"}):
        browser.post(f"{page}/charges", wrong)
    assert not Payment.objects.exists()
    browser.post(f"{page}/charges", {"missing": "50"})
    assert Payment.objects.get().amount == 6400
    assert "$0.50 kept by banks" in text_of(browser.get(page))

    browser.post(page, {**sent, "amount": "5.00", "uid": str(uuid4()), "keeps": "1"})
    held, today = Deposit.objects.latest("pk"), {"day": localdate().isoformat()}
    for act, rest in (("return", 0), ("rejected", 500)):
        browser.post(f"/dashboard/admin/deposits/{held.uid}/{act}", {"day": ""})
        browser.post(f"/dashboard/admin/deposits/{held.uid}/{act}", today)
        held.refresh_from_db()
        assert held.rest == rest
