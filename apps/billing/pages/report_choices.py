"""What the reports are asked to show: a currency, a period, and what narrows them; and what all of them share."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.billing.pages.admin_area import shared
from apps.billing.queries import revenue
from apps.billing.queries.report_selection import Selection, first_day
from apps.billing.tax import TaxTreatment
from studyplatform.kit.web.dates import show_site_date

ROWS_PER_PAGE = 50


def selection_of(request: HttpRequest) -> Selection:
    """Return what the parameters of the address select; what makes no sense is left out.

    Without any dates it is the present year, in TIME_ZONE.
    """
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    since, until = _day(request, "since"), _day(request, "until")
    if since is None and until is None and request.GET.get("period") != "all":
        since, until = date(today.year, 1, 1), date(today.year, 12, 31)
    if since and until and since > until:
        since, until = until, since
    currency = request.GET.get("currency", "")
    country = request.GET.get("country")
    return Selection(
        currency=currency if currency in revenue.currencies() else settings.CURRENCY,
        since=since,
        until=until,
        course=whole_parameter(request, "course"),
        instructor=whole_parameter(request, "instructor"),
        country=country if country is not None and len(country) <= 2 else None,
        rate=whole_parameter(request, "rate"),
        treatment=treatment if (treatment := request.GET.get("treatment")) in TaxTreatment.values else None,
    )


def _day(request: HttpRequest, name: str) -> date | None:
    with suppress(ValueError):
        found = date.fromisoformat(request.GET.get(name, ""))
        return found if 1970 <= found.year <= 9000 else None
    return None


def whole_parameter(request: HttpRequest, name: str) -> int | None:
    with suppress(ValueError):
        number = int(request.GET.get(name, ""))
        return number if -1 <= number < 2**63 else None
    return None


def year_of(request: HttpRequest) -> int:
    """The year that the address names; the present one for another text."""
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    year = whole_parameter(request, "year")
    return year if year is not None and 1970 <= year <= today.year else today.year


def selection_query(selection: Selection, **more: str) -> str:
    """The parameters of an address that selects the same."""
    dates = {} if selection.since or selection.until else {"period": "all"}
    return urlencode({**selection.parameters(), **dates, **more})


def _periods(first: date | None, selection: Selection) -> list[dict[str, Any]]:
    """What a click chooses: each year since the first entry, its quarters, and all time."""
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    year = (selection.since or selection.until or today).year
    spans = [(str(each), date(each, 1, 1), date(each, 12, 31)) for each in years_since(first, today)]
    for number in range(4):
        start = date(year, number * 3 + 1, 1)
        end = (start + timedelta(days=92)).replace(day=1) - timedelta(days=1)
        spans.append((_("Q%(number)d %(year)d") % {"number": number + 1, "year": year}, start, end))
    found: list[dict[str, Any]] = [
        {
            "label": label,
            "query": selection_query(replace(selection, since=since, until=until)),
            "is_on": (selection.since, selection.until) == (since, until),
        }
        for label, since, until in spans
    ]
    everything = replace(selection, since=None, until=None)
    found.append({"label": _("All time"), "query": selection_query(everything), "is_on": selection == everything})
    return found


def years_since(first: date | None, today: date) -> list[int]:
    return list(range(today.year, max((first or today).year, today.year - 9) - 1, -1))


def _label_period(selection: Selection) -> str:
    """A period in words: "1 January 2026 to 31 March 2026"."""
    since, until = selection.since, selection.until
    if since and until:
        return _("%(first)s to %(last)s") % {"first": show_site_date(since), "last": show_site_date(until)}
    if since:
        return _("Since %(day)s") % {"day": show_site_date(since)}
    return _("Until %(day)s") % {"day": show_site_date(until)} if until else _("All time")


def shared_context(selection: Selection, part: str) -> dict[str, Any]:
    """What all pages of the reports show."""
    return {
        **shared("reports"),
        "part": part,
        "selection": selection,
        "currency": selection.currency,
        "currencies": [(each, selection_query(replace(selection, currency=each))) for each in revenue.currencies()],
        "periods": _periods(first_day(), selection),
        "period": _label_period(selection),
        "time_zone": settings.TIME_ZONE,
        "query": selection_query(selection),
    }
