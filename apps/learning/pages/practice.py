"""Practice, and the learner's flash cards."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.queries import day_zone_of
from apps.learning import services
from apps.learning.errors import CardLimitReached
from apps.learning.forms import CardForm
from apps.learning.practice.day import NEW_PER_DAY, REVIEWS_PER_DAY, day_of
from apps.learning.queries.practice import OWN, cards_of, from_source, overview_of, own_card, own_cards, sources_of
from apps.learning.queries.practice_page import session_out

PAGE = 24


@signed_in
@require_GET
def practice(request: HttpRequest) -> HttpResponse:
    """The cards that are due today: /me/practice, or those of one course with ?source=."""
    context = practice_context(signed_in_user(request), request.GET.get("source", ""), timezone.now())
    return render(request, "learning/practice.html", context)


def practice_context(user: User, source: str, now: datetime) -> dict[str, Any]:
    """Return what the page of practice shows; of all cards if there is no such source."""
    cards = cards_of(user)
    sources = sources_of(cards)
    source = source if source in {one.key for one in sources} else ""
    overview = overview_of(user, from_source(cards, source), now)
    return {
        "props": session_out(user, source, overview, now),
        "overview": overview,
        "weekdays": [date_format(one.day, "l") for one in overview.days],
        "most_on_a_day": max((day.count for day in overview.days), default=0) or 1,
        "sources": sources,
        "all_cards": sum(one.count for one in sources),
        "source": source,
        "own": OWN,
        "limits": {"new": NEW_PER_DAY, "reviews": REVIEWS_PER_DAY},
        "given": {},
    }


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def cards(request: HttpRequest) -> HttpResponse:
    """The learner's flash cards, and a form for a new one. ?front= and ?back= fill the form."""
    user = signed_in_user(request)
    filled = {name: request.GET.get(name, "") for name in ("front", "back")}
    form = CardForm(request.POST if request.method == "POST" else None, initial=filled)
    if form.is_valid():
        try:
            services.add_card(user=user, **form.cleaned_data, now=timezone.now())
        except CardLimitReached as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _("The card was added. It is due today."), extra_tags="toast")
            return redirect("learning:cards")
    page = Paginator(own_cards(user), PAGE).get_page(request.GET.get("page"))
    now = timezone.now()
    _start, tonight = day_of(now, day_zone_of(user, now))
    context = {"form": form, "page": page, "deleted": _deleted(request), "tonight": tonight}
    return render(request, "learning/cards.html", context, status=422 if form.errors else 200)


def _deleted(request: HttpRequest) -> UUID | None:
    """Return the card in ?deleted=, for the button that brings it back."""
    try:
        return UUID(request.GET.get("deleted", ""))
    except ValueError:
        return None


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def card(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Edit a flash card."""
    found = own_card(signed_in_user(request), uid)
    filled = {"front": found.front, "back": found.back}
    form = CardForm(request.POST if request.method == "POST" else None, initial=filled)
    if form.is_valid():
        services.edit_card(card=found, **form.cleaned_data)
        messages.success(request, _("Saved."), extra_tags="toast")
        return redirect("learning:cards")
    return render(request, "learning/card.html", {"form": form, "card": found}, status=422 if form.errors else 200)


@signed_in
@require_POST
def card_delete(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Delete a flash card, and offer to bring it back."""
    found = own_card(signed_in_user(request), uid)
    services.delete_card(card=found, now=timezone.now())
    return redirect(f"/me/practice/cards?deleted={found.uid}")


@signed_in
@require_POST
def card_restore(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Bring a deleted flash card back."""
    services.restore_card(card=own_card(signed_in_user(request), uid, is_deleted=True))
    messages.success(request, _("The card is back."), extra_tags="toast")
    return redirect("learning:cards")
