"""Background jobs about orders that aren't settled."""

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.billing.errors import CardPaymentBegun, OrderSettled
from apps.billing.models import Order
from apps.billing.services import checkout, transfer_orders
from apps.billing.waiting import AGAIN, waits_for_provider
from studyplatform.kit import jobs


@jobs.job("billing.follow_order", label=_("Check the payment of an order"))
@waits_for_provider
def follow_order(running: jobs.Running, *, order_id: int) -> None:
    """Settle an order whose browser went away; give it up after an hour."""
    if not checkout.follow_order(order_id=order_id, now=timezone.now()):
        raise jobs.Postpone(AGAIN, is_planned=True)


@jobs.job("billing.abandon_order", label=_("Cancel an order of a deleted account"))
@waits_for_provider
def abandon_order(running: jobs.Running, *, order_id: int) -> None:
    """Cancel what a deleted user was about to buy."""
    order, now = Order.objects.get(pk=order_id), timezone.now()
    if order.method == Order.Method.TRANSFER and order.status in Order.LIVE:
        reason = gettext("The account was deleted.")
        try:
            transfer_orders.cancel_transfer_order(order=order, reason=reason, actor=None, now=now)
        except CardPaymentBegun:  # the provider says in the end whether it succeeds
            raise jobs.Postpone(AGAIN) from None
        except OrderSettled:
            return
    else:
        checkout.cancel_order(order=order, now=now)
