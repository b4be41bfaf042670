"""What became of an order: /payment-success and /payment-error, each with ?order={uid}. Only the buyer sees them."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing import queries
from apps.billing.models import Order, SeatPack
from studyplatform.kit.errors import NotFound


@signed_in
@never_cache
@require_safe
def payment_success(request: HttpRequest) -> HttpResponse:
    """What was bought, while the payment is processed, too."""
    if "order" not in request.GET:
        return redirect("billing:transactions")
    order = _order(request)
    if order.method == Order.Method.TRANSFER and order.status in {Order.Status.OPEN, Order.Status.CANCELED}:
        return redirect("billing:order", uid=order.uid)
    if order.status == Order.Status.CANCELED:
        return redirect(f"/payment-error?order={order.uid}")
    if order.status != Order.Status.PAID:
        return render(request, "billing/payment_pending.html", {"order": order, "props": {"uid": str(order.uid)}})
    payment = order.payment
    if order.is_for_team:
        pack = order.seat_pack
        if pack.state != SeatPack.State.OPEN or pack.team.owner_id != order.user_id:
            return redirect("billing:transaction", uid=payment.uid)
        messages.success(request, _("Your seats are paid. Assign them to your people."))
        return redirect("billing:team", uid=pack.team.uid)
    refundable = payment.opened_at + timedelta(days=settings.REFUND_DAYS)
    card = f"{queries.brand_name(payment.card_brand)} •••• {payment.card_last4}" if payment.card_last4 else ""
    lines = order.lines.select_related("course__instructor", "course__subject")
    context = {
        "order": order,
        "payment": payment,
        "card": card,
        "courses": [line.course for line in lines],
        "refundable": refundable,
    }
    return render(request, "billing/payment_success.html", context)


@signed_in
@never_cache
@require_safe
def payment_error(request: HttpRequest) -> HttpResponse:
    """Why a payment failed, and how to pay again."""
    if "order" not in request.GET:
        return redirect("billing:transactions")
    order = _order(request)
    if order.method == Order.Method.TRANSFER:
        return redirect("billing:order", uid=order.uid)
    if order.status != Order.Status.CANCELED:
        return redirect(f"/payment-success?order={order.uid}")
    return render(request, "billing/payment_error.html", {"order": order})


def _order(request: HttpRequest) -> Order:
    try:
        uid = UUID(request.GET.get("order", ""))
    except ValueError:
        raise NotFound from None
    return queries.order_of(signed_in_user(request), uid)
