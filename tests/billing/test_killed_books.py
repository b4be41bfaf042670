"""kill -9 at any step of what moves money; then one nightly reconciliation alone leaves no difference.

Each test forks: the child works against the real stand-in over HTTP, and kills itself with SIGKILL at its step.
"""

import faulthandler
import os
import signal
import sys
import traceback
from dataclasses import dataclass, field
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.billing import services
from apps.billing.gateway.client import client
from apps.billing.models import BooksCheck, BooksDifference, Dispute, Order, Payment, Payout
from apps.billing.purchases import purchase_of_course
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services import balance_facts, books_checks, checkout, disputes
from apps.billing.standin import Standin
from apps.courses.models import Course
from apps.learning.models import Enrollment
from tests.billing.standin.test_payouts import onboard
from tests.factories.accounts import UserFactory
from tests.factories.selling import PaidCourseFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
MAX_CHILD_SECONDS = 120
KEPT: list[Any] = []  # connections of the parent that a child must not close


@dataclass
class World:
    """A learner, an admin, and an instructor with a course for $64 and an account at the provider."""

    standin: Standin
    admin: User = field(default_factory=lambda: UserFactory(role=Role.ADMIN))
    learner: User = field(default_factory=UserFactory)
    course: Course = field(default_factory=PaidCourseFactory)

    def buy(self) -> None:
        begun = checkout.begin_order(
            user=self.learner, purchase=purchase_of_course(self.course), code="", country="", email="",
            expected_total=6400, expected_currency="usd", card="", saves_card=False, agrees=True, now=timezone.now(),
        )  # fmt: skip
        intent = begun.client_secret.partition("_secret_")[0]
        client().v1.payment_intents.confirm(intent, {"payment_method": "pm_card_visa"})
        checkout.sync_order(order=begun.order, now=timezone.now())

    def connect(self) -> None:
        made = client().v1.accounts.create({"type": "express", "capabilities": {"transfers": {"requested": True}}}).id
        onboard(client(), made)
        instructor = self.course.instructor
        services.save_connected_account(user=instructor, gateway_id=made, last4="6789", now=timezone.now())

    def refund(self) -> None:
        payment = Payment.objects.get()
        services.refund_by_admin(admin=self.admin, payment=payment, amount=6400, reason="-", now=timezone.now())

    def lose_dispute(self) -> None:
        [found] = client().v1.disputes.list().data
        disputes.sync_dispute(dispute=found.id, now=timezone.now())
        client().v1.disputes.close(found.id)
        disputes.sync_dispute(dispute=found.id, now=timezone.now())

    def pay_out(self) -> None:
        day = timezone.now().date() + timedelta(days=1)
        services.run_payouts(day, now=timezone.now())

    def take_back(self) -> None:
        services.reverse_payout(Payout.objects.get().pk, admin=self.admin, now=timezone.now())

    def pay_platform(self) -> None:
        client().v1.payouts.create({"amount": 1000, "currency": "usd"})
        balance_facts.follow_balance(now=timezone.now())


def night() -> BooksCheck:
    """A reconciliation two hours later, when nothing is on its way anymore."""
    check = BooksCheck(kind="provider", repairs=True, days=30, started_at=timezone.now())
    return books_checks.run_check(check, now=timezone.now() + timedelta(hours=2))


