"""Pages for admins about the books: what differs from the provider, and the events that arrived from it."""

from datetime import date, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import administers, signed_in_user
from apps.billing import eu_vat_rates, services
from apps.billing.books_forms import FIRST_DAY, ManualEntryForm
from apps.billing.countries import country_name
from apps.billing.documents.pages import percent
from apps.billing.models import BooksCheck, ManualEntry
from apps.billing.pages.admin_area import shared
from apps.billing.pages.report_choices import ROWS_PER_PAGE
from apps.billing.queries import balance, books_checks, webhook_events
from apps.billing.queries.tax_rates import rates_by_country
from apps.billing.services import webhooks
from apps.billing.services.books_checks import start_check
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.requests import search_query

PAGE = 20
CHECKS = 12
# What an unexplained amount can be, by the account to which it is moved (`services.books_entries.EXPLANATIONS`).
EXPLANATIONS = {
    "platform": gettext_lazy("The platform's own revenue"),
    "fees": gettext_lazy("A fee"),
    "refunds": gettext_lazy("Something given back"),
    "tax": gettext_lazy("Tax"),
    "bank": gettext_lazy("To or from the bank"),
    "owner": gettext_lazy("Put in or taken out by the owner"),
}
AT_ONCE = 1000  # events that are handled again by one click


@administers
@never_cache
@require_safe
def reconciliation(request: HttpRequest) -> HttpResponse:
    """What was found when the books were compared with the provider and with themselves."""
    now = timezone.now()
    until = _day(request.GET.get("until", ""), timezone.localdate())
    context = {
        **shared("books"),
        "totals": balance.totals(),
        "day_rows": balance.compared_days(until=until, now=now),
        "earlier_days": until - timedelta(days=balance.DAYS_PER_PAGE),
        "categories": balance.by_category(),
        "open_differences": Paginator(balance.open_differences(), CHECKS).get_page(request.GET.get("open")),
        **_unexplained(request),
        "provider": books_checks.latest_check(BooksCheck.Kind.PROVIDER),
        "ledger": books_checks.latest_check(BooksCheck.Kind.LEDGER),
        "running": books_checks.running_checks(),
        "earlier": Paginator(books_checks.earlier_checks(), CHECKS).get_page(request.GET.get("page")),
    }
    return render(request, "billing/admin/reconciliation.html", context)


@administers
@never_cache
@require_safe
def movements(request: HttpRequest) -> HttpResponse:
    """What moved the provider's balance: all of it, of a day or of a category; with the entries of the ledger."""
    currency, category = request.GET.get("currency", ""), request.GET.get("category", "")[:60]
    currency = currency if currency in {each.currency for each in balance.totals()} else settings.CURRENCY
    day = _day(request.GET["day"], timezone.localdate()) if "day" in request.GET else None
    found = balance.movements(currency=currency, category=category, day=day)
    page = Paginator(found, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    entries = balance.entries_of_facts([each.fact for each in page])
    booked, net = balance.sums_of(found)
    context = {
        **shared("books"),
        "currency": currency,
        "category": balance.category_label(category) if category else "",
        "day": day,
        "page": page,
        "rows": [(each, balance.category_label(each.category), entries.get(each.fact, [])) for each in page],
        "booked": booked,
        "net": net,
    }
    return render(request, "billing/admin/movements.html", context)


def _unexplained(request: HttpRequest) -> dict[str, Any]:
    page = Paginator(balance.unexplained(), CHECKS).get_page(request.GET.get("unexplained"))
    rows = list(balance.unexplained_rows(page)) if page.object_list else []
    return {"unexplained": page, "unexplained_rows": rows, "explanations": EXPLANATIONS.items()}


def _day(text: str, latest: date) -> date:
    """A date of the address; without a valid one, the latest."""
    try:
        return max(FIRST_DAY, min(date.fromisoformat(text), latest))
    except ValueError:
        return latest


@administers
@require_POST
def explain(request: HttpRequest) -> HttpResponse:
    """Write down what the provider moved and nobody could explain."""
    services.explain_balance(
        admin=signed_in_user(request),
        fact=request.POST.get("fact", "")[:150],
        account=request.POST.get("account", ""),
        now=timezone.now(),
    )
    messages.success(request, _("Posted. The next comparison takes it into account."))
    return redirect("billing:admin-reconciliation")


@administers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def bank(request: HttpRequest) -> HttpResponse:
    """What the books say of the platform's bank and of tax owed; post what moved there."""
    totals = balance.totals()
    currencies = [each.currency for each in totals]
    form = ManualEntryForm(request.POST if request.method == "POST" else None, currencies=currencies)
    if form.is_valid():
        values = form.cleaned_data
        try:
            services.post_entry(
                uid=values["uid"],
                kind=ManualEntry.Kind(values["kind"]),
                amount=values["minor_amount"],
                currency=values["currency"],
                day=values["day"],
                period=values["period"],
                reference=values["reference"],
                admin=signed_in_user(request),
                now=timezone.now(),
            )
        except AppError as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _("Posted."))
            return redirect("billing:admin-bank")
    page = Paginator(balance.manual_entries(), PAGE).get_page(request.GET.get("page"))
    context = {**shared("bank"), "totals": totals, "form": form, "page": page, **_tax_rates()}
    return render(request, "billing/admin/bank.html", context, status=422 if form.errors else 200)


def _tax_rates() -> dict[str, Any]:
    """The tax that consumers pay by country, and what an admin should know about it."""
    today = timezone.localdate()
    rates = sorted(rates_by_country(today), key=lambda each: country_name(each.country).casefold())
    return {
        "rates": [(country_name(each.country), each) for each in rates],
        "missing_rates": [country_name(each.country) for each in rates if each.is_missing],
        "other_rates": [(country_name(each.country), each) for each in rates if each.differs],
        "rates_source": eu_vat_rates.SOURCE,
        "rates_checked_on": eu_vat_rates.CHECKED_ON,
        "are_rates_old": eu_vat_rates.are_rates_old(today),
        "percent": percent,
        "exemption": settings.TAX_EXEMPTION,
    }


@administers
@require_POST
def undo(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Undo what an admin posted by hand, by a counter entry."""
    services.undo_entry(uid=uid, admin=signed_in_user(request), now=timezone.now())
    messages.success(request, _("Undone by a counter entry."))
    return redirect("billing:admin-bank")


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
