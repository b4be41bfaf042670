"""Orders that are paid by bank transfer: placed with an invoice, confirmed by an admin, or canceled (docs/adr/0054).

Whatever is sold can be sold by bank transfer. Seats of a team, for example, are placed in one transaction::

    with transaction.atomic():
        order = Order.objects.create(user=owner, total=…, status=Order.Status.OPEN, …)
        OrderLine.objects.create(order=order, …)
        place_transfer_order(order=order, due_at=now + timedelta(days=30), now=now)

The order is locked while it is placed, confirmed or canceled, so exactly one of these happens. `confirm_transfer` ends
in :func:`.order_states.mark_paid`, as a card payment does: the payment, the ledger (from the account `bank`), the
documents, the grants and the event `OrderPaid` are those of any other order. So what follows from a payment belongs in
:func:`.payments.record_sale` or a receiver of `OrderPaid`, and what follows from a cancellation in
:func:`.order_states.mark_canceled`.
"""

from datetime import date, datetime, time, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.timezone import localdate
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing import gateway, transfer_policies
from apps.billing.errors import CardPaymentBegun, OrderSettled, TransferDiffers, TransferRefused
from apps.billing.models import Deposit, Order, Payment
from apps.billing.services import ledger
from apps.billing.services.order_invoices import cancel_order_invoice, issue_order_invoice
from apps.billing.services.order_states import fresh_order, locked_order, mark_canceled, mark_paid
from apps.billing.services.payments import ArrivedTransfer, transfer_key
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money

DUE_AFTER_DAYS = 14
"""How long a buyer of courses has. Banks take up to three working days, and companies pay once a week."""


def due_time(now: datetime, *, days: int = DUE_AFTER_DAYS) -> datetime:
    """Return the end of the day until which an order has to be transferred."""
    return datetime.combine(localdate(now) + timedelta(days=days), time(23, 59, 59), timezone.get_default_timezone())


@transaction.atomic
def place_transfer_order(*, order: Order, due_at: datetime, now: datetime) -> Order:
    """Let an open order be paid by bank transfer until ``due_at``, and issue its invoice. Idempotent.

    :raises ValueError: the order costs nothing.
    :raises OrderSettled: it was paid or canceled.
    """
    order = locked_order(order)
    if order.status != Order.Status.OPEN:
        raise OrderSettled
    if order.method != Order.Method.TRANSFER:
        order.method, order.due_at = Order.Method.TRANSFER, due_at
        order.save(update_fields=["method", "due_at"])
        jobs.enqueue("billing.tell_of_transfer_order", key=str(order.pk), order_id=order.pk)
    issue_order_invoice(order=order, now=now)
    return order


def confirm_transfer(*, order: Order, received_on: date, actor: User, now: datetime) -> Payment:
    """Write down that what was missing of an order arrived at the bank on a day, and open what was bought.

    :raises OrderSettled: it was paid or canceled in the meantime, for example by another admin.
    :raises TransferRefused: the day is before the order or in the future.
    :raises CardPaymentBegun: a card payment of the order is being processed.
    :raises PaymentProcessingError: a card payment has begun, and the provider can't be reached to cancel it.
    """
    enforce(transfer_policies.confirm_transfers(actor))
    release_card(order, now=now)
    with transaction.atomic():
        order = open_order(order)
        held = sum(each.rest for each in order.deposits.all())
        amount = max(0, order.total - held)
        payment = _receive(order, amount, received_on, actor, uid=uuid4(), now=now)
    if payment is None:
        raise RuntimeError(f"order {order.number}: the missing amount doesn't pay it")
    return payment


