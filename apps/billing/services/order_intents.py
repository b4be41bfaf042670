"""The payments at the provider that were begun for an order."""

from apps.billing import gateway
from apps.billing.gateway.errors import payment_message
from apps.billing.models import Order
from apps.billing.services import customers
from apps.billing.services.order_states import fresh_order


def intent_of(order: Order, *, saves_card: bool = False) -> gateway.IntentState:
    """The payment intent of an order. The provider makes one per order, however often it is asked.

    An order by transfer outlives the intents that are canceled to record what has arrived: each is followed by another.
    """
    known = order.intent_id
    if known is not None:
        intent = gateway.get_payment_intent(known)
    else:
        intent = new_intent(order, saves_card=saves_card, key=f"order {order.uid}")
        if order.method == Order.Method.TRANSFER:  # a key's first answer is repeated, and says nothing of what followed
            intent = gateway.get_payment_intent(intent.id)
    while intent.status == "canceled" and order.method == Order.Method.TRANSFER:
        following = new_intent(order, saves_card=saves_card, key=f"order {order.uid} after {intent.id}")
        intent = gateway.get_payment_intent(following.id)
    if intent.id != known:
        Order.objects.filter(pk=order.pk, intent_id=known, status__in=Order.LIVE).update(intent_id=intent.id)
        order.intent_id = intent.id
    return intent


def new_intent(order: Order, *, key: str, saves_card: bool = False) -> gateway.IntentState:
    """Begin a payment of an order at the provider, once per key."""
    return gateway.create_payment_intent(
        customer=customers.ensure_customer(order.user).gateway_id,
        amount=order.total,
        currency=order.currency,
        description=order.title,
        order=str(order.uid),
        saves_card=saves_card,
        key=key,
    )


def note_card_state(order: Order, intent: gateway.IntentState) -> Order:
    """Write down where a card payment of an order by transfer stands that hasn't succeeded: it fails alone.

    A card that was declined can be followed by another one.
    """
    failure = intent.failure
    begun = Order.objects.filter(pk=order.pk, status__in=Order.LIVE, intent_id=intent.id)
    begun.update(
        status=Order.Status.PROCESSING if intent.status == "processing" else Order.Status.OPEN,
        intent_id=None if intent.status == "canceled" else intent.id,
        failure_kind=failure.kind[:40] if failure else "",
        failure_message=payment_message(failure.kind, failure.message)[:300] if failure else "",
    )
    return fresh_order(order)
