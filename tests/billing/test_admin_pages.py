"""What admins see of payments: revenue, refund requests, disputes."""

from datetime import timedelta

import pytest
import time_machine

from apps.billing import gateway, services
from apps.billing.models import Dispute, Payment, Refund
from apps.billing.queries import revenue
from apps.billing.services.payments import book_sale
from tests.factories.accounts import UserFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.selling import NOW, GrantFactory, PaymentFactory

pytestmark = pytest.mark.django_db
ADMIN = "/dashboard/admin"


@pytest.fixture
def paid(mia) -> Payment:
    payment = PaymentFactory(user=mia, title="How Compilers Think", amount=6400, tax=1000, fee=216)
    book_sale(payment)
    return payment


@pytest.fixture
def request_waiting(paid, mia) -> Refund:
    return Refund.objects.create(
        payment=paid, amount=6400, status="requested", reason="It was too easy.", requested_by=mia, requested_at=NOW
    )


@pytest.fixture
def provider(monkeypatch):
    made: list[gateway.RefundState] = []

    def create(*, intent, amount, key, refund):
        made.append(gateway.RefundState("re_1", intent, amount, "usd", "succeeded", "", NOW, {"refund": refund}))

    monkeypatch.setattr(gateway, "create_refund", create)
    monkeypatch.setattr(gateway, "refunds_of", lambda intent: made)
    return made


def test_months_are_after_refunds_and_without_tax(paid):
    services.post_refund("re_1", paid.gateway_id, 3200, occurred_at=NOW + timedelta(days=31), gateway_id="re_1")
    services.post_subscription_payment("pi_premium", 1400, 0, "usd", occurred_at=NOW)

    months = revenue.months_until(NOW + timedelta(days=40), "usd")

    assert len(months) == 12
    june, july = months[-2:]
    assert (june.first.month, june.courses, june.premium, june.refunded, june.fees) == (6, 5400, 1400, 0, 216)
    assert (july.courses, july.refunded, july.net) == (-2700, -2700, -2700)
    assert revenue.best_courses(NOW + timedelta(days=40), "usd") == [(paid.course_id, paid.course, 2700)]


@time_machine.travel(NOW + timedelta(days=2), tick=False)
def test_the_page_shows_figures_and_the_active_provider(browser_of, sam, paid, request_waiting, settings):
    Dispute.objects.create(payment=paid, gateway_id="dp_1", amount=6400, opened_at=NOW)
    browser = browser_of(sam)

    page = browser.get(f"{ADMIN}/revenue").content.decode()
    assert "$54" in page
    assert "Stand-in for Stripe" in page
    assert "1 request waiting" in page
    home = browser.get(f"{ADMIN}/").content.decode()
    assert "Revenue this month" in home
    assert "1 refund needs a decision" in home
    assert "1 open dispute" in page
    settings.BILLING_MODE, settings.STRIPE_LIVE_MODE = "stripe", True
    assert "Stripe, live" in browser.get(f"{ADMIN}/revenue").content.decode()
    assert "$64" in browser.get(f"{ADMIN}/disputes").content.decode()


def test_an_empty_platform_has_no_revenue(browser_of, sam):
    for page in ("revenue", "refunds", "disputes"):
        assert browser_of(sam).get(f"{ADMIN}/{page}").status_code == 200


def test_queries_do_not_depend_on_the_number_of_sales(browser_of, sam, paid, django_assert_max_num_queries):
    browser = browser_of(sam)
    for count in (0, 5):
        for _ in range(count):
            book_sale(PaymentFactory(course=paid.course, instructor=paid.instructor))
        with django_assert_max_num_queries(12):
            browser.get(f"{ADMIN}/revenue")


