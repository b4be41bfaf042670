"""Pay an order by card that was to be paid by bank transfer."""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.errors import OrderSettled
from apps.billing.models import Order
from apps.billing.services import customers
from apps.billing.services.checkout import FOLLOW_AFTER, Begun, sync_order
from apps.billing.services.order_intents import intent_of
from apps.billing.services.order_states import locked_order
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume


def pay_by_card(*, user: User, order: Order, card: str, now: datetime) -> Begun:
    """Begin to pay an order by card that was to be paid by bank transfer. Its amount stays, and so does its invoice.

    ``card``: the uid of a saved card, or "".

    :raises OrderSettled: it was paid or canceled in the meantime.
    """
    enforce(policies.see_order(user, order))
    consume("checkout", str(user.pk), now=now)
    saved = customers.usable_card(user=user, uid=card, now=now) if card else None
    order = sync_order(order=order, now=now)
    if order.status == Order.Status.PROCESSING:
        return Begun(order=order)
    if order.status != Order.Status.OPEN or order.method != Order.Method.TRANSFER:
        raise OrderSettled
    intent = intent_of(order)
    with transaction.atomic():
        locked = locked_order(order)
        if locked.status == Order.Status.OPEN:
            Order.objects.filter(pk=order.pk).update(intent_id=intent.id)
            jobs.enqueue("billing.follow_order", key=f"{order.pk} card", delay=FOLLOW_AFTER, order_id=order.pk)
            return Begun(order=locked, client_secret=intent.client_secret, card=saved)
    gateway.cancel_payment_intent(intent.id)
    raise OrderSettled
