"""Orders that are paid by bank transfer: placed with an invoice, confirmed by an admin, or canceled."""

import threading
from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.errors import RoleRequired
from apps.accounts.events import AccountDeleted
from apps.accounts.models import User
from apps.billing import access
from apps.billing.errors import (
    NothingToRefund,
    OrderSettled,
    RefundDecided,
    TransferDiffers,
    TransferExpected,
    TransferNotOffered,
    TransferRefused,
)
from apps.billing.models import Deposit, Document, Order, Payment
from apps.billing.purchases import purchase_of_course
from apps.billing.queries.document_check import document_problems
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services.bank_returns import ReturnAccount, confirm_return, number_of, reject_return
from apps.billing.services.checkout import begin_order, follow_order, sync_order
from apps.billing.services.deposit_returns import return_deposit
from apps.billing.services.refund_states import sync_refunds
from apps.billing.services.refunds import refund_by_admin, request_refund
from apps.billing.services.transfer_cards import pay_by_card
from apps.billing.services.transfer_orders import (
    cancel_transfer_order,
    confirm_transfer,
    place_transfer_order,
    record_transfer,
)
from apps.billing.services.transfer_reminders import follow_overdue
from apps.courses.models import Course
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from tests.billing.conftest import DECLINED
from tests.factories.selling import NOW, OrderFactory

pytestmark = pytest.mark.django_db
DUE_AT = NOW + timedelta(days=14)
LATER = NOW + timedelta(days=3)
ARRIVED_ON = date(2026, 6, 3)
IBAN = "DE89370400440532013000"


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


# --- Amounts that differ ------------------------------------------------------------------------------


def received(order, amount, *, actor, keeps=False, day=ARRIVED_ON, uid=None, now=LATER):
    return record_transfer(
        order=order, amount=amount, received_on=day, actor=actor, uid=uid or uuid4(), keeps_difference=keeps, now=now
    )


def test_another_amount_is_recorded_only_if_the_admin_agrees(placed, sam, mia, paid):
    for amount in (6399, 6401):
        with pytest.raises(TransferDiffers) as refusal:
            received(placed, amount, actor=sam)
    assert (refusal.value.received, refusal.value.expected) == ("$64.01", "$64.00")
    with pytest.raises(TransferRefused):
        received(placed, 0, actor=sam)
    assert not Deposit.objects.exists()

    name = uuid4()
    for _twice in range(2):
        assert received(placed, 4000, actor=sam, keeps=True, uid=name) is None
    assert balances(["bank", "deposits"]) == {"bank": {"usd": 4000}, "deposits": {"usd": -4000}}
    assert access.access_to(mia, paid) is None
    payment = received(placed, 2500, actor=sam, keeps=True)

    assert (payment.amount, payment.method) == (6400, "transfer")
    assert [(each.amount, each.applied, each.rest) for each in Deposit.objects.order_by("pk")] == [
        (4000, 4000, 0), (2500, 2400, 100),
    ]  # fmt: skip
    assert balances(["bank", "deposits", "platform"]) == {
        "bank": {"usd": 6500}, "deposits": {"usd": -100}, "platform": {"usd": -1920},
    }  # fmt: skip
    assert access.access_to(mia, paid).source == "purchase"


def test_a_second_transfer_is_held_and_returned(placed, sam, mia):
    confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)
    with pytest.raises(OrderSettled):
        received(placed, 6400, actor=sam)
    assert received(placed, 6400, actor=sam, keeps=True) is None
    deposit = Deposit.objects.get()

    for day in (date(2026, 6, 2), date(2026, 6, 9)):
        with pytest.raises(TransferRefused):
            return_deposit(deposit=deposit, returned_on=day, actor=sam, now=LATER)
    for _twice in range(2):
        return_deposit(deposit=deposit, returned_on=date(2026, 6, 4), actor=sam, now=LATER)

    deposit.refresh_from_db()
    assert (deposit.returned_on, deposit.returned_by, deposit.rest) == (date(2026, 6, 4), sam, 0)
    assert balances(["bank", "deposits"])["bank"] == {"usd": 6400}
    assert "deposits" not in {code for code, sums in balances(["deposits"]).items() if any(sums.values())}
    assert Payment.objects.count() == 1
    with pytest.raises(RoleRequired):
        return_deposit(deposit=deposit, returned_on=date(2026, 6, 4), actor=mia, now=LATER)


