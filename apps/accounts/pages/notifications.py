"""The notifications page, the panel in the header, and the unsubscribe link of emails."""

from datetime import date, timedelta
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import queries, services
from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.pages.responses import without_referrer
from studyplatform.kit.web.requests import safe_next

PER_PAGE, IN_PANEL = 50, 8
LOOKED_THROUGH = 40  # rows that the panel's entries are made of


@signed_in
@never_cache
@require_safe
def notifications(request: HttpRequest) -> HttpResponse:
    user, unread = signed_in_user(request), request.GET.get("show") == "unread"
    page = Paginator(queries.notices_of(user, unread=unread), PER_PAGE).get_page(request.GET.get("page"))
    today = timezone.now().astimezone(queries.zone_of(user)).date()
    periods: dict[str, list[queries.Entry]] = {}
    for day, entries in queries.by_day(page, user).items():
        periods.setdefault(_period_of(day, today), []).extend(entries)
    return render(request, "accounts/notifications.html", {"page": page, "periods": periods, "unread_only": unread})


def _period_of(day: date, today: date) -> str:
    """A heading for several days: the further back, the longer the period."""
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    if day > today - timedelta(days=7):
        return _("Last 7 days")
    if day > today - timedelta(days=30):
        return _("Last 30 days")
    return date_format(day, "F" if day.year == today.year else "F Y")


@signed_in
@never_cache
@require_safe
def panel(request: HttpRequest) -> HttpResponse:
    """The content of the header's panel, fetched when it is opened."""
    user = signed_in_user(request)
    days = queries.by_day(queries.notices_of(user)[:LOOKED_THROUGH], user)
    entries = [entry for day in days.values() for entry in day][:IN_PANEL]
    return render(request, "accounts/_panel.html", {"entries": entries})


@signed_in
@require_POST
def read(request: HttpRequest, uid: UUID) -> HttpResponse:
    services.mark_read(user=signed_in_user(request), uid=uid, now=timezone.now())
    return _done(request)


@signed_in
@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    services.mark_all_read(user=signed_in_user(request), now=timezone.now())
    return _done(request)


def _done(request: HttpRequest) -> HttpResponse:
    """Redirect to the list; a script receives the number of unread notifications instead."""
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"unread": queries.unread_count(signed_in_user(request))})
    return redirect(safe_next(request, request.headers.get("Referer"), "/notifications"))


@csrf_exempt  # mail programs press it without having seen the page (RFC 8058); the signed link is what proves the right
@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """A GET only asks: programs that scan emails follow links by themselves."""
    subscription = services.subscription_of(token)
    state, undo = "ask", ""
    if subscription is None:
        state = "gone"
    elif request.method == "POST" and "undo" in request.POST:
        state = "undone" if services.undo_unsubscribe(subscription, request.POST["undo"]) else "ask"
    elif request.method == "POST":
        undo = services.unsubscribe(subscription)
        state = "done"
    elif not subscription.is_on:
        state = "off"
    context = {"state": state, "subscription": subscription, "undo": undo, "token": token}
    answer = render(request, "accounts/unsubscribe.html", context, status=404 if state == "gone" else 200)
    return without_referrer(answer)
