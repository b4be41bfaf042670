"""Orders that are paid by bank transfer: placed with an invoice, confirmed by an admin, or canceled."""

import threading
from datetime import date, timedelta

import pytest
from django.db import connection

from apps.accounts.errors import RoleRequired
from apps.billing import access
from apps.billing.errors import OrderSettled, TransferRefused
from apps.billing.models import Document, Order, Payment
from apps.billing.queries.document_check import document_problems
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services.checkout import follow_order
from apps.billing.services.transfer_orders import cancel_transfer_order, confirm_transfer, place_transfer_order
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound
from tests.factories.selling import NOW, OrderFactory

pytestmark = pytest.mark.django_db
DUE_AT = NOW + timedelta(days=14)
LATER = NOW + timedelta(days=3)
ARRIVED_ON = date(2026, 6, 3)


@pytest.fixture
def placed(mia, paid):
    """An order for $64 by bank transfer."""
    order = OrderFactory(user=mia, course=paid)
    return place_transfer_order(order=order, due_at=DUE_AT, now=NOW)


def test_an_order_by_transfer_has_an_invoice_and_opens_nothing(placed, mia, paid):
    place_transfer_order(order=placed, due_at=DUE_AT + timedelta(days=1), now=NOW)

    placed.refresh_from_db()
    invoice = Document.objects.get()
    assert (placed.status, placed.method, placed.due_at) == ("open", "transfer", DUE_AT)
    assert (invoice.order, invoice.payment, invoice.total) == (placed, None, 6400)
    assert follow_order(order_id=placed.pk, now=NOW + timedelta(days=13))
    assert Order.objects.get().status == "open"
    assert access.access_to(mia, paid) is None
    assert balances(["bank"]) == {}


def test_a_confirmed_transfer_is_a_payment_from_the_bank(placed, mia, sam, paid):
    payment = confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)

    placed.refresh_from_db()
    assert (placed.status, placed.settled_at) == ("paid", LATER)
    assert (payment.method, payment.gateway_id, payment.charge_id) == ("transfer", f"transfer {placed.number}", "")
    assert (payment.paid_at.date(), payment.confirmed_at, payment.confirmed_by) == (ARRIVED_ON, LATER, sam)
    assert balances(["bank", "provider", "fees", "platform", f"instructor:{paid.instructor_id}"]) == {
        "bank": {"usd": 6400}, "platform": {"usd": -1920}, f"instructor:{paid.instructor_id}": {"usd": -4480},
    }  # fmt: skip
    assert access.access_to(mia, paid).source == "purchase"
    assert Enrollment.objects.active().filter(user=mia, course=paid).exists()
    assert [str(each) for each in Document.objects.all()] == ["INV-2026-000001"]  # no second one
    assert [*document_problems(), *problems()] == []
    assert payment.is_within(14, LATER + timedelta(days=14))  # the learner could open nothing before


def test_a_canceled_order_gets_a_credit_note(placed, mia, paid):
    cancel_transfer_order(order=placed, reason="Ordered twice", actor=mia, now=LATER)
    cancel_transfer_order(order=placed, reason="Ordered twice", actor=mia, now=LATER)

    placed.refresh_from_db()
    invoice, credit_note = Document.objects.order_by("pk")
    assert (placed.status, placed.canceled_by, placed.cancel_reason) == ("canceled", mia, "Ordered twice")
    assert (credit_note.corrects, credit_note.total) == (invoice, 6400)
    assert credit_note.snapshot["facts"]["reason"] == "Ordered twice"
    assert list(document_problems()) == []


def test_an_order_is_settled_once(mia, sam, paid, placed):
    confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)
    for act in (
        lambda: confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER),
        lambda: cancel_transfer_order(order=placed, reason="-", actor=sam, now=LATER),
        lambda: place_transfer_order(order=placed, due_at=DUE_AT, now=LATER),
    ):
        with pytest.raises(OrderSettled):
            act()
    canceled = place_transfer_order(order=OrderFactory(), due_at=DUE_AT, now=NOW)
    cancel_transfer_order(order=canceled, reason="-", actor=sam, now=LATER)
    by_card = OrderFactory()
    for order in (canceled, by_card):
        with pytest.raises(OrderSettled):
            confirm_transfer(order=order, received_on=ARRIVED_ON, actor=sam, now=LATER)
    with pytest.raises(OrderSettled):
        cancel_transfer_order(order=by_card, reason="-", actor=sam, now=LATER)

    assert Payment.objects.count() == 1


def test_who_may_confirm_and_cancel_and_which_days_are_possible(placed, mia, ada, sam):
    with pytest.raises(RoleRequired):
        confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=mia, now=LATER)
    with pytest.raises(NotFound):
        cancel_transfer_order(order=placed, reason="-", actor=ada, now=LATER)
    for day in (date(2026, 5, 31), date(2026, 6, 5)):
        with pytest.raises(TransferRefused):
            confirm_transfer(order=placed, received_on=day, actor=sam, now=LATER)
    with pytest.raises(ValueError, match="costs nothing"):
        place_transfer_order(order=OrderFactory(list_price=0), due_at=DUE_AT, now=NOW)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one write at a time")
@pytest.mark.parametrize("second", ["confirm", "cancel"])
def test_of_two_admins_at_once_one_settles_the_order(placed, sam, second):
    outcomes = []
    both = threading.Barrier(2)

    def act(name: str) -> None:
        try:
            both.wait()
            if name == "confirm":
                confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)
            else:
                cancel_transfer_order(order=placed, reason="-", actor=sam, now=LATER)
            outcomes.append("done")
        except OrderSettled:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=(name,)) for name in ("confirm", second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    placed.refresh_from_db()
    payments = Payment.objects.count()
    assert sorted(outcomes) == ["done", "refused"]
    assert (placed.status == "paid") == (payments == 1)
    assert Document.objects.filter(kind="credit_note").count() == 1 - payments
    assert [*document_problems(), *problems()] == []
