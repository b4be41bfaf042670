"""URLs that only redirect to other pages."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers, signed_in


@administers
@require_safe
def admin_password(request: HttpRequest) -> HttpResponse:
    """Redirect from the password form of Django's admin: passwords are changed in the settings only."""
    return redirect("accounts:settings")


@signed_in
@require_safe
def billing_settings(request: HttpRequest) -> HttpResponseRedirect:
    """Redirect /settings/billing, to which PAYMENT_CARD_DECLINED links, to the payment methods."""
    return HttpResponseRedirect("/billing/methods")
