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

from datetime import date, datetime, time

from django.db import transaction
from django.utils import timezone
from django.utils.timezone import localdate
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing import policies
from apps.billing.errors import OrderSettled, TransferRefused
from apps.billing.models import Order, Payment
from apps.billing.services.order_invoices import cancel_order_invoice, issue_order_invoice
from apps.billing.services.order_states import locked_order, mark_canceled, mark_paid
from apps.billing.services.payments import ArrivedTransfer
from studyplatform.kit.policies import enforce


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
    issue_order_invoice(order=order, now=now)
    return order


@transaction.atomic
def confirm_transfer(*, order: Order, received_on: date, actor: User, now: datetime) -> Payment:
    """Write down that the whole amount of an order arrived at the bank on a day, and open what was bought.

    :raises OrderSettled: it was paid or canceled in the meantime, for example by another admin.
    :raises TransferRefused: the day is before the order or in the future.
    """
    enforce(policies.confirm_transfers(actor))
    order = locked_order(order)
    if order.status != Order.Status.OPEN or order.method != Order.Method.TRANSFER:
        raise OrderSettled
    transfer = ArrivedTransfer(moment_of_arrival(order, received_on, now=now), actor)
    return mark_paid(order, transfer=transfer, now=now)


def moment_of_arrival(order: Order, day: date, *, now: datetime) -> datetime:
    """Return when an amount for an order counts as received: at noon of the day, after the order and not after now.

    :raises TransferRefused: the day is before the order or in the future.
    """
    if not localdate(order.created_at) <= day <= localdate(now):
        raise TransferRefused(reason=_("Choose a day between the day of the order and today."))
    noon = datetime.combine(day, time(12), timezone.get_default_timezone())
    return min(max(noon, order.created_at), now)


@transaction.atomic
def cancel_transfer_order(*, order: Order, reason: str, actor: User | None, now: datetime) -> Order:
    """Give up an order that was to be paid by bank transfer, and cancel its invoice by a credit note. Idempotent.

    ``reason``: as the credit note and the order say it. ``actor``: the buyer or an admin; None for a job.

    :raises OrderSettled: it was paid in the meantime.
    """
    if actor is not None:
        enforce(policies.cancel_order(actor, order))
    order = locked_order(order)
    if order.status == Order.Status.CANCELED:
        return order
    if order.status != Order.Status.OPEN or order.method != Order.Method.TRANSFER:
        raise OrderSettled
    mark_canceled(order, canceled_by=actor, reason=reason, now=now)
    cancel_order_invoice(order=order, reason=reason, now=now)
    return order