@pytest.mark.parametrize(("decision", "status"), [("grant", "done"), ("decline", "declined")])
def test_a_request_is_decided_with_a_reason(browser_of, sam, request_waiting, provider, decision, status):
    browser, address = browser_of(sam), f"{ADMIN}/refunds/{request_waiting.uid}/decide"
    assert "It was too easy." in browser.get(f"{ADMIN}/refunds").content.decode()

    browser.post(address, {"decision": decision})
    request_waiting.refresh_from_db()
    assert request_waiting.status == "requested"  # without a reason nothing is decided

    browser.post(address, {"decision": decision, "reason": "As agreed."})
    request_waiting.refresh_from_db()
    assert (request_waiting.status, request_waiting.decision) == (status, "As agreed.")
    assert len(provider) == (1 if decision == "grant" else 0)
    assert (
        "already decided"
        in browser.post(address, {"decision": decision, "reason": "Twice."}, follow=True).content.decode()
    )


@pytest.mark.parametrize(
    ("amount", "refunded"), [("20.50", 2050), ("64", 6400), ("64.01", 0), ("0", 0), ("-5", 0), ("1.005", 0), ("x", 0)]
)
def test_an_admin_refunds_a_part_of_any_payment(browser_of, sam, paid, provider, amount, refunded):
    browser = browser_of(sam)
    assert str(paid.uid) in browser.get(f"{ADMIN}/refunds?q={paid.receipt_number}").content.decode()

    answer = browser.post(f"{ADMIN}/payments/{paid.uid}/refund", {"amount": amount, "reason": "Kindness"})

    paid.refresh_from_db()
    assert (answer.status_code, paid.refunded) == (302 if refunded else 422, refunded)
    assert [one.amount for one in provider] == ([refunded] if refunded else [])


def test_an_instructor_and_a_learner_decide_nothing(browser_of, ada, mia, paid, request_waiting, provider):
    for person in (ada, mia):
        browser = browser_of(person)
        browser.post(f"{ADMIN}/refunds/{request_waiting.uid}/decide", {"decision": "grant", "reason": "x"})
        browser.post(f"{ADMIN}/payments/{paid.uid}/refund", {"amount": "1", "reason": "x"})
        assert browser.get(f"{ADMIN}/revenue").status_code == 302
    request_waiting.refresh_from_db()
    assert (request_waiting.status, provider) == ("requested", [])


def test_fifty_waiting_refunds_cost_no_query_each(browser_of, sam, paid, django_assert_max_num_queries):
    def wait(payment):
        Refund.objects.create(payment=payment, amount=100, status="requested", requested_at=NOW)

    enrollment = EnrollmentFactory(user=paid.user, course=paid.course, percent=40)
    GrantFactory(user=paid.user, course=paid.course, source="purchase", payment=paid)
    browser = browser_of(sam)
    wait(paid)
    assert "40% of the course used" in browser.get(f"{ADMIN}/refunds").content.decode()
    for _ in range(50):
        wait(PaymentFactory(course=paid.course, user=UserFactory(), instructor=paid.instructor))
    with django_assert_max_num_queries(15):
        page = browser.get(f"{ADMIN}/refunds").content.decode()
    assert "51 refunds need a decision" in page
    assert page.count("0% of the course used") == 15 - 1 + 1  # a page, one of them with 40%
    assert enrollment.percent == 40


@time_machine.travel(NOW + timedelta(days=2), tick=False)
def test_revenue_in_other_currencies_is_shown_by_currency(browser_of, sam, paid):
    browser = browser_of(sam)
    assert 'currency=usd"' not in browser.get(f"{ADMIN}/revenue").content.decode()  # nothing to choose

    book_sale(PaymentFactory(user=paid.user, title="In euros", amount=9900, list_price=9900, currency="eur", fee=None))

    assert "€" not in browser.get(f"{ADMIN}/revenue").content.decode()
    euros = browser.get(f"{ADMIN}/revenue?currency=eur").content.decode()
    assert "€99" in euros
    assert "€69.30" in euros  # owed to the instructor
    assert "$54" not in euros
    assert "$54" in browser.get(f"{ADMIN}/revenue?currency=xyz").content.decode()
