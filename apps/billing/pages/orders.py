"""A buyer's order by bank transfer: what to transfer, pay by card instead, cancel it; and where a refund goes to."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing import queries, transfer_policies
from apps.billing.forms import PayoutDetails
from apps.billing.models import Order, Payment, Refund
from apps.billing.queries.open_transfers import reconsider
from apps.billing.queries.transfer_orders import transfer_order
from apps.billing.services.bank_returns import ReturnAccount, save_return_account
from apps.billing.services.transfer_orders import cancel_transfer_order
from apps.billing.transfer_codes import epc_code
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import plain_amount


@signed_in
@never_cache
@require_safe
def order(request: HttpRequest, uid: UUID) -> HttpResponse:
    """What is to be transferred for an order, and what became of it."""
    user, now = signed_in_user(request), timezone.now()
    found = queries.order_of(user, uid)
    if found.method != Order.Method.TRANSFER or found.status == Order.Status.PROCESSING:
        return redirect(f"/payment-success?order={found.uid}")
    view = transfer_order(found, now=now)
    code = ""
    if view.account and view.missing:
        code = epc_code(view.account, amount=view.missing, currency=found.currency, reference=found.number)
    context = {
        "order": found,
        "view": view,
        "reconsidered": reconsider(found),
        "code": code,
        "plain_amount": plain_amount(view.missing, found.currency),
        "can_cancel": transfer_policies.cancel_order(user, found) is None,
        "lines": found.lines.select_related("course"),
        "refund": _refund_in_progress(found),
    }
    return render(request, "billing/order.html", context)


def _refund_in_progress(order: Order) -> Refund | None:
    if order.status != Order.Status.PAID:
        return None
    return Refund.objects.filter(payment__order=order, status__in=Refund.OPEN).order_by("pk").last()


@signed_in
@require_POST
def cancel(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Cancel an order that isn't paid."""
    user = signed_in_user(request)
    found = queries.order_of(user, uid)
    try:
        cancel_transfer_order(order=found, reason=_("Canceled by the buyer"), actor=user, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Order canceled. Don't transfer anything for it."))
    return redirect("billing:order", uid=found.uid)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def refund_account(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The bank account to which a refund is transferred: the learner names it, or an admin for them."""
    user = signed_in_user(request)
    related = ("payment__user", "payment__course")
    refund = Refund.objects.select_related(*related).filter(uid=uid, method=Payment.Method.TRANSFER).first()
    if refund is None:
        raise NotFound
    enforce(transfer_policies.name_return_account(user, refund))
    if refund.status not in Refund.OPEN:
        return redirect("billing:transaction", uid=refund.payment.uid)
    initial = {"holder": refund.holder or refund.payment.user.get_full_name(), "bank_code": refund.bank_code}
    form = PayoutDetails(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        account = ReturnAccount(**form.cleaned_data)
        try:
            save_return_account(user=user, refund=refund, account=account, now=timezone.now())
        except AppError as refusal:
            messages.error(request, refusal.detail)
        else:
            messages.success(request, _("The account is saved. We'll transfer the money to it."))
        if user.pk != refund.payment.user_id:
            return redirect("/dashboard/admin/transfers?state=returns")
        return redirect("billing:transaction", uid=refund.payment.uid)
    context = {"refund": refund, "payment": refund.payment, "form": form}
    return render(request, "billing/refund_account.html", context, status=422 if form.errors else 200)