def record_transfer(
    *,
    order: Order,
    amount: int,
    received_on: date,
    actor: User,
    uid: UUID,
    keeps_difference: bool,
    bears_charges: bool = False,
    now: datetime,
) -> Payment | None:
    """Write down that an amount arrived for an order. Returns the payment, or None if more is missing.

    What is more than the order's missing amount, and what arrives for an order that is settled already, is held for the
    buyer (`Deposit`) until an admin returns it. ``uid`` names what is recorded: a form that is sent twice records once.
    ``keeps_difference``: the admin has read that the amount isn't what is missing. ``bears_charges``: what is missing
    is what banks kept on the way, and the platform bears it, so the order is paid.

    :raises TransferDiffers: the amount isn't what is missing, and the admin hasn't agreed.
    :raises OrderSettled: nothing is missing, and the admin hasn't agreed.
    :raises TransferRefused: the day is before the order or in the future, or the order was never to be transferred.
    :raises CardPaymentBegun: a card payment of the order is being processed.
    """
    enforce(transfer_policies.confirm_transfers(actor))
    if amount <= 0:
        raise TransferRefused(reason=_("Enter an amount above zero."))
    if order.method != Order.Method.TRANSFER:
        raise TransferRefused(reason=_("This order isn't paid by bank transfer."))
    if Order.objects.filter(pk=order.pk, status__in=Order.LIVE).exists():
        release_card(order, now=now)
    with transaction.atomic():
        order = locked_order(order)
        if Deposit.objects.filter(uid=uid).exists():
            return Payment.objects.filter(order=order).first()
        if order.status not in Order.LIVE:
            if not keeps_difference:
                raise OrderSettled
            _hold(order, amount, received_on, actor, uid=uid, now=now)
            return None
        order = open_order(order)
        missing = order.total - sum(each.rest for each in order.deposits.all())
        if amount != missing and not keeps_difference:
            received, expected = (money(each, order.currency, cents=True) for each in (amount, missing))
            raise TransferDiffers(received=received, expected=expected)
        if bears_charges and amount < missing:
            _hold(order, amount, received_on, actor, uid=uid, now=now)
            return _pay_with_charges(order, actor, now=now)
        return _receive(order, amount, received_on, actor, uid=uid, now=now)


def bear_charges(*, order: Order, expected: int, actor: User, now: datetime) -> Payment:
    """Let what has arrived pay an order: banks kept the rest on the way, and the platform bears it.

    ``expected``: what the admin saw is missing. The invoice stays as it is, because the buyer has paid in full.

    :raises TransferDiffers: another amount is missing by now.
    :raises TransferRefused: nothing is missing, or more than has arrived, which no bank takes.
    :raises OrderSettled: it was paid or canceled in the meantime.
    :raises CardPaymentBegun: a card payment of the order is being processed.
    """
    enforce(transfer_policies.confirm_transfers(actor))
    release_card(order, now=now)
    with transaction.atomic():
        order = open_order(order)
        held = sum(each.rest for each in order.deposits.all())
        if order.total - held != expected:
            received, missing = (money(each, order.currency, cents=True) for each in (held, order.total - held))
            raise TransferDiffers(received=received, expected=missing)
        return _pay_with_charges(order, actor, now=now)


def _pay_with_charges(order: Order, actor: User, *, now: datetime) -> Payment:
    """Pay an order with what is held for it, and with what banks kept of the latest transfer. The caller locks it.

    :raises TransferRefused: nothing is missing, or more than has arrived.
    """
    held = [each for each in order.deposits.order_by("pk") if each.rest]
    charges = order.total - sum(each.rest for each in held)
    if not 0 < charges <= order.total // 2:
        raise TransferRefused(reason=_("More is missing than has arrived. Bank charges can't be that much."))
    latest = held[-1]
    latest.charges = charges
    latest.save(update_fields=["charges"])
    moment = moment_of_arrival(order, latest.received_on, now=now)
    ledger.post_transfer_charge(
        latest.uid.hex,
        charges,
        order.currency,
        payment_key=transfer_key(order),
        occurred_at=moment,
        description=order.number,
    )
    return _pay_from(held, order, ArrivedTransfer(moment, actor), now=now)


def open_order(order: Order) -> Order:
    """Return an order that waits for its transfer, locked until the transaction ends.

    :raises OrderSettled: it was paid or canceled, or was never to be transferred.
    :raises CardPaymentBegun: a card payment of it has begun since it was looked at.
    """
    order = locked_order(order)
    if order.status == Order.Status.PROCESSING or (order.status == Order.Status.OPEN and order.intent_id is not None):
        raise CardPaymentBegun
    if order.status != Order.Status.OPEN or order.method != Order.Method.TRANSFER:
        raise OrderSettled
    return order


def release_card(order: Order, *, now: datetime) -> None:
    """Cancel a card payment that the buyer has begun for an order by transfer, so that the order isn't paid twice.

    :raises OrderSettled: the card payment has succeeded, so the order is paid.
    :raises CardPaymentBegun: it is being processed.
    :raises PaymentProcessingError: the provider can't be reached.
    """
    order = fresh_order(order)
    if order.method != Order.Method.TRANSFER or order.status not in Order.LIVE or order.intent_id is None:
        return
    intent = gateway.cancel_payment_intent(order.intent_id)
    if intent.status == "processing":
        raise CardPaymentBegun
    if intent.status == "canceled":
        begun = Order.objects.filter(pk=order.pk, intent_id=intent.id, status__in=Order.LIVE)
        begun.update(intent_id=None, status=Order.Status.OPEN)
        return
    with transaction.atomic():
        order = locked_order(order)
        if order.status in Order.LIVE and intent.status == "succeeded":
            mark_paid(order, intent=intent, now=now)
    raise OrderSettled


