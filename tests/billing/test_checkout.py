"""Buying a course, against the real stand-in: paid exactly once, and open exactly when paid."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.billing import gateway
from apps.billing.access import access_to
from apps.billing.errors import AlreadyOwned, NotForSale, PaymentProcessingError, PriceChanged, TermsNotAccepted
from apps.billing.models import Grant, LedgerLine, Order, Payment, PromoCode, Redemption
from apps.billing.purchases import purchase_of_course
from apps.billing.services import checkout, customers
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from tests.billing.conftest import ASKS, DECLINED, GOOD
from tests.factories.courses import CourseFactory
from tests.factories.selling import PromoCodeFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def begin(user, course, *, total=None, code="", card="", **other):
    return checkout.begin_order(
        user=user,
        purchase=purchase_of_course(course),
        code=code,
        country="",
        email="",
        expected_total=course.price if total is None else total,
        expected_currency=other.get("currency", "usd"),
        card=card,
        saves_card=other.get("saves_card", False),
        agrees=other.get("agrees", True),
        now=timezone.now(),
    )


def sync(order):
    return checkout.sync_order(order=order, now=timezone.now())


def is_enrolled(user, course):
    return Enrollment.objects.active().of(user.pk).filter(course=course).exists()


def charged(standin):
    """What the provider took, in minor units, in all."""
    found = standin.call("GET", "/v1/charges", {"limit": 100}, {"Authorization": f"Bearer {standin.secret_key}"})
    return sum(each["amount"] for each in found.body["data"] if each["paid"])


def balance(account):
    return sum(LedgerLine.objects.filter(account__code=account).values_list("amount", flat=True))


def test_a_learner_buys_a_course(standin, card_form, mia, ada, paid):
    begun = begin(mia, paid)
    assert begun.order.status == Order.Status.OPEN
    assert access_to(mia, paid) is None

    card_form.confirm(begun.client_secret)
    order = sync(begun.order)

    assert order.status == Order.Status.PAID
    assert access_to(mia, paid).source == "purchase"
    assert is_enrolled(mia, paid)
    payment = Payment.objects.get()
    assert (payment.amount, payment.currency, payment.card_last4, payment.fee) == (6400, "usd", "4242", 216)
    assert payment.receipt_number == f"{timezone.localtime().year}-000001"
    assert balance(f"instructor:{ada.pk}") == -4480
    assert balance("platform") == -1920
    assert balance("provider") == 6400 - 216


def test_asking_again_changes_nothing(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)

    for _ in range(3):
        sync(begun.order)

    assert Payment.objects.count() == Grant.objects.count() == 1
    assert balance("provider") == 6184


@pytest.mark.parametrize("number", [DECLINED, "4000000000009995", "4000000000000119", "4000000000000127"])
def test_a_declined_card_is_charged_nothing_and_gives_the_code_back(standin, card_form, mia, paid, number):
    code = PromoCodeFactory(code="HEDGE", limit=1)
    begun = begin(mia, paid, code="hedge", total=5760)
    card_form.confirm(begun.client_secret, number)

    order = sync(begun.order)

    assert order.status == Order.Status.CANCELED
    assert order.failure_message
    assert charged(standin) == 0
    assert not is_enrolled(mia, paid)
    code.refresh_from_db()
    assert (code.used, Redemption.objects.get().state) == (0, Redemption.State.RELEASED)


def test_after_a_declined_card_another_one_pays(standin, card_form, mia, paid):
    PromoCodeFactory(code="HEDGE", limit=1)
    first = begin(mia, paid, code="HEDGE", total=5760)
    card_form.confirm(first.client_secret, DECLINED)

    second = begin(mia, paid, code="HEDGE", total=5760)
    card_form.confirm(second.client_secret)

    assert sync(second.order).status == Order.Status.PAID
    assert second.order.number != first.order.number
    assert charged(standin) == 5760
    assert PromoCode.objects.get().used == 1


def test_the_secret_of_a_failed_attempt_pays_nothing_any_more(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret, DECLINED)
    sync(begun.order)

    answer = card_form.confirm(begun.client_secret, GOOD)

    assert "error" in answer
    assert charged(standin) == 0


@pytest.mark.parametrize(("accepts", "status"), [(True, "paid"), (False, "canceled")])
def test_a_bank_that_asks_its_customer(standin, card_form, mia, paid, accepts, status):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret, ASKS)
    assert sync(begun.order).status == Order.Status.OPEN

    card_form.answer_bank(begun.client_secret, accepts=accepts)

    assert sync(begun.order).status == status
    assert charged(standin) == (6400 if accepts else 0)
    assert is_enrolled(mia, paid) == accepts


def test_two_tabs_pay_once(standin, card_form, mia, paid):
    first, second = begin(mia, paid), begin(mia, paid)
    assert first.order.pk == second.order.pk

    card_form.confirm(first.client_secret)
    card_form.confirm(second.client_secret)

    sync(second.order)
    assert charged(standin) == 6400
    assert Payment.objects.count() == 1


def test_another_price_in_a_second_tab_cancels_the_payment_of_the_first(standin, card_form, mia, paid):
    PromoCodeFactory(code="HEDGE")
    first = begin(mia, paid)
    second = begin(mia, paid, code="HEDGE", total=5760)

    assert "error" in card_form.confirm(first.client_secret)
    card_form.confirm(second.client_secret)

    assert sync(second.order).status == Order.Status.PAID
    assert sync(first.order).status == Order.Status.CANCELED
    assert charged(standin) == 5760


def test_a_tab_that_was_left_open_does_not_pay_a_second_time(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)  # the answer to the browser is lost

    with pytest.raises(AlreadyOwned):
        begin(mia, paid)

    assert charged(standin) == 6400
    assert is_enrolled(mia, paid)


def test_a_code_of_100_percent_needs_no_card(standin, mia, paid):
    PromoCodeFactory(code="GIFT", percent=100)

    begun = begin(mia, paid, code="GIFT", total=0)

    assert begun.order.status == Order.Status.PAID
    assert begun.client_secret == ""
    assert is_enrolled(mia, paid)
    assert Payment.objects.get().amount == 0
    assert charged(standin) == 0


def test_what_would_cost_less_than_the_provider_charges_is_free(standin, mia, paid):
    PromoCodeFactory(code="NEARLY", amount=6380)

    assert begin(mia, paid, code="NEARLY", total=0).order.status == Order.Status.PAID


def test_a_saved_card_pays_the_next_course(standin, card_form, mia, ada, paid):
    from tests.factories.selling import PaidCourseFactory

    first = begin(mia, paid, saves_card=True)
    card = card_form.confirm(first.client_secret)["payment_method"]
    sync(first.order)
    saved = customers.sync_card(card=card, now=timezone.now())
    assert (saved.brand, saved.last4, saved.is_default) == ("visa", "4242", True)

    other = PaidCourseFactory(instructor=ada)
    second = begin(mia, other, card=str(saved.uid))
    card_form.confirm(second.client_secret, method=second.card.gateway_id)

    assert sync(second.order).status == Order.Status.PAID


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"total": 1}, PriceChanged),
        ({"total": 6401}, PriceChanged),
        ({"currency": "jpy"}, PriceChanged),
        ({"agrees": False}, TermsNotAccepted),
    ],
)
def test_a_tampered_order_is_refused(standin, mia, paid, changes, refusal):
    with pytest.raises(refusal):
        begin(mia, paid, **changes)

    assert not Order.objects.exists()


def test_what_is_not_for_sale_cannot_be_bought(standin, mia, ada):
    with pytest.raises(NotForSale):
        begin(mia, CourseFactory(status="published"))
    with pytest.raises(NotForSale):
        begin(mia, CourseFactory(status="published", pricing="premium"))
    with pytest.raises(CourseNotFound):
        begin(mia, CourseFactory(status="draft", pricing="one_time", price=900))


def test_a_provider_that_cannot_be_reached_leaves_an_order_that_goes_on_later(standin, card_form, mia, paid, settings):
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    with pytest.raises(PaymentProcessingError):
        begin(mia, paid)
    assert Order.objects.get().status == Order.Status.OPEN

    settings.STRIPE_API_HOST = standin.address
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)

    assert sync(begun.order).status == Order.Status.PAID
    assert Order.objects.count() == 1


def test_a_payment_whose_browser_went_away_opens_the_course_by_a_webhook(standin, webhooks, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)

    assert webhooks() > 0

    assert is_enrolled(mia, paid)
    assert webhooks() == 0


def test_a_payment_whose_webhook_was_lost_opens_the_course_by_a_job(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)

    assert checkout.follow_order(order_id=begun.order.pk, now=timezone.now() + timedelta(minutes=2))

    assert is_enrolled(mia, paid)


def test_an_order_that_nobody_pays_is_given_up_after_an_hour(standin, card_form, mia, paid):
    code = PromoCodeFactory(code="HEDGE", limit=1)
    begun = begin(mia, paid, code="HEDGE", total=5760)

    assert not checkout.follow_order(order_id=begun.order.pk, now=timezone.now() + timedelta(minutes=59))
    assert checkout.follow_order(order_id=begun.order.pk, now=timezone.now() + timedelta(minutes=61))

    assert "error" in card_form.confirm(begun.client_secret)
    code.refresh_from_db()
    assert code.used == 0


def test_an_order_is_followed_by_a_job_from_its_first_moment(standin, mia, paid):
    begun = begin(mia, paid)

    assert jobs.queue.Job.objects.filter(kind="billing.follow_order", payload__order_id=begun.order.pk).exists()


def test_a_course_that_was_paid_twice_is_refunded_once(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)
    sync(begun.order)
    # As if the constraint on live orders had failed: a second order of the same course.
    second = Order.objects.create(
        user=mia, course=paid, list_price=6400, total=6400, currency="usd", email="", title=paid.title,
        created_at=timezone.now(),
    )  # fmt: skip
    second.lines.create(
        position=0, course=paid, title=paid.title, instructor=paid.instructor, share=7000, list_price=6400, total=6400
    )
    intent = gateway.create_payment_intent(
        customer=customers.ensure_customer(mia).gateway_id, amount=6400, currency="usd", description="", order="",
        saves_card=False, key=str(second.uid),
    )  # fmt: skip
    Order.objects.filter(pk=second.pk).update(intent_id=intent.id)
    card_form.confirm(intent.client_secret)

    sync(second)
    jobs.run_pending("default")

    first, other = Payment.objects.order_by("pk")
    assert (first.refunded, other.refunded) == (0, 6400)
    assert is_enrolled(mia, paid)
    assert balance("provider") == 6400 - 2 * 216


def test_a_job_waits_while_the_provider_cannot_be_reached(standin, card_form, mia, paid, settings):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)
    following = jobs.queue.Job.objects.get(kind="billing.follow_order")
    jobs.queue.Job.objects.update(run_at=timezone.now())
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    jobs.run_pending("default")
    following.refresh_from_db()
    assert following.state == "queued"

    settings.STRIPE_API_HOST = standin.address
    jobs.queue.Job.objects.update(run_at=timezone.now())
    jobs.run_pending("default")

    assert is_enrolled(mia, paid)


@pytest.mark.parametrize("change", [{"saves_card": False}, {"code": "HEDGE", "total": 5760}])
def test_a_payment_whose_id_was_lost_is_found_after_the_learner_chose_otherwise(standin, card_form, mia, paid, change):
    PromoCodeFactory(code="HEDGE")
    lost = begin(mia, paid, saves_card=True)
    Order.objects.update(intent_id=None)  # as if the process died before it stored the id

    again = begin(mia, paid, **change)

    assert "error" in card_form.confirm(lost.client_secret)
    card_form.confirm(again.client_secret)
    assert sync(again.order).status == Order.Status.PAID
    assert charged(standin) == again.order.total


@pytest.mark.parametrize("status", ["draft", "review", "archived"])
def test_a_course_that_closes_during_the_payment_is_open_to_its_buyer(standin, card_form, mia, paid, status):
    begun = begin(mia, paid)
    Course.objects.filter(pk=paid.pk).update(status=status, price=9900)
    card_form.confirm(begun.client_secret)

    assert sync(begun.order).total == 6400
    assert is_enrolled(mia, paid)


def test_an_email_that_does_not_fit_is_refused(standin, browser_of, mia, paid):
    email = f"a@{'.'.join(['b' * 60] * 4)}.community"
    body = {"course": paid.slug, "total": 6400, "currency": "usd", "agrees": True, "email": email}

    assert browser_of(mia).post("/api/v1/billing/orders/", body, "application/json").status_code == 400
    assert not Order.objects.exists()


def test_deleting_an_account_cancels_what_it_was_about_to_buy(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    customers.forget_user(user_id=mia.pk)
    jobs.run_pending("default")

    assert "error" in card_form.confirm(begun.client_secret)
    assert sync(begun.order).status == Order.Status.CANCELED


def test_what_a_deleted_account_paid_at_its_last_moment_is_returned(standin, card_form, mia, paid):
    begun = begin(mia, paid)
    card_form.confirm(begun.client_secret)
    User.objects.filter(pk=mia.pk).update(deleted_at=timezone.now())
    customers.forget_user(user_id=mia.pk)
    jobs.run_pending("default")

    assert Payment.objects.get().is_refunded
