"""Pay an order that exists by card: seats of a team, or an invoice that was to be paid by bank transfer.

A declined card doesn't end such an order: another card, or the bank transfer, pays the same one.
"""

from datetime import datetime

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.errors import OrderSettled
from apps.billing.models import Order
from apps.billing.services import customers
from apps.billing.services.checkout import Begun, intent_of, sync_order
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume


def begin_order_payment(*, user: User, order: Order, card: str, now: datetime) -> Begun:
    """Begin to pay an open order by card, or continue. Idempotent: the provider makes one payment per order.

    ``card``: the uid of a saved card, or "".

    :raises OrderSettled: it was canceled, or a bank transfer was confirmed.
    """
    enforce(policies.see_order(user, order))
    consume("checkout", str(user.pk), now=now)
    saved = customers.usable_card(user=user, uid=card, now=now) if card else None
    order = sync_order(order=order, now=now)
    if order.status in {Order.Status.PAID, Order.Status.PROCESSING}:
        return Begun(order=order)
    if order.status != Order.Status.OPEN:
        raise OrderSettled
    intent = intent_of(order)
    if intent.status == "canceled":  # a bank transfer was about to be confirmed
        intent = intent_of(order, after=intent)
    if Order.objects.get(pk=order.pk).status != Order.Status.OPEN:
        gateway.cancel_payment_intent(intent.id)
        raise OrderSettled
    jobs.enqueue("billing.follow_order", key=f"{order.pk} {intent.id}", order_id=order.pk)
    return Begun(order=order, client_secret=intent.client_secret, card=saved)
