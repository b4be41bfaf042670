"""The user's saved cards: /billing/methods."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing import queries, services
from apps.billing.browser import allows_provider, provider_props
from apps.billing.services.customers import MAX_CARDS
from studyplatform.kit.errors import AppError


@signed_in
@never_cache
@require_safe
@allows_provider
def methods(request: HttpRequest) -> HttpResponse:
    """The saved cards, with the default first, and the form that adds one. ``?saved=`` names a card just added."""
    user = signed_in_user(request)
    cards = queries.saved_cards(user, now=timezone.now())
    has_premium = queries.renews(user)
    saved = request.GET.get("saved", "")
    context = {
        "cards": cards,
        "saved": next((each for each in cards if str(each.card.uid) == saved), None),
        "has_premium": has_premium,
        "heir": queries.heir_of(cards) if has_premium else None,
        "is_full": len(cards) >= MAX_CARDS,
        "max_cards": MAX_CARDS,
        "props": {
            "provider": provider_props(),
            "currency": settings.CURRENCY,
            "has_cards": bool(cards),
            "has_premium": has_premium,
        },
    }
    return render(request, "billing/methods.html", context)


@signed_in
@require_POST
def make_default(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Use this card for Premium from now on."""
    user = signed_in_user(request)
    card = queries.card_of(user, uid)
    try:
        services.make_default(user=user, card=card)
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        text = _("%(brand)s ending %(digits)s is now the default.")
        messages.success(request, text % {"brand": queries.brand_name(card.brand), "digits": card.last4})
    return redirect("billing:methods")


@signed_in
@require_POST
def remove(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Remove a card."""
    user = signed_in_user(request)
    card = queries.card_of(user, uid)
    try:
        services.remove_card(user=user, card=card, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        text = _("%(brand)s ending %(digits)s was removed.")
        messages.success(request, text % {"brand": queries.brand_name(card.brand), "digits": card.last4})
    return redirect("billing:methods")