# --- Paid by card instead -----------------------------------------------------------------------------


def test_an_order_by_transfer_can_be_paid_by_card(placed, card_form, mia, sam, paid):
    begun = pay_by_card(user=mia, order=placed, card="", now=LATER)
    card_form.confirm(begun.client_secret, DECLINED)
    failed = sync_order(order=placed, now=LATER)
    assert (failed.status, failed.failure_kind != "") == ("open", True)
    again = pay_by_card(user=mia, order=placed, card="", now=LATER)
    card_form.confirm(again.client_secret)
    sync_order(order=placed, now=LATER)

    payment = Payment.objects.get()
    assert (payment.method, payment.amount, payment.order) == ("card", 6400, placed)
    assert Document.objects.count() == 1
    assert balances(["bank"]) == {}
    with pytest.raises(OrderSettled):
        confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)
    assert received(placed, 6400, actor=sam, keeps=True) is None
    assert Deposit.objects.get().rest == 6400


def test_a_transfer_that_arrives_while_a_card_form_is_open_pays_the_order_once(placed, card_form, mia, sam):
    begun = pay_by_card(user=mia, order=placed, card="", now=LATER)

    confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)

    answer = card_form.confirm(begun.client_secret)
    assert "error" in answer
    assert [each.method for each in Payment.objects.all()] == ["transfer"]
    with pytest.raises(OrderSettled):
        pay_by_card(user=mia, order=placed, card="", now=LATER)


def test_a_card_payment_that_succeeded_unseen_is_found_before_a_transfer_is_confirmed(placed, card_form, mia, sam):
    begun = pay_by_card(user=mia, order=placed, card="", now=LATER)
    card_form.confirm(begun.client_secret)  # the browser went away, and the event is lost

    with pytest.raises(OrderSettled):
        confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)

    assert [each.method for each in Payment.objects.all()] == ["card"]


def test_an_order_is_not_made_twice_and_never_canceled_unasked(settings, card_form, mia, paid):
    settings.BANK_IBAN = IBAN
    terms = {
        "user": mia, "purchase": purchase_of_course(paid), "code": "", "country": "", "email": "",
        "expected_currency": "usd", "card": "", "saves_card": False, "agrees": True,
    }  # fmt: skip
    first = begin_order(**terms, expected_total=6400, method=Order.Method.TRANSFER, now=NOW).order
    again = begin_order(**terms, expected_total=6400, method=Order.Method.TRANSFER, now=NOW).order
    assert (first.pk, first.method, first.due_at.date()) == (again.pk, "transfer", date(2026, 6, 15))
    with pytest.raises(TransferExpected):
        begin_order(**terms, expected_total=6400, now=NOW)
    Course.objects.update(price=7000)
    with pytest.raises(TransferExpected):
        begin_order(**terms, expected_total=7000, method=Order.Method.TRANSFER, now=NOW)

    settings.BANK_IBAN = ""
    with pytest.raises(TransferNotOffered):
        begin_order(**terms, expected_total=7000, method=Order.Method.TRANSFER, now=NOW)
    order = Order.objects.get()
    assert (order.status, order.total) == ("open", 6400)


def test_a_card_can_be_tried_again_after_a_part_was_recorded(placed, card_form, mia, sam):
    """The provider repeats the first answer of a key for a day, and that payment is canceled."""
    secrets = set()
    for _time in range(3):
        secrets.add(pay_by_card(user=mia, order=placed, card="", now=LATER).client_secret)
        received(placed, 100, actor=sam, keeps=True)
    again = pay_by_card(user=mia, order=placed, card="", now=LATER)

    assert "error" not in card_form.confirm(again.client_secret)
    sync_order(order=placed, now=LATER)
    assert (len(secrets), Payment.objects.get().method) == (3, "card")


# --- Reminders ----------------------------------------------------------------------------------------


