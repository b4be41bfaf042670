"""What never arrived is found and repaired; a dry run changes nothing."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.billing.models import Order, Payment
from apps.billing.purchases import purchase_of_course
from apps.billing.services import checkout
from apps.learning.models import Enrollment

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def reconcile(*arguments):
    """The exit status and the differences with their outcomes."""
    out = StringIO()
    status: object = 0
    try:
        call_command("reconcile_billing", "--json", *arguments, stdout=out)
    except SystemExit as end:
        status = end.code
    return status, [(each["kind"], each["outcome"]) for each in json.loads(out.getvalue())["differences"]]


@pytest.fixture
def order(standin, card_form, mia, paid):
    """Mia has paid, and nobody told the site."""
    begun = checkout.begin_order(
        user=mia, purchase=purchase_of_course(paid),
        code="", country="", email="", expected_total=6400, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip
    card_form.confirm(begun.client_secret)
    return begun.order


def test_a_payment_that_nobody_reported_is_repaired(order):
    assert reconcile() == (0, [("order", "repaired")])

    assert Enrollment.objects.active().filter(user=order.user, course=order.course).exists()
    assert reconcile() == (0, [])


def test_a_dry_run_reports_and_changes_nothing(order):
    Order.objects.update(intent_id=None)

    assert reconcile("--dry-run") == (1, [("order", "differs")])

    assert not Payment.objects.exists()
    assert Order.objects.get().intent_id is None
    assert reconcile() == (0, [("order", "repaired")])
    assert Payment.objects.count() == 1


def test_a_refund_at_the_provider_is_repaired(order, standin):
    reconcile()
    payment = Payment.objects.get()
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    standin.call("POST", "/v1/refunds", {"payment_intent": payment.gateway_id, "amount": 400}, secret)

    assert reconcile() == (0, [("refund", "repaired")])

    payment.refresh_from_db()
    assert payment.refunded == 400


def test_what_only_a_human_can_judge_is_reported(order):
    reconcile()
    Payment.objects.update(amount=6500)

    assert reconcile() == (1, [("payment", "differs")])


def test_a_payment_that_the_provider_does_not_know_is_reported(order, standin, card_form, mia, paid):
    reconcile()
    intent = Payment.objects.get().gateway_id
    payment = Payment.objects.get()
    payment.pk, payment.uid, payment.order = None, payment.course.uid, None
    payment.gateway_id, payment.receipt_number = f"{intent}x", "2026-999999"
    payment.save()

    assert reconcile() == (1, [("payment", "differs")])


def test_a_provider_that_does_not_answer_is_an_error(order, settings):
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"

    with pytest.raises(CommandError, match="doesn't answer"):
        reconcile()
