"""What the pages of analytics are asked to show: courses, and a period."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from apps.accounts.guards import signed_in_user
from apps.billing.queries.periods import months_before
from apps.learning.analytics.courses import Scope, scope_of
from apps.learning.analytics.periods import MAX_PERIOD_DAYS, Period, last_days
from studyplatform.kit.web.dates import show_site_date

USUAL = "12-months"
DAYS = {"30": 30, "90": 90}
RANGES = {*DAYS, USUAL}
MONTHS = 12  # whole ones, but for the present one


@dataclass(frozen=True)
class ChosenPeriod:
    """``name``: of `RANGES`, or "own". ``problem``: why the asked days are not shown."""

    name: str
    period: Period
    problem: str = ""

    @property
    def label(self) -> str:
        return say_days(self.period)

    @property
    def label_before(self) -> str:
        return say_days(self.period.before)


@dataclass(frozen=True)
class Choice:
    """The scope and the period of a page, and the query of its address that chooses them."""

    scope: Scope
    chosen: ChosenPeriod
    is_compared: bool
    now: datetime

    @property
    def period(self) -> Period:
        return self.chosen.period

    @property
    def today(self) -> date:
        return self.now.astimezone(UTC).date()

    def query(self, **changed: str | None) -> str:
        """Return the query of this choice, with some parameters changed, or left out (None)."""
        values: dict[str, str | None] = {"course": self.scope.chosen.slug if self.scope.chosen is not None else None}
        if self.chosen.name == "own":
            values |= {"from": self.period.first.isoformat(), "to": self.period.last.isoformat()}
        elif self.chosen.name != USUAL:
            values["range"] = self.chosen.name
        if self.is_compared:
            values["compare"] = "1"
        values |= changed
        if "range" in changed:
            values |= {"from": None, "to": None}
        return urlencode({name: value for name, value in values.items() if value is not None})


def choose(request: HttpRequest, *, now: datetime) -> Choice:
    """Read what a page is asked for. One query (see `scope_of`).

    :raises AppError: the reader may not read the figures of the course.
    """
    scope = scope_of(signed_in_user(request), request.GET.get("course", ""))
    return Choice(scope, choose_period(request.GET, now=now), request.GET.get("compare") == "1", now)


def choose_period(query: Mapping[str, Any], *, now: datetime) -> ChosenPeriod:
    """Return the period that a query asks for: one of `RANGES`, or its own days from ``from`` to ``to`` (of UTC).

    Days to come are cut off. What is no period is answered with the usual one, and why.
    """
    first, last, name = (str(query.get(key) or "") for key in ("from", "to", "range"))
    usual = name if name in RANGES else USUAL
    period = usual_period(usual, now=now)
    if not first and not last:
        return ChosenPeriod(usual, period)
    today = now.astimezone(UTC).date()
    try:
        begin = date.fromisoformat(first)
        end = min(date.fromisoformat(last), today) if last else today
    except ValueError:
        return ChosenPeriod(usual, period, _("Enter both days as dates, such as 2026-03-01."))
    if begin > today:
        return ChosenPeriod(usual, period, _("The first day is still to come."))
    if begin > end:
        return ChosenPeriod(usual, period, _("The first day is after the last one."))
    # The days before must exist, too.
    if (end - begin).days + 1 > MAX_PERIOD_DAYS or begin.toordinal() <= 2 * MAX_PERIOD_DAYS:
        return ChosenPeriod(usual, period, _("Choose ten years at most."))
    return ChosenPeriod("own", Period(begin, end))


def usual_period(name: str, *, now: datetime) -> Period:
    """Return the last days that one of `RANGES` names."""
    if name in DAYS:
        return last_days(DAYS[name], now=now)
    today = now.astimezone(UTC).date()
    return Period(months_before(today.replace(day=1), MONTHS - 1), today)


def say_days(period: Period) -> str:
    """Return the days of a period: "3 March to 2 April 2026"."""
    first = "j F" if period.first.year == period.last.year else "j F Y"
    return _("%(first)s to %(last)s") % {
        "first": show_site_date(period.first, first),
        "last": show_site_date(period.last, "j F Y"),
    }


def months_of(period: Period, *, least: int, most: int) -> list[date]:
    """Return the first days of the months of a period; earlier ones too if there are few, the last ones if many."""
    month = period.last.replace(day=1)
    found: list[date] = []
    while len(found) < most and (month >= period.first.replace(day=1) or len(found) < least):
        found.append(month)
        month = (month - timedelta(days=1)).replace(day=1)
    return found[::-1]


def site_currency() -> str:
    return str(settings.CURRENCY)