def test_an_overdue_order_is_reminded_once_and_canceled_in_the_end(placed, sam, mailoutbox, settings):
    settings.BANK_IBAN = IBAN
    partly = place_transfer_order(order=OrderFactory(), due_at=DUE_AT, now=NOW)
    received(partly, 100, actor=sam, keeps=True)
    returned = place_transfer_order(order=OrderFactory(), due_at=DUE_AT, now=NOW)
    received(returned, 100, actor=sam, keeps=True)
    return_deposit(deposit=returned.deposits.get(), returned_on=ARRIVED_ON, actor=sam, now=LATER)
    jobs.run_pending("default")

    for days in (0, 1, 2, 13):
        follow_overdue(now=DUE_AT + timedelta(days=days, minutes=1))
        jobs.run_pending("default")
        assert Order.objects.filter(status="open").count() == 3
    follow_overdue(now=DUE_AT + timedelta(days=14, minutes=1))
    jobs.run_pending("default")

    placed.refresh_from_db()
    assert (placed.status, placed.canceled_by, placed.cancel_reason) == (
        "canceled", None, "The transfer hasn't arrived in time.",
    )  # fmt: skip
    assert Order.objects.get(status="open") == partly
    [reminder] = [each.subject for each in mailoutbox if each.to == [partly.email] and "hasn't arrived" in each.subject]
    assert reminder.startswith("Your transfer of $63.00 for")
    mine = [
        (each.subject, [file[0] for file in each.attachments if isinstance(file, tuple)])
        for each in mailoutbox
        if each.to == [placed.email]
    ]
    assert mine == [
        ("Transfer $64.00 for How Compilers Think", ["INV-2026-000001.pdf"]),
        ("Your transfer of $64.00 for How Compilers Think hasn't arrived", ["INV-2026-000001.pdf"]),
        ("Your order of How Compilers Think was canceled", ["CN-2026-000001.pdf"]),
    ]


def test_a_buyer_knows_what_becomes_of_what_arrived(placed, sam, mia, mailoutbox, settings):
    settings.BANK_IBAN = IBAN
    received(placed, 4000, actor=sam, keeps=True)
    jobs.run_pending("default")
    cancel_transfer_order(order=placed, reason="-", actor=sam, now=LATER)
    jobs.run_pending("default")
    received(placed, 500, actor=sam, keeps=True)
    jobs.run_pending("default")

    assert [each.subject for each in mailoutbox if each.to == [placed.email]][1:] == [
        "$40.00 of your transfer for How Compilers Think arrived",
        "Your order of How Compilers Think was canceled",
        "We'll transfer $40.00 back to you",
        "We'll transfer $5.00 back to you",
    ]


# --- Money back ---------------------------------------------------------------------------------------

ACCOUNT = ReturnAccount(holder="Mia Moreau", number=IBAN)


@pytest.fixture
def bought(placed, sam):
    return confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)


def test_a_refund_goes_back_by_bank_transfer(bought, mia, sam, paid, mailoutbox):
    refund = request_refund(user=mia, payment=bought, reason="Too hard", account=ACCOUNT, now=LATER)
    jobs.run_pending("default")
    assert (refund.status, refund.method, refund.last4, refund.is_to_transfer) == (
        "processing",
        "transfer",
        "3000",
        True,
    )
    assert IBAN not in refund.encrypted_number
    assert number_of(refund) == IBAN
    assert [each.subject for each in mailoutbox if sam.email in each.to] == [
        f"Transfer $64.00 back to {mia.display_name}"
    ]
    assert access.access_to(mia, paid) is not None
    assert balances(["bank"]) == {"bank": {"usd": 6400}}
    now = LATER + timedelta(days=1)
    with pytest.raises(RoleRequired):
        confirm_return(refund=refund, returned_on=now.date(), actor=mia, now=now)
    with pytest.raises(TransferRefused):
        confirm_return(refund=refund, returned_on=ARRIVED_ON, actor=sam, now=now)

    confirm_return(refund=refund, returned_on=now.date(), actor=sam, now=now)

    refund.refresh_from_db()
    bought.refresh_from_db()
    assert (refund.status, refund.returned_on, refund.confirmed_by) == ("done", now.date(), sam)
    assert bought.is_refunded
    assert access.access_to(mia, paid) is None
    assert [str(each) for each in Document.objects.order_by("pk")] == ["INV-2026-000001", "CN-2026-000001"]
    assert not any(any(sums.values()) for sums in balances(["bank", f"instructor:{paid.instructor_id}"]).values())
    assert [*document_problems(), *problems()] == []
    with pytest.raises(RefundDecided):
        confirm_return(refund=refund, returned_on=now.date(), actor=sam, now=now)

    reject_return(refund=refund, rejected_on=now.date(), reason="account closed", actor=sam, now=now)
    bought.refresh_from_db()
    assert (bought.refunded, access.access_to(mia, paid).source) == (0, "purchase")
    assert balances(["bank"]) == {"bank": {"usd": 6400}}
    assert [*document_problems(), *problems()] == []
    with pytest.raises(RefundDecided):
        reject_return(refund=refund, rejected_on=now.date(), reason="-", actor=sam, now=now)


