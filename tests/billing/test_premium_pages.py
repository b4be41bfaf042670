"""The pages about Premium: what they promise, what each state of a subscription shows, and their guards."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from apps.billing import gateway
from apps.billing.models import Grant, Subscription
from apps.billing.services import plan_changes
from apps.learning.models import Enrollment
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.selling import CardFactory, GrantFactory, PaymentFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db
PAGE = "/billing/subscriptions"
END = datetime(2026, 12, 24, 12, tzinfo=UTC)


def text_of(answer):
    return unescape(" ".join(answer.content.decode().split()))


@pytest.fixture
def premium_course(ada):
    return CourseFactory(instructor=ada, title="Essays That Hold", slug="essays", status="published", pricing="premium")


@pytest.fixture
def as_leo(client, leo):
    client.force_login(leo)
    return client


def subscribed(user, status="active", **other):
    return SubscriptionFactory(
        user=user, status=status, period_end=END, trial_end=END, grace_until=END, ended_at=END, **other
    )


# --- /premium -------------------------------------------------------------------------------------


def test_the_page_sells_what_there_is(client, premium_course, settings, django_assert_max_num_queries):
    settings.PREMIUM_TRIAL_DAYS, settings.GRACE_DAYS = 5, 4
    CourseFactory(status="draft", pricing="premium", title="Not yet")

    with django_assert_max_num_queries(6):
        page = text_of(client.get("/premium?course=essays"))

    assert "1 Premium course for one price" in page
    assert "“Essays That Hold” is one of them." in page
    assert "Try it for 5 days" in page
    assert "You keep Premium for 4 more days" in page
    assert "$14 a month" in page
    assert "$140" in page
    assert "Not yet" not in page
    # $140 for 52 weeks of 1, 3, 5 and 10 hours
    assert re.findall(r"</progress><b>(.*?)</b>", page) == ["$2.69", "$0.90", "$0.54", "$0.27"]


def test_a_monthly_subscriber_sees_what_a_year_saves(as_leo, leo):
    subscribed(leo)

    page = text_of(as_leo.get("/premium"))

    assert "Yearly saves you $28 a year." in page
    assert "Try it" not in page


@pytest.mark.parametrize("slug", ["none", "", "%00", "<script>"])
def test_a_course_that_premium_does_not_open_is_not_named(client, premium_course, slug):
    page = client.get(f"/premium?course={slug}")

    assert page.status_code == 200
    assert "is one of them" not in text_of(page)


def test_who_had_a_trial_is_offered_none(as_leo, leo):
    subscribed(leo, "ended")

    page = text_of(as_leo.get("/premium"))

    assert "Get Premium" in page
    assert "Try it" not in page
    assert "when the trial ends" not in page


# --- /billing/subscriptions -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "fields", "says", "says_not"),
    [
        ("active", {}, "Renews on 24 December 2026 for $14.00, charged to the card ending 4242.", "Resume Premium"),
        ("trialing", {}, "Free trial until 24 December 2026. The first payment is $14.00, charged", "Resume Premium"),
        ("active", {"cancels_at_period_end": True}, "You keep Premium until 24 December 2026", "Next invoice"),
        ("past_due", {}, "Update card and pay now", "Next invoice"),
        ("incomplete", {}, "Finish the payment", "Next invoice"),
        ("ended", {}, "Free content is still available", "Cancel Premium"),
    ],
)
def test_each_state_says_what_is_next(as_leo, leo, status, fields, says, says_not, django_assert_max_num_queries):
    subscribed(leo, status, **fields)
    CardFactory(user=leo, is_default=True)

    with django_assert_max_num_queries(10):
        page = text_of(as_leo.get(PAGE))

    assert says in page
    assert says_not not in page


def test_it_shows_what_was_paid_and_opened(as_leo, leo, premium_course):
    row = subscribed(leo)
    PaymentFactory.create_batch(
        2, user=leo, kind="premium", course=None, instructor=None, title="Premium", list_price=1400, subscription=row
    )
    PaymentFactory(user=leo)
    GrantFactory(user=leo, course=premium_course, source=Grant.Source.PREMIUM, subscription=row)

    page = text_of(as_leo.get(PAGE))

    paid = '<a class="link" href="/billing/transactions">$28.00</a>'
    assert f"<dt>Paid so far</dt><dd>{paid}</dd><dt>Courses opened</dt><dd>1</dd>" in page


def test_without_a_subscription_it_leads_to_premium(as_leo):
    assert 'href="/premium"' in text_of(as_leo.get(PAGE))


def test_nobody_sees_the_subscription_of_someone_else(as_leo, mia):
    subscribed(mia)

    assert "You don't have Premium" in text_of(as_leo.get(PAGE))


def test_a_change_of_plan_is_agreed_to_with_the_amount(as_leo, leo, monkeypatch):
    subscribed(leo)
    now = timezone.now().replace(microsecond=0)
    shown = gateway.ChangePreview(13210, 790, "usd", now, now + timedelta(days=365))
    monkeypatch.setattr(plan_changes, "preview_change", lambda **_: shown)
    asked = []

    def change(**given):
        asked.append(given)
        return Subscription(plan="yearly")

    monkeypatch.setattr(plan_changes, "change_plan", change)

    page = text_of(as_leo.get(f"{PAGE}/plan?to=yearly"))
    assert "Pay $132.10 and switch" in page
    assert "−$7.90" in page
    form = {"plan": "yearly", "amount": "13210", "currency": "usd", "moment": now.isoformat()}
    answer = as_leo.post(f"{PAGE}/plan/agree", form)

    assert answer["Location"] == PAGE
    assert (asked[0]["expected_amount"], asked[0]["moment"], asked[0]["plan"]) == (13210, now, "yearly")


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": "-1"},
        {"amount": "1.5"},
        {"amount": "²"},
        {"moment": "soon"},
        {"moment": ""},
        {"moment": "0001-01-01T00:00:00+14:00"},
    ],
)
def test_a_tampered_form_changes_nothing(as_leo, leo, wrong, monkeypatch):
    subscribed(leo)
    monkeypatch.setattr(plan_changes, "change_plan", lambda **_: pytest.fail("changed"))
    form = {"plan": "yearly", "amount": "1", "currency": "usd", "moment": timezone.now().isoformat(), **wrong}

    page = as_leo.post(f"{PAGE}/plan/agree", form, follow=True)

    assert "The price has changed" in text_of(page)


@pytest.mark.parametrize("act", ["cancel", "resume"])
def test_acting_without_a_subscription_says_so(as_leo, act):
    page = as_leo.post(f"{PAGE}/{act}", follow=True)

    assert "You don't have a Premium subscription right now." in text_of(page)


@pytest.mark.parametrize("act", ["cancel", "resume", "plan/agree"])
def test_acting_needs_a_form_of_the_site(leo, act):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(leo)

    assert browser.post(f"{PAGE}/{act}").status_code == 403
    assert browser.get(f"{PAGE}/{act}").status_code == 405


# --- The checkout ---------------------------------------------------------------------------------


def test_the_checkout_says_when_the_first_payment_is_made(as_leo, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        page = text_of(as_leo.get("/billing/premium?plan=monthly"))

    assert "Due today</span><b>$0.00</b>" in page
    assert "and you pay nothing" in page


def test_the_checkout_returns_to_the_course_whichever_plan_is_chosen(as_leo, premium_course):
    page = text_of(as_leo.get("/billing/premium?plan=yearly&course=essays"))

    assert 'href="?plan=monthly&course=essays"' in page
    assert '"next": "/courses/essays"' in page


@pytest.mark.parametrize(
    ("address", "status", "leads_to"),
    [
        ("/billing/premium?plan=monthly", "active", PAGE),
        ("/billing/premium?plan=forever", None, "/premium"),
        ("/billing/renew", None, "/premium"),
        ("/billing/renew", "active", PAGE),
        ("/billing/renew", "ended", "/billing/premium?plan=monthly"),
    ],
)
def test_the_checkout_leads_where_something_can_be_done(as_leo, leo, address, status, leads_to):
    if status:
        subscribed(leo, status)

    assert as_leo.get(address)["Location"] == leads_to


def test_renewing_names_the_courses_that_open_again(as_leo, leo, premium_course):
    row = subscribed(leo, "ended")
    GrantFactory(
        user=leo,
        course=premium_course,
        source=Grant.Source.PREMIUM,
        subscription=row,
        ended_at=END,
        end_reason=Grant.End.PREMIUM_ENDED,
    )

    assert "Essays That Hold" in text_of(as_leo.get("/billing/premium?plan=monthly"))


def test_a_failed_payment_can_be_paid(as_leo, leo):
    subscribed(leo, "past_due")

    page = text_of(as_leo.get("/billing/renew"))

    assert "Pay for Premium" in page
    assert "Due today</span><b>$14.00</b>" in page


# --- Courses that Premium opens -------------------------------------------------------------------


@pytest.fixture
def lost(leo, premium_course):
    """A course that Premium had opened to Leo."""
    row = subscribed(leo, "ended")
    LessonFactory(course=premium_course, slug="first", kind="text")
    Enrollment.objects.create(
        user=leo, course=premium_course, enrolled_at=END, last_activity_at=END, revoked_at=END, percent=30
    )
    GrantFactory(
        user=leo,
        course=premium_course,
        source=Grant.Source.PREMIUM,
        subscription=row,
        ended_at=END,
        end_reason=Grant.End.PREMIUM_ENDED,
    )
    return premium_course


def test_a_lesson_says_that_premium_has_ended(as_leo, lost):
    answer = as_leo.get("/learn/essays/first")
    page = text_of(answer)

    assert answer.status_code == 402
    assert 'data-error="SUBSCRIPTION_EXPIRED"' in page
    assert "Free content is still available" in page
    assert 'href="/billing/renew"' in page


def test_the_api_says_that_premium_has_ended(as_leo, lost):
    answer = as_leo.get(f"/api/v1/lessons/{lost.lessons.get().uid}/player/")

    assert (answer.status_code, answer.json()["code"]) == (402, "SUBSCRIPTION_EXPIRED")


def test_who_never_had_premium_is_asked_to_enroll(client, mia, lost):
    client.force_login(mia)

    page = text_of(client.get("/learn/essays/first"))

    assert 'data-error="ENROLLMENT_REQUIRED"' in page
    assert 'href="/premium?course=essays"' in page


def test_the_subscription_counts_the_courses_that_open_again(as_leo, lost):
    assert "We've kept your progress in 1 Premium course" in text_of(as_leo.get(PAGE))


def test_the_course_page_says_the_same(as_leo, lost):
    page = text_of(as_leo.get("/courses/essays"))

    assert "free content is still available" in page
    assert 'href="/billing/renew"' in page


def test_a_subscriber_enrolls_on_the_course_page(as_leo, leo, premium_course):
    subscribed(leo)
    assert "Start learning" in text_of(as_leo.get("/courses/essays"))

    as_leo.post("/courses/enroll", {"course": "essays"})

    assert Enrollment.objects.active().filter(user=leo, course=premium_course).exists()
    assert Grant.objects.active().get(user=leo).source == Grant.Source.PREMIUM


def test_enrolling_without_premium_leads_to_premium(as_leo, premium_course):
    assert as_leo.get("/courses/enroll?course=essays")["Location"] == "/premium?course=essays"
