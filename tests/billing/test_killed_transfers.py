"""kill -9 at any step of an order or refund by bank transfer: all of it happened or nothing, and it can be repeated."""

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone
from django.utils.timezone import localdate

from apps.accounts.models import Role, User
from apps.billing.errors import OrderSettled, RefundDecided
from apps.billing.gateway.client import client
from apps.billing.models import BooksDifference, Deposit, Document, Order, Payment, Refund
from apps.billing.queries.document_check import document_problems
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services import bank_returns, refunds, transfer_orders
from apps.billing.services.transfer_cards import pay_by_card
from apps.courses.models import Course
from apps.learning.models import Enrollment
from tests.billing.test_killed_books import kill_child_at, night
from tests.factories.accounts import UserFactory
from tests.factories.selling import OrderFactory, PaidCourseFactory

pytestmark = [pytest.mark.database, pytest.mark.long, pytest.mark.django_db(transaction=True)]
TRANSFERS = "apps.billing.services.transfer_orders"
RETURNS = "apps.billing.services.bank_returns"


@dataclass
class World:
    """A learner who has ordered a course for $64 by bank transfer, and an admin."""

    admin: User = field(default_factory=lambda: UserFactory(role=Role.ADMIN))
    learner: User = field(default_factory=UserFactory)
    course: Course = field(default_factory=PaidCourseFactory)

    def place(self) -> None:
        now = timezone.now()
        with transaction.atomic():  # as the checkout does
            order = Order.objects.first() or OrderFactory(user=self.learner, course=self.course, created_at=now)
            transfer_orders.place_transfer_order(order=order, due_at=now + timedelta(days=14), now=now)

    def begin_card(self) -> None:
        pay_by_card(user=self.learner, order=Order.objects.get(), card="", now=timezone.now())

    def confirm(self) -> None:
        with suppress(OrderSettled):
            transfer_orders.confirm_transfer(
                order=Order.objects.get(), received_on=localdate(), actor=self.admin, now=timezone.now()
            )

    def cancel(self) -> None:
        transfer_orders.cancel_transfer_order(
            order=Order.objects.get(), reason="-", actor=self.admin, now=timezone.now()
        )

    def ask(self) -> None:
        refunds.request_refund(user=self.learner, payment=Payment.objects.get(), reason="-", now=timezone.now())

    def give_back(self) -> None:
        with suppress(RefundDecided):
            bank_returns.confirm_return(
                refund=Refund.objects.get(), returned_on=localdate(), actor=self.admin, now=timezone.now()
            )


# What is done before, what the child does, the step at which it dies.
STEPS = [
    ((), "place", f"{TRANSFERS}.issue_order_invoice"),
    (("place",), "confirm", "apps.billing.services.payments.book_sale"),
    (("place",), "confirm", "apps.billing.services.order_states.publish"),
    (("place", "begin_card"), "confirm", "apps.billing.gateway.cancel_payment_intent"),
    (("place",), "begin_card", "apps.billing.gateway.create_payment_intent"),
    (("place",), "cancel", f"{TRANSFERS}.cancel_order_invoice"),
    (("place", "confirm", "ask"), "give_back", f"{RETURNS}.ledger.post_refund"),
    (("place", "confirm", "ask"), "give_back", f"{RETURNS}.follow_returns"),
]


@pytest.mark.parametrize(("prepared", "work", "step"), STEPS)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_after_a_kill_a_transfer_is_recorded_once(standin, prepared, work, step, moment):
    world = World()
    for name in prepared:
        getattr(world, name)()
    for connection in connections.all():
        connection.close()

    kill_child_at(step, moment, getattr(world, work))

    check_books(world)
    assert [each for each in night().findings if each["outcome"] != "repaired"] == []
    assert night().findings == []
    getattr(world, work)()
    check_books(world)
    assert night().findings == []
    if work in {"confirm", "give_back"}:
        assert Payment.objects.get().is_refunded == (work == "give_back")
        assert Order.objects.get().status == "paid"


def check_books(world: World) -> None:
    """Order, payment, documents, ledger and access say the same."""
    assert [*problems(), *document_problems()] == []
    assert not BooksDifference.objects.exists()
    assert not [each for each in client().v1.charges.list().data if each.paid]
    payment, order = Payment.objects.first(), Order.objects.first()
    kept = payment is not None and not payment.is_refunded
    assert not Deposit.objects.exists()
    assert balances(["bank"]).get("bank", {}).get("usd", 0) == (6400 if kept else 0)
    assert Enrollment.objects.active().filter(user=world.learner, course=world.course).exists() == kept
    if order is not None and order.method == "transfer":
        assert (order.status == "paid") == (payment is not None)
        signs = sum(each.sign for each in Document.objects.all())
        assert signs == (0 if order.status == "canceled" or (payment is not None and not kept) else 1)
