"""Pages for admins about the books: what differs from the provider, and the events that arrived from it."""

from itertools import islice

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import administers, signed_in_user
from apps.billing.models import BooksCheck
from apps.billing.pages.admin_area import shared
from apps.billing.queries import books_checks, webhook_events
from apps.billing.services import webhooks
from apps.billing.services.books_checks import DAYS, start_check
from studyplatform.kit.web.requests import search_query

PAGE = 20
CHECKS = 12
AT_ONCE = 1000  # events that are handled again by one click


@administers
@never_cache
@require_safe
def reconciliation(request: HttpRequest) -> HttpResponse:
    """What was found when the books were compared with the provider and with themselves."""
    context = {
        **shared("books"),
        "provider": books_checks.latest_check(BooksCheck.Kind.PROVIDER),
        "ledger": books_checks.latest_check(BooksCheck.Kind.LEDGER),
        "running": books_checks.running_checks(),
        "earlier": Paginator(books_checks.earlier_checks(), CHECKS).get_page(request.GET.get("page")),
        "days": DAYS,
    }
    return render(request, "billing/admin/reconciliation.html", context)


@administers
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Let a job compare the books now, or repair what differs from the provider."""
    kind = BooksCheck.Kind.LEDGER if request.POST.get("kind") == "ledger" else BooksCheck.Kind.PROVIDER
    repairs = request.POST.get("repairs") == "1"
    start_check(admin=signed_in_user(request), kind=kind, repairs=repairs, now=timezone.now())
    return redirect("billing:admin-reconciliation")


@administers
@never_cache
@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """The events that arrived from the provider, by state."""
    text, state = search_query(request), request.GET.get("state", "")
    state = state if state in webhook_events.STATES else ""
    found = webhook_events.events(text)
    counts = webhook_events.counts_by_state(found)
    pages = Paginator(found.filter(state=state) if state else found, PAGE)
    pages.count = counts[state] if state else counts.total()  # counted with the tabs
    page = pages.get_page(request.GET.get("page"))
    labels = webhook_events.STATES
    context = {
        **shared("events"),
        "page": page,
        "rows": webhook_events.rows(page),
        "tabs": [("", _("All"), counts.total()), *((name, label, counts[name]) for name, label in labels.items())],
        "failed": counts["failed"],
        "state": state,
        "states": labels,
        "text": text,
    }
    return render(request, "billing/admin/events.html", context)


@administers
@require_POST
def replay(request: HttpRequest) -> HttpResponse:
    """Handle the chosen events again, or all that failed."""
    if request.POST.get("failed") == "1":
        found = webhook_events.events().filter(state="failed").values_list("pk", flat=True)
        chosen = list(found[:AT_ONCE])
    else:
        numbers = islice(request.POST.getlist("event"), PAGE)
        chosen = [int(number) for number in numbers if number.isdecimal() and len(number) < 19]
    count = webhooks.replay(admin=signed_in_user(request), triggers=chosen)
    if count:
        text = ngettext("%(num)d event is being processed again.", "%(num)d events are being processed again.", count)
        messages.success(request, text % {"num": count})
    else:
        messages.info(request, _("Select at least one event first."))
    return redirect("billing:admin-events")
