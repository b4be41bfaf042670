"""What dies or races between the charge and the enrollment: never charged twice, never paid without access."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from threading import Barrier

import pytest
from django.db import connections
from django.utils import timezone

from apps.billing.models import Order, Payment, PromoCode
from apps.billing.purchases import purchase_of_course
from apps.billing.services import checkout
from apps.learning.models import Enrollment
from tests.billing.conftest import Browser
from tests.factories.accounts import UserFactory
from tests.factories.selling import PaidCourseFactory, PromoCodeFactory

pytestmark = pytest.mark.database

# Each name is called between the user's click and the enrollment; the process dies right before or after it.
STEPS = [
    "apps.billing.gateway.create_payment_intent",
    "apps.billing.services.checkout.promo.keep",
    "apps.billing.services.order_states.record_sale",
    "apps.billing.services.payments.book_sale",
    "apps.billing.services.payments.grant_purchase",
    "apps.billing.services.grants.extensions.open_course",
    "apps.billing.services.order_states.publish",
]


class Killed(BaseException):
    """The process ends here: nothing catches it."""


def begin(user, course, code=""):
    price = course.price - course.price // 10 if code else course.price
    return checkout.begin_order(
        user=user, purchase=purchase_of_course(course),
        code=code, country="", email="", expected_total=price, expected_currency="usd",
        card="", saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip


def charged(standin):
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    return [each["amount"] for each in standin.call("GET", "/v1/charges", {}, secret).body["data"] if each["paid"]]


def buy(user, course, card_form):
    begun = begin(user, course, code="TENTH")
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())


@pytest.mark.django_db
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_dies_at_any_step_charges_once_and_opens_the_course(
    standin, card_form, mia, paid, monkeypatch, step, moment
):
    module, _, name = step.rpartition(".")
    PromoCodeFactory(code="TENTH", limit=1)
    with monkeypatch.context() as patch:
        target = resolve_name(module)
        original: Callable = getattr(target, name)

        def die(*args, **kwargs):
            if moment == "after":
                original(*args, **kwargs)
            raise Killed

        patch.setattr(target, name, die)
        with pytest.raises(Killed):
            buy(mia, paid, card_form)

    if (
        Order.objects.get().intent_id is None
    ):  # it died before the browser learned of the payment: the user clicks again
        card_form.confirm(begin(mia, paid, code="TENTH").client_secret)
    checkout.follow_order(order_id=Order.objects.get().pk, now=timezone.now() + timedelta(minutes=3))

    assert charged(standin) == [5760]
    assert Payment.objects.count() == PromoCode.objects.get().used == 1
    assert Enrollment.objects.active().filter(user=mia, course=paid).count() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_clicks_at_once_make_one_payment(standin) -> None:
    user, course = UserFactory(), PaidCourseFactory()

    secrets = at_once(8, lambda: begin(user, course).client_secret)

    assert len(set(secrets)) == 1
    Browser(standin).confirm(secrets[0])
    at_once(8, lambda: checkout.sync_order(order=Order.objects.get(), now=timezone.now()).status)
    assert charged(standin) == [6400]
    assert Payment.objects.count() == Enrollment.objects.active().count() == 1


def at_once(count: int, work: Callable[[], str]) -> list[str]:
    """Run the work in threads with connections of their own."""
    gate = Barrier(count)

    def run() -> str:
        gate.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(run) for _ in range(count)]]
