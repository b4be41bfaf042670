"""Settle an order: paid, in the books, and open to the learner; or canceled, with its promo code given back."""

from datetime import datetime

from apps.accounts.models import User
from apps.billing import gateway
from apps.billing.events import OrderPaid
from apps.billing.gateway.errors import payment_message
from apps.billing.models import Order, Payment, SeatPack
from apps.billing.services import promo, seats
from apps.billing.services.payments import ArrivedTransfer, record_sale
from studyplatform.kit.events import publish


def fresh_order(order: Order) -> Order:
    """Return the order as it is in the database, with what settling it needs. One query."""
    return Order.objects.select_related("user", "promo_code", "redemption").get(pk=order.pk)


def locked_order(order: Order) -> Order:
    """Return the order as it is in the database, locked until the transaction ends. One query."""
    related = ("user", "promo_code", "redemption")
    return Order.objects.select_for_update(of=("self",)).select_related(*related).get(pk=order.pk)


def mark_paid(
    order: Order, *, intent: gateway.IntentState | None = None, transfer: ArrivedTransfer | None = None, now: datetime
) -> Payment:
    """Write down that an order was paid: by card, by bank transfer, or neither if it was free.

    The caller holds its lock, inside a transaction, and has seen that it is live.
    """
    order.status, order.settled_at = Order.Status.PAID, now
    order.save(update_fields=["status", "settled_at"])
    if order.redemption is not None:
        promo.keep(order.redemption, now=now)
    payment = record_sale(order=order, intent=intent, transfer=transfer, now=now)
    publish(OrderPaid(order_id=order.pk, payment_id=payment.pk, user_id=order.user_id))
    return payment


def mark_canceled(
    order: Order,
    *,
    failure: gateway.Failure | None = None,
    canceled_by: User | None = None,
    reason: str = "",
    now: datetime,
) -> None:
    """Write down that an order won't be paid. The caller holds its lock, inside a transaction."""
    order.status, order.settled_at = Order.Status.CANCELED, now
    order.canceled_by, order.cancel_reason = canceled_by, reason[:300]
    if failure is not None:
        order.failure_kind = failure.kind[:40]
        order.failure_message = payment_message(failure.kind, failure.message)[:300]
    order.save(
        update_fields=["status", "settled_at", "canceled_by", "cancel_reason", "failure_kind", "failure_message"]
    )
    if order.redemption is not None:
        promo.give_back(order.redemption, now=now)
    if order.is_for_team:
        seats.end_pack(pack=order.seat_pack, reason=SeatPack.End.CANCELED, now=now)
