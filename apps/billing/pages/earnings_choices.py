"""What the earnings page and its CSV files are asked to show: a currency, a course, a period."""

from __future__ import annotations

from datetime import date

from django.conf import settings
from django.http import HttpRequest

from apps.billing.queries.earnings import Part
from apps.billing.queries.periods import Period, month_period, periods


def currency_of(request: HttpRequest, parts: list[Part]) -> str:
    """The requested currency if there are earnings in it, else the site's or the first one with any."""
    found = {part.currency for part in parts}
    wanted = request.GET.get("currency", "")
    if wanted in found:
        return wanted
    return settings.CURRENCY if settings.CURRENCY in found or not found else min(found)


def course_of(request: HttpRequest, parts: list[Part]) -> int | None:
    wanted = request.GET.get("course", "")
    return next((part.course for part in parts if part.course is not None and str(part.course) == wanted), None)


def period_of(request: HttpRequest, parts: list[Part], today: date) -> tuple[Period, list[Period]]:
    """The requested period, else the default, and what can be chosen. A single month is asked for as "2026-03"."""
    choices = periods(today, min((part.month for part in parts), default=None))
    wanted = request.GET.get("period", "")
    found = next((each for each in choices if each.name == wanted), None)
    if found is None and (month := month_period(wanted, today)) is not None:
        found, choices = month, [*choices, month]
    return found or choices[0], choices
