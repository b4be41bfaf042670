"""Pages for admins about bank transfers: orders that wait for one, what arrived, and what is to be transferred back."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import administers, signed_in_user
from apps.billing.errors import TransferDiffers
from apps.billing.models import Order
from apps.billing.pages.admin_area import shared
from apps.billing.queries import transfer_orders as found
from apps.billing.queries.open_transfers import reconsider
from apps.billing.services import bank_returns, transfer_orders
from apps.billing.transfer_forms import (
    BearCharges,
    RecordTransfer,
    TransferReason,
)
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.requests import search_query

PAGE_SIZE = 20


@administers
@never_cache
@require_safe
def transfers(request: HttpRequest) -> HttpResponse:
    """Orders that wait for their transfer, are overdue or settled; and what is to be transferred back."""
    now, text, state = timezone.now(), search_query(request), request.GET.get("state", "")
    state = state if state in found.STATES else ""
    counts = found.count_by_state(now=now)
    context: dict[str, Any] = {
        **shared("transfers"),
        "tabs": [(name, label, counts.get(name)) for name, label in found.STATES.items()],
        "state": state or ("" if text else "waiting"),
        "text": text,
        "now": now,
        "today": timezone.localdate(),
    }
    number = request.GET.get("page")
    if state == "returns":
        returns = Paginator(found.returns_due(), PAGE_SIZE).get_page(number)
        deposits = Paginator(found.deposits_to_return(), PAGE_SIZE).get_page(request.GET.get("held"))
        rows = [(refund, bank_returns.number_of(refund)) for refund in returns]
        context |= {"page": returns, "rows": rows, "deposits": deposits}
        return render(request, "billing/admin/returns.html", context)
    page = Paginator(found.list_transfer_orders(state, text, now=now), PAGE_SIZE).get_page(number)
    return render(request, "billing/admin/transfers.html", {**context, "page": page})


@administers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def transfer(request: HttpRequest, uid: UUID) -> HttpResponse:
    """One order: record what arrived for it, or cancel it."""
    admin, now = signed_in_user(request), timezone.now()
    order = found.find_transfer_order(uid)
    form = RecordTransfer(
        request.POST if request.method == "POST" else None,
        currency=order.currency,
        initial={"day": timezone.localdate()},
    )
    differs: TransferDiffers | None = None
    if form.is_valid():
        try:
            payment = transfer_orders.record_transfer(
                order=order,
                amount=form.cleaned_data["minor_amount"],
                received_on=form.cleaned_data["day"],
                actor=admin,
                uid=form.cleaned_data["uid"],
                keeps_difference=form.cleaned_data["keeps"],
                bears_charges=form.cleaned_data["bears"],
                now=now,
            )
        except TransferDiffers as refusal:  # the page says what can be done, and asks again
            differs = refusal
        except AppError as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _outcome(order, paid=payment is not None))
            return redirect("billing:admin-transfer", uid=order.uid)
    view = found.transfer_order(order, now=now)
    gap = view.missing - form.cleaned_data["minor_amount"] if differs else 0
    context = {
        **shared("transfers"),
        "order": order,
        "view": view,
        "reconsidered": reconsider(order),
        "form": form,
        "differs": differs,
        "gap": gap,
        "can_bear": view.can_bear(gap) if gap > 0 else view.can_bear(view.missing),
        "cancel_form": TransferReason(),
        "today": timezone.localdate(),
    }
    status = 409 if differs else 422 if form.errors else 200
    return render(request, "billing/admin/transfer.html", context, status=status)


def _outcome(order: Order, *, paid: bool) -> str:
    if order.status not in Order.LIVE:
        return _("Recorded. It is to be transferred back.")
    if paid:
        return _("Payment confirmed. %(title)s is open, and the buyer was notified.") % {"title": order.title}
    return _("Recorded. The order waits for the rest, and the buyer was notified.")


@administers
@require_POST
def cancel(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Cancel an order that isn't paid, with a reason."""
    order = found.find_transfer_order(uid)
    form = TransferReason(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was canceled. Enter a reason."))
        return redirect("billing:admin-transfer", uid=order.uid)
    reason = form.cleaned_data["reason"]
    try:
        transfer_orders.cancel_transfer_order(
            order=order, reason=reason, actor=signed_in_user(request), now=timezone.now()
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Order canceled. The buyer was notified and got a credit note."))
    return redirect("billing:admin-transfer", uid=order.uid)


@administers
@require_POST
def bear_charges(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Let what has arrived pay the order: banks kept the rest."""
    order = found.find_transfer_order(uid)
    form = BearCharges(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was recorded. Reload the page and try again."))
        return redirect("billing:admin-transfer", uid=order.uid)
    admin, missing = signed_in_user(request), form.cleaned_data["missing"]
    try:
        transfer_orders.bear_charges(order=order, expected=missing, actor=admin, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _outcome(order, paid=True))
    return redirect("billing:admin-transfer", uid=order.uid)