def _receive(order: Order, amount: int, received_on: date, actor: User, *, uid: UUID, now: datetime) -> Payment | None:
    """Pay an order with an amount that arrived, together with what arrived before. None if that is too little."""
    held = list(order.deposits.order_by("pk"))
    transfer = ArrivedTransfer(moment_of_arrival(order, received_on, now=now), actor)
    if amount == order.total and not any(each.rest for each in held):
        return mark_paid(order, transfer=transfer, now=now)
    if amount:
        held.append(_hold(order, amount, received_on, actor, uid=uid, now=now))
    if sum(each.rest for each in held) < order.total:
        return None
    return _pay_from(held, order, transfer, now=now)


def _pay_from(held: list[Deposit], order: Order, transfer: ArrivedTransfer, *, now: datetime) -> Payment:
    """Pay an order with what is held for it, which is enough with what banks kept. The caller holds its lock."""
    missing = order.total - sum(each.charges for each in held)
    for each in held:
        each.applied = min(each.rest, missing)
        missing -= each.applied
        if each.applied:
            each.save(update_fields=["applied"])
    return mark_paid(order, transfer=transfer, now=now)


def _hold(order: Order, amount: int, received_on: date, actor: User, *, uid: UUID, now: datetime) -> Deposit:
    moment = moment_of_arrival(order, received_on, now=now)
    deposit = Deposit.objects.create(
        uid=uid, order=order, amount=amount, received_on=received_on, recorded_by=actor, recorded_at=now
    )
    ledger.post_deposit(uid.hex, amount, order.currency, occurred_at=moment, description=order.number)
    jobs.enqueue("billing.tell_of_deposit", key=str(deposit.pk), deposit_id=deposit.pk)
    return deposit


def moment_of_return(earliest: datetime, day: date, *, now: datetime) -> datetime:
    """Return when an amount counts as transferred back: at noon of the day, not before ``earliest`` and not after now.

    :raises TransferRefused: the day is before ``earliest`` or in the future.
    """
    if not localdate(earliest) <= day <= localdate(now):
        raise TransferRefused(reason=_("Choose a day between the arrival of the money and today."))
    return min(max(noon_of(day), earliest), now)


def noon_of(day: date) -> datetime:
    """Return the middle of a day in TIME_ZONE: when a bank moved money, if only the day is known."""
    return datetime.combine(day, time(12), timezone.get_default_timezone())


def moment_of_arrival(order: Order, day: date, *, now: datetime) -> datetime:
    """Return when an amount for an order counts as received: at noon of the day, after the order and not after now.

    :raises TransferRefused: the day is before the order or in the future.
    """
    if not localdate(order.created_at) <= day <= localdate(now):
        raise TransferRefused(reason=_("Choose a day between the day of the order and today."))
    return min(max(noon_of(day), order.created_at), now)


def cancel_transfer_order(
    *, order: Order, reason: str, actor: User | None, spares_parts: bool = False, now: datetime
) -> Order:
    """Give up an order that was to be paid by bank transfer, and cancel its invoice by a credit note. Idempotent.

    ``reason``: as the credit note and the order say it. ``actor``: the buyer or an admin; None for a job.
    ``spares_parts``: an order of which a part has arrived stays as it is.

    :raises OrderSettled: it was paid in the meantime.
    :raises CardPaymentBegun: a card payment of the order is being processed.
    """
    if actor is not None:
        enforce(transfer_policies.cancel_order(actor, order))
    release_card(order, now=now)
    with transaction.atomic():
        order = locked_order(order)
        if order.status == Order.Status.CANCELED:
            return order
        order = open_order(order)
        if spares_parts and any(each.rest for each in order.deposits.all()):
            return order
        mark_canceled(order, canceled_by=actor, reason=reason, now=now)
        cancel_order_invoice(order=order, reason=reason, now=now)
        jobs.enqueue("billing.tell_of_canceled_transfer", key=str(order.pk), order_id=order.pk)
    return order
