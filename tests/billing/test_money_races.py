"""Two admins, two workers, a worker and an admin at the same moment: what moves money moves it once."""

import io
import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.billing import gateway
from apps.billing.errors import NothingToRefund
from apps.billing.models import Dispute, Document, LedgerEntry, ManualEntry, Payment, Refund
from apps.billing.purchases import purchase_of_course
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services import checkout, refunds, webhooks
from tests.factories.selling import PaidCourseFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def payment(standin, card_form, mia, paid):
    """Mia has bought the course."""
    order = begin(mia, paid, card_form)
    checkout.sync_order(order=order, now=timezone.now())
    return Payment.objects.get()


def begin(user, course, card_form):
    """An order that is paid at the provider, and open here."""
    begun = checkout.begin_order(
        user=user, purchase=purchase_of_course(course),
        code="", country="", email="", expected_total=course.price, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip
    card_form.confirm(begun.client_secret)
    return begun.order


def act_on(kind, subject):
    """A worker handles an event."""
    webhooks.act_on(kind, subject, now=timezone.now())


def agrees():
    """Nothing differs in the books, and the ledger is what the provider has. Return the kinds of entries."""
    assert list(problems()) == []
    assert balances(["provider"])["provider"]["usd"] == gateway.provider_balance().get("usd", 0)
    return sorted(LedgerEntry.objects.exclude(kind="fee").values_list("kind", flat=True))


def test_two_admins_grant_the_same_refund(payment, sam):
    late = timezone.now() + timedelta(days=30)
    refund = refunds.request_refund(user=payment.user, payment=payment, reason="", now=late)
    grant = partial(refunds.decide_refund, admin=sam, refund=refund, grants=True, reason="", now=late)

    outcomes = run_simultaneously(grant, grant)

    assert sorted(type(each).__name__ for each in outcomes) == ["Refund", "RefundDecided"]
    assert [each.amount for each in gateway.refunds_of(payment.gateway_id)] == [6400]
    assert agrees() == ["refund", "sale"]
    payment.refresh_from_db()
    assert payment.refunded == 6400


@pytest.mark.parametrize(("amount", "refunded"), [(3400, [3000, 3400]), (6400, [3000])], ids=["fits", "too much"])
def test_a_refund_is_sent_while_the_event_of_another_one_arrives(payment, sam, standin, amount, refunded):
    made = standin.refund(payment.gateway_id, 3000)
    event = {"id": made["id"], "payment_intent": payment.gateway_id}
    give_back = partial(
        refunds.refund_by_admin, admin=sam, payment=payment, amount=amount, reason="", now=timezone.now()
    )
    arrive = partial(act_on, "refund.created", event)

    refund, *arrived = run_simultaneously(give_back, arrive, arrive)

    assert arrived == [None, None]
    if amount > 3400:
        assert isinstance(refund, NothingToRefund) or refund.status == Refund.Status.FAILED
    assert sorted(each.amount for each in gateway.refunds_of(payment.gateway_id)) == refunded
    assert agrees() == ["refund"] * len(refunded) + ["sale"]
    payment.refresh_from_db()
    assert payment.refunded == sum(refunded)
    assert Document.objects.filter(kind="credit_note").count() == len(refunded)


def test_the_events_of_a_dispute_are_handled_by_several_workers(payment, standin):
    made = standin.dispute(payment.gateway_id)
    event = {"id": made["id"], "payment_intent": payment.gateway_id}
    begun = partial(act_on, "charge.dispute.created", event)

    assert run_simultaneously(begun, begun) == [None, None]
    assert agrees() == ["dispute_opened", "sale"]
    standin.decide_dispute(made["id"], won=False)
    ended = partial(act_on, "charge.dispute.closed", event)

    assert run_simultaneously(ended, begun, ended) == [None, None, None]
    agrees()
    dispute = Dispute.objects.get()
    assert (dispute.status, dispute.lost) == ("lost", 6400)
    assert Document.objects.filter(kind="credit_note").count() == 1
    payment.refresh_from_db()
    assert payment.charged_back == 6400


def test_first_payments_of_the_year_at_once_are_numbered_without_gaps(mia, leo, card_form, standin):
    """Orders of two learners, each settled by the browser and by a worker at the same moment."""
    courses = [PaidCourseFactory(), PaidCourseFactory()]
    orders = [begin(user, course, card_form) for user in (mia, leo) for course in courses]
    settle = [partial(checkout.sync_order, order=order, now=timezone.now()) for order in orders]

    outcomes = run_simultaneously(*settle, *settle)

    assert [each.status for each in outcomes] == ["paid"] * 8
    numbers = Payment.objects.order_by("receipt_number").values_list("receipt_number", flat=True)
    assert [str(number)[5:] for number in numbers] == ["000001", "000002", "000003", "000004"]
    assert sorted(Document.objects.values_list("position", flat=True)) == [1, 2, 3, 4]
    assert agrees() == ["sale"] * 4


def test_a_movement_of_the_bank_that_is_posted_and_undone_twice_at_once_counts_once():
    uid = str(uuid.uuid4())
    post = partial(call_command, "post_bank_movement", "tax_paid", "19.00", id=uid, stdout=io.StringIO())
    undo = partial(call_command, "post_bank_movement", undo=uid, stdout=io.StringIO())

    assert run_simultaneously(post, post) == [None, None]
    assert balances(["bank"])["bank"] == {"usd": -1900}
    assert run_simultaneously(undo, post, undo) == [None, None, None]
    assert balances(["bank"])["bank"] == {"usd": 0}
    assert (ManualEntry.objects.count(), LedgerEntry.objects.count()) == (1, 2)
