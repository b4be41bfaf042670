"""Where an instructor's payouts go: an account at the payment provider, or a bank account."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import policies
from apps.accounts.guards import recently_authenticated, signed_in_user, teaches
from apps.billing import forms, services
from apps.billing.browser import allows_onboarding
from apps.billing.models import ConnectedAccount, PayoutAccount, TaxDetails
from apps.billing.queries.connected import missing
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce


@recently_authenticated
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@allows_onboarding
def details(request: HttpRequest) -> HttpResponse:
    """Where the user's payouts go. The number of an account is never shown again, so the form begins without it."""
    user = signed_in_user(request)
    enforce(policies.teach(user))
    account = PayoutAccount.objects.filter(user=user).first()
    connected = ConnectedAccount.objects.filter(user=user).first()
    known = {"holder": account.holder, "bank_code": account.bank_code} if account else {"holder": user.get_full_name()}
    form = forms.PayoutDetails(request.POST if request.method == "POST" else None, initial=known)
    if form.is_valid():
        services.save_bank_account(user=user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Your payout details are saved."))
        return redirect("billing:earnings")
    context = {
        "form": form,
        "account": account,
        "connected": connected,
        "missing": missing(connected.due) if connected else [],
        "has_expired": "again" in request.GET,
        "tax": TaxDetails.objects.filter(user=user).first(),
    }
    return render(request, "billing/earnings/details.html", context, status=422 if form.errors else 200)


@recently_authenticated
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def connect(request: HttpRequest) -> HttpResponse:
    """Lead the user to the provider's page that asks for their details. GET: after the user proved their identity."""
    user = signed_in_user(request)
    enforce(policies.teach(user))
    page = reverse("billing:payout-details")
    if request.method != "POST":
        return redirect(page)
    try:
        address = services.begin_onboarding(
            user=user,
            return_url=settings.SITE_URL + reverse("billing:payout-connected"),
            refresh_url=f"{settings.SITE_URL}{page}?again",
            now=timezone.now(),
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
        return redirect(page)
    return HttpResponseRedirect(address) if address else _connected(request)


@teaches
@require_safe
@never_cache
def connected(request: HttpRequest) -> HttpResponse:
    """Where the provider's page leads back to: read what became of the user's own account, and show it."""
    row = ConnectedAccount.objects.filter(user=signed_in_user(request)).first()
    if row is None:
        return redirect("billing:payout-details")
    try:
        row = services.sync_connected_account(gateway_id=row.gateway_id, now=timezone.now())
    except AppError:
        messages.warning(request, _("The payment provider can't be reached. Your details appear here once it can."))
        return redirect("billing:earnings")
    if row is not None and row.is_ready:
        return _connected(request)
    return redirect("billing:payout-details")


def _connected(request: HttpRequest) -> HttpResponse:
    messages.success(request, _("Your payouts go to your account at the payment provider."))
    return redirect("billing:earnings")