# What is done before, what the child does, the step at which it dies.
STEPS = [
    ((), "buy", "apps.billing.gateway.create_payment_intent"),
    ((), "buy", "apps.billing.services.payments.book_sale"),
    ((), "buy", "apps.billing.services.order_states.publish"),
    (("buy",), "refund", "apps.billing.gateway.create_refund"),
    (("buy",), "refund", "apps.billing.services.refund_states.publish"),
    (("buy", "dispute"), "lose_dispute", "apps.billing.gateway.get_dispute"),
    (("buy", "dispute"), "lose_dispute", "apps.billing.services.disputes.ledger.post_dispute"),
    (("buy", "connect"), "pay_out", "apps.billing.services.payouts.post_payout_started"),
    (("buy", "connect"), "pay_out", "apps.billing.gateway.ProviderTransfers.send"),
    (("buy", "connect"), "pay_out", "apps.billing.services.payout_outcomes.post_payout_sent"),
    (("buy", "connect", "pay_out"), "take_back", "apps.billing.gateway.ProviderTransfers.reverse"),
    (("buy", "connect", "pay_out"), "take_back", "apps.billing.services.payout_outcomes.post_payout_reversed"),
    (("buy",), "pay_platform", "apps.billing.gateway.balance_transactions_since"),
    (("buy",), "pay_platform", "apps.billing.services.balance.post_balance_transaction"),
    (("buy", "fee"), "night", "apps.billing.services.balance.post_balance_transaction"),
]
ALWAYS = {  # the others take long
    ("apps.billing.gateway.ProviderTransfers.send", "after"),
    ("apps.billing.services.balance.post_balance_transaction", "before"),
}
CASES = [
    pytest.param(
        prepared, work, step, moment,
        id=f"{work}-{moment}-{step.rpartition('.')[2]}",
        marks=[] if (step, moment) in ALWAYS else [pytest.mark.long],
    )
    for prepared, work, step in STEPS
    for moment in ("before", "after")
]  # fmt: skip


def kill_child_at(step: str, moment: str, work: Any) -> None:
    """Run the work in a child process that dies by SIGKILL before or after it calls the step.

    One that ends otherwise says why on stderr: with its error, or, if it hangs, with where it waits.
    """
    pid = os.fork()
    if pid:
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status), f"the child ended by itself: {status}"
        assert os.WTERMSIG(status) == signal.SIGKILL
        return
    try:
        for connection in connections.all():
            KEPT.append(connection.connection)
            connection.connection = None
        client.cache_clear()  # its sockets are the parent's
        module, _, name = step.rpartition(".")
        target = resolve_name(module)
        original = getattr(target, name)

        def die(*args: Any, **kwargs: Any) -> None:
            if moment == "after":
                original(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(target, name, die)
        faulthandler.dump_traceback_later(MAX_CHILD_SECONDS, exit=True, file=sys.__stderr__)
        try:
            work()
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
    finally:
        sys.__stderr__.flush()
        os._exit(7)


@pytest.mark.parametrize(("prepared", "work", "step", "moment"), CASES)
def test_after_a_kill_one_nightly_reconciliation_leaves_no_difference(standin, settings, prepared, work, step, moment):
    settings.REFUND_DAYS, settings.PAYOUT_MINIMUM = 0, 1
    world = World(standin)
    for name in prepared:
        if name == "dispute":
            standin.dispute(Payment.objects.get().gateway_id)
        elif name == "fee":
            standin.charge_fee(250)
        else:
            getattr(world, name)()
    for connection in connections.all():
        connection.close()

    kill_child_at(step, moment, night if work == "night" else getattr(world, work))

    assert not [each for each in night().findings if each["outcome"] != "repaired"]
    assert night().findings == []
    assert not BooksDifference.objects.exists()
    moved = sum(each.net for each in client().v1.balance_transactions.list({"limit": 100}).auto_paging_iter())
    assert balances(["provider"]).get("provider", {}).get("usd", 0) == moved
    assert not balances(["unexplained"])
    assert list(problems()) == []
    check_access(world)
    check_payouts()


def check_access(world: World) -> None:
    """The course is open exactly if it is paid and not given back; nobody was charged twice."""
    kept = [
        payment
        for payment in Payment.objects.all()
        if not payment.is_refunded and not payment.disputes.filter(status=Dispute.Status.LOST).exists()
    ]
    charges = [each for each in client().v1.charges.list().data if each.paid]
    assert len(charges) == Payment.objects.count() <= 1
    assert Enrollment.objects.active().filter(user=world.learner, course=world.course).exists() == bool(kept)
    assert not Order.objects.live().exists()


def check_payouts() -> None:
    """What was transferred and not taken back is what payouts say."""
    out = sum(each.amount - each.amount_reversed for each in client().v1.transfers.list().data)
    sent = Payout.objects.filter(state=Payout.State.SENT)
    assert out == sum(each.amount - each.amount_reversed for each in sent)
    assert not Payout.objects.filter(state=Payout.State.PROCESSING).exists()
