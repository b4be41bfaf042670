"""The checkout and the pages of its outcome."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.billing.models import Order
from apps.billing.services import promo
from apps.courses.models import Course
from tests.factories.courses import CourseFactory
from tests.factories.selling import (
    CardFactory,
    GrantFactory,
    OrderFactory,
    PaidCourseFactory,
    PaymentFactory,
    PromoCodeFactory,
)

pytestmark = pytest.mark.django_db

SUCCESS, ERROR = "/payment-success?order=%s", "/payment-error?order=%s"


@pytest.fixture
def paid(ada) -> Course:
    return PaidCourseFactory(instructor=ada, slug="compilers", title="How Compilers Think")


def checkout(browser, course, **extra):
    return browser.get(f"/billing/checkout?course={course.slug}", **extra)


def props_of(answer) -> dict:
    found = re.search(r'<script type="application/json">(.*?)</script>', answer.content.decode(), re.S)
    assert found
    return json.loads(found[1])


def policy_of(answer) -> dict[str, list[str]]:
    return {part.split()[0]: part.split()[1:] for part in answer["Content-Security-Policy"].split("; ")}


def test_the_checkout_shows_the_course_and_its_price_without_scripts(browser_of, mia, paid):
    page = checkout(browser_of(mia), paid).content.decode()

    for shown in (
        "How Compilers Think",
        paid.instructor.display_name,
        "$64.00",
        "Due today",
        "Paying needs JavaScript",
    ):
        assert shown in page


def test_a_visitor_signs_in_first(client, paid):
    answer = checkout(client, paid)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/auth/login")


@pytest.mark.parametrize("slug", ["nothing", "", "a\x00b"])
def test_an_unknown_course_has_no_checkout(browser_of, mia, slug):
    assert browser_of(mia).get("/billing/checkout", {"course": slug}).status_code == 404


def test_a_draft_is_not_sold_and_not_revealed(browser_of, mia):
    assert checkout(browser_of(mia), PaidCourseFactory(status="draft")).status_code == 404
    assert checkout(browser_of(mia), PaidCourseFactory(status="archived")).status_code == 409


@pytest.mark.parametrize("pricing", ["free", "premium"])
def test_a_course_without_a_price_leads_to_its_enrollment(browser_of, mia, pricing):
    course = CourseFactory(status="published", pricing=pricing)

    assert checkout(browser_of(mia), course)["Location"] == f"/courses/enroll?course={course.slug}"


def test_a_course_that_is_open_leads_to_its_lessons(browser_of, mia, ada, paid):
    GrantFactory(user=mia, course=paid)

    assert checkout(browser_of(mia), paid)["Location"] == "/learn/compilers"
    assert checkout(browser_of(ada), paid)["Location"] == "/learn/compilers"


def test_the_checkout_needs_seven_queries_however_many_cards_and_orders(
    browser_of, mia, paid, django_assert_max_num_queries
):
    browser = browser_of(mia)
    CardFactory.create_batch(9, user=mia)
    OrderFactory.create_batch(9, user=mia, status=Order.Status.CANCELED)
    OrderFactory(user=mia, course=paid, promo_code=PromoCodeFactory())

    with django_assert_max_num_queries(7):
        assert checkout(browser, paid).status_code == 200


def test_saved_cards_come_with_what_makes_them_unusable(browser_of, mia, leo, paid):
    now = timezone.now()
    CardFactory(user=mia, last4="1111", exp_year=now.year, exp_month=now.month)
    CardFactory(user=mia, last4="2222", exp_year=now.year - 1)
    CardFactory(user=mia, last4="3333", declined_at=now)
    CardFactory(user=mia, last4="4444", is_default=True)
    CardFactory(user=mia, last4="5555", removed_at=now)
    CardFactory(user=leo, last4="6666")

    cards = props_of(checkout(browser_of(mia), paid))["cards"]

    assert [card["last4"] for card in cards] == ["4444", "1111", "2222", "3333"]
    assert [card["is_expired"] for card in cards] == [False, False, True, False]
    assert [card["declined_on"] != "" for card in cards] == [False, False, False, True]


def test_a_live_order_is_continued_with_its_code_and_country(browser_of, mia, paid):
    code = PromoCodeFactory(code="HEDGE", percent=10)
    order = OrderFactory(user=mia, course=paid, promo_code=code, discount=640, total=5760, country="FI")

    props = props_of(checkout(browser_of(mia), paid))

    assert props["order"] == {"uid": str(order.uid), "number": order.number, "status": "open"}
    assert (props["quote"]["code"], props["quote"]["total"], props["country"]) == ("HEDGE", 5760, "FI")


def test_orders_of_others_and_of_other_courses_do_not_matter(browser_of, mia, leo, paid):
    OrderFactory(user=leo, course=paid)
    OrderFactory(user=mia)

    assert props_of(checkout(browser_of(mia), paid))["order"] is None


@pytest.mark.parametrize(
    ("languages", "country"),
    [
        ("fi-FI,en;q=0.5", "FI"),
        ("en", ""),
        ("zh-Hant-TW", "TW"),
        ("", ""),
        ("<script>", ""),
        ("en-ZZ", ""),
        ("en-US;q=0.9", "US"),
    ],
)
def test_the_country_is_guessed_from_the_browser(browser_of, mia, paid, languages, country):
    answer = checkout(browser_of(mia), paid, headers={"Accept-Language": languages})

    assert props_of(answer)["country"] == country


def test_the_price_contains_the_tax_of_the_country(browser_of, mia, paid, settings):
    settings.TAX_RATES = {"FI": 2550}
    answer = checkout(browser_of(mia), paid, headers={"Accept-Language": "fi-FI"})

    assert "$13.00 tax included" in answer.content.decode()
    assert props_of(answer)["needs_country"] is True


def test_only_the_checkout_allows_the_scripts_of_the_provider(browser_of, mia, paid, settings):
    settings.BILLING_MODE = "stripe"
    browser = browser_of(mia)
    allowed = policy_of(checkout(browser, paid))

    assert "https://js.stripe.com" in allowed["script-src"]
    assert "https://hooks.stripe.com" in allowed["frame-src"]
    assert "https://api.stripe.com" in allowed["connect-src"]
    for other in ("/", "/courses/compilers", "/settings/profile"):
        assert "stripe" not in browser.get(other)["Content-Security-Policy"]


def test_the_checkout_names_the_key_and_the_script_of_the_stand_in(browser_of, mia, paid, settings):
    settings.STRIPE_API_HOST, settings.STRIPE_PUBLISHABLE_KEY = "http://127.0.0.1:9", "pk_test_x"
    answer = checkout(browser_of(mia), paid)

    assert props_of(answer)["provider"] == {"key": "pk_test_x", "script": "http://127.0.0.1:9/js/stripe.js"}
    for name in ("script-src", "frame-src", "connect-src"):
        assert "http://127.0.0.1:9" in policy_of(answer)[name]
    settings.BILLING_MODE = "stripe"
    assert props_of(checkout(browser_of(mia), paid))["provider"]["script"] == ""


def test_a_paid_order_shows_what_was_bought(browser_of, mia, paid):
    order = OrderFactory(user=mia, course=paid, status=Order.Status.PAID)
    PaymentFactory(user=mia, course=paid, order=order, receipt_number="2026-000042", discount=640, amount=5760)

    answer = browser_of(mia).get(SUCCESS % order.uid)
    page = answer.content.decode()

    for shown in ("How Compilers Think is yours", "$57.60", "−$6.40", "Visa •••• 4242", "2026-000042", order.number):
        assert shown in page
    assert 'href="/learn/compilers"' in page
    assert browser_of(mia).get(ERROR % order.uid)["Location"] == SUCCESS % order.uid


def test_a_free_order_shows_no_card_and_no_refund(browser_of, mia, paid):
    order = OrderFactory(user=mia, course=paid, status=Order.Status.PAID, discount=6400, total=0)
    PaymentFactory(user=mia, course=paid, order=order, discount=6400, amount=0, card_last4="", card_brand="")

    page = browser_of(mia).get(SUCCESS % order.uid).content.decode()

    assert "Yours since" in page
    assert "••••" not in page
    assert "Refundable" not in page


def test_an_order_in_progress_is_watched(browser_of, mia, paid):
    order = OrderFactory(user=mia, course=paid, status=Order.Status.PROCESSING)
    answer = browser_of(mia).get(SUCCESS % order.uid)

    assert 'data-island="payment-status"' in answer.content.decode()
    assert props_of(answer) == {"uid": str(order.uid)}


def test_a_failed_payment_says_that_nothing_was_charged(browser_of, mia, paid):
    failed = {"status": Order.Status.CANCELED, "failure_message": "Your card has insufficient funds."}
    order = OrderFactory(user=mia, course=paid, **failed)

    page = browser_of(mia).get(ERROR % order.uid).content.decode()

    assert "Your card has insufficient funds." in page
    assert "Nothing was charged." in page
    assert 'href="/billing/checkout?course=compilers"' in page
    assert browser_of(mia).get(SUCCESS % order.uid)["Location"] == ERROR % order.uid


@pytest.mark.parametrize("page", [SUCCESS, ERROR])
def test_orders_of_others_and_unknown_ones_do_not_exist(browser_of, mia, sam, client, paid, page):
    order = OrderFactory(course=paid)

    assert browser_of(mia).get(page % order.uid).status_code == 404
    assert browser_of(sam).get(page % order.uid).status_code == 404
    assert browser_of(mia).get(page % "x' OR 1=1").status_code == 404
    assert browser_of(mia).get(page % "").status_code == 404
    assert client.get(page % order.uid)["Location"].startswith("/auth/login")


def test_a_code_that_an_open_order_holds_can_be_applied_again(browser_of, mia, paid):
    code = PromoCodeFactory(code="HEDGE", percent=10, limit=1)
    held = promo.reserve(code=code, user=mia, now=timezone.now())
    order = OrderFactory(user=mia, course=paid, promo_code=code, redemption=held)
    asked = {"course": "compilers", "code": "hedge"}

    assert browser_of(mia).post("/api/v1/billing/quote/", asked, "application/json").status_code == 200
    Order.objects.filter(pk=order.pk).update(status=Order.Status.PAID)
    assert browser_of(mia).post("/api/v1/billing/quote/", asked, "application/json").status_code == 409


def test_enrolling_in_a_course_with_a_price_leads_to_the_checkout(browser_of, mia, ada, paid):
    enroll = "/courses/enroll?course=compilers"

    assert browser_of(mia).get(enroll)["Location"] == "/billing/checkout?course=compilers"
    GrantFactory(user=mia, course=paid, created_at=timezone.now() - timedelta(days=1))
    assert "Open to you" in browser_of(mia).get(enroll).content.decode()


@pytest.mark.parametrize("page", ["/payment-success", "/payment-error"])
def test_without_an_order_they_lead_to_all_payments(browser_of, mia, page):
    assert browser_of(mia).get(page)["Location"] == "/billing/transactions"