def test_a_card_that_takes_nothing_back_is_returned_by_bank_transfer(placed, card_form, mia, sam, paid, standin):
    begun = pay_by_card(user=mia, order=placed, card="", now=LATER)
    card_form.confirm(begun.client_secret, "4000000000005126")  # its refunds fail after they succeeded
    sync_order(order=placed, now=LATER)
    payment = Payment.objects.get()
    now = timezone.now()  # the provider's own clock
    terms = {"admin": sam, "payment": payment, "amount": 6400, "reason": "Moved away", "now": now}
    with pytest.raises(NothingToRefund):
        refund_by_admin(**terms, by_transfer=True)
    refund_by_admin(**terms)
    standin.fail_refund(payment.refunds.get().gateway_id)
    sync_refunds(payment=payment, now=now)
    assert payment.refunds.get().status == "failed"

    refund = refund_by_admin(**terms, by_transfer=True, account=ACCOUNT)
    confirm_return(refund=refund, returned_on=now.date(), actor=sam, now=now)

    payment.refresh_from_db()
    assert (payment.refunded, access.access_to(mia, paid)) == (6400, None)
    assert balances(["bank"]) == {"bank": {"usd": -6400}}
    assert [*document_problems(), *problems()] == []


@pytest.mark.long
def test_a_deleted_account_cancels_its_order_and_keeps_no_account_number(
    placed, mia, sam, django_capture_on_commit_callbacks
):
    open_order = place_transfer_order(order=OrderFactory(user=mia), due_at=DUE_AT, now=NOW)
    payment = confirm_transfer(order=placed, received_on=ARRIVED_ON, actor=sam, now=LATER)
    refund = request_refund(user=mia, payment=payment, reason="-", account=ACCOUNT, now=LATER)
    User.objects.filter(pk=mia.pk).update(deleted_at=LATER)
    with django_capture_on_commit_callbacks(execute=True):
        publish(AccountDeleted(user_id=mia.pk))
    jobs.run_pending("default")

    open_order.refresh_from_db()
    refund.refresh_from_db()
    assert (open_order.status, open_order.cancel_reason) == ("canceled", "The account was deleted.")
    assert number_of(refund) == IBAN  # the money is still owed
    confirm_return(refund=refund, returned_on=LATER.date(), actor=sam, now=LATER)
    refund.refresh_from_db()
    assert (number_of(refund), refund.holder) == ("", "")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one write at a time")
def test_of_two_admins_at_once_one_confirms_a_return(bought, mia, sam):
    refund = request_refund(user=mia, payment=bought, reason="-", account=ACCOUNT, now=LATER)
    outcomes = []
    both = threading.Barrier(2)

    def act() -> None:
        try:
            both.wait()
            confirm_return(refund=refund, returned_on=LATER.date(), actor=sam, now=LATER)
            outcomes.append("done")
        except RefundDecided:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=act) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    bought.refresh_from_db()
    assert (sorted(outcomes), bought.refunded) == (["done", "refused"], 6400)
    assert Document.objects.filter(kind="credit_note").count() == 1
    assert [*document_problems(), *problems()] == []
