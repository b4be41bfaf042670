"""Pages for admins about what goes back by bank transfer: deposits and refunds, and what the bank sends back."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts.guards import administers, signed_in_user
from apps.billing.models import Deposit, Refund
from apps.billing.services import bank_returns, deposit_returns
from apps.billing.transfer_forms import ConfirmReturn, RejectDeposit, RejectReturn, TransferReason
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.text.money import money

RETURNS = "/dashboard/admin/transfers?state=returns"


@administers
@require_POST
def reject_deposit(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Record that the bank sent back what was transferred back."""
    deposit, form = _deposit(uid), RejectDeposit(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["day"][0]))
        return redirect("billing:admin-transfer", uid=deposit.order.uid)
    admin, day = signed_in_user(request), form.cleaned_data["day"]
    try:
        deposit_returns.reject_deposit(deposit=deposit, rejected_on=day, actor=admin, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Recorded: the money came back. It is to be transferred back again."))
    return redirect("billing:admin-transfer", uid=deposit.order.uid)


@administers
@require_POST
def give_back_deposit(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Confirm that what is held of a transfer was transferred back."""
    deposit = _deposit(uid)
    form = ConfirmReturn(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["day"][0]))
        return redirect("billing:admin-transfer", uid=deposit.order.uid)
    try:
        day = form.cleaned_data["day"]
        deposit_returns.return_deposit(
            deposit=deposit, returned_on=day, actor=signed_in_user(request), now=timezone.now()
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Confirmed. The buyer was notified."))
    return redirect("billing:admin-transfer", uid=deposit.order.uid)


@administers
@require_POST
def confirm_return(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Confirm that a refund was transferred on a day."""
    form = ConfirmReturn(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["day"][0]))
        return redirect(RETURNS)
    refund, admin = _refund(uid), signed_in_user(request)
    try:
        bank_returns.confirm_return(
            refund=refund, returned_on=form.cleaned_data["day"], actor=admin, now=timezone.now()
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        amount = money(refund.amount, refund.payment.currency, cents=True)
        messages.success(request, _("%(amount)s was refunded. The learner was notified.") % {"amount": amount})
    return redirect(RETURNS)


@administers
@require_POST
def withdraw_return(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Give up a refund that is to be transferred, with a reason."""
    refund, form = _refund(uid), TransferReason(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was changed. Enter a reason."))
        return redirect(RETURNS)
    reason = form.cleaned_data["reason"]
    try:
        bank_returns.withdraw_return(refund=refund, reason=reason, actor=signed_in_user(request), now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Refund withdrawn. The learner was notified and can see why."))
    return redirect(RETURNS)


@administers
@require_POST
def reject_return(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Write down that the bank sent a refund back."""
    refund, form = _refund(uid), RejectReturn(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was changed. Enter a reason and the date."))
        return redirect("billing:admin-refund", uid=refund.payment.uid)
    admin, given = signed_in_user(request), form.cleaned_data
    try:
        bank_returns.reject_return(
            refund=refund, rejected_on=given["day"], reason=given["reason"], actor=admin, now=timezone.now()
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Recorded: the money came back. Refund it again, to another account."))
    return redirect("billing:admin-refund", uid=refund.payment.uid)


def _deposit(uid: UUID) -> Deposit:
    deposit = Deposit.objects.select_related("order").filter(uid=uid).first()
    if deposit is None:
        raise NotFound
    return deposit


def _refund(uid: UUID) -> Refund:
    refund = Refund.objects.select_related("payment__user").filter(uid=uid).first()
    if refund is None:
        raise NotFound
    return refund
