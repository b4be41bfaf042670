"""The periods that the earnings page offers, in whole months of TIME_ZONE."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.functional import Promise
from django.utils.timezone import get_default_timezone
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.web.dates import show_site_date

LATEST = 12  # months of the default period


@dataclass(frozen=True)
class Period:
    """From the first day ``start`` to before ``end``; None: without a limit."""

    name: str
    label: str | Promise
    start: date | None = None
    end: date | None = None

    def has(self, month: date) -> bool:
        return (self.start is None or month >= self.start) and (self.end is None or month < self.end)


ALL = Period("all", _("All time"))


def periods(today: date, first: date | None) -> list[Period]:
    """What can be chosen, the default first. ``first``: the first month with earnings; years begin with its own."""
    this = today.replace(day=1)
    years = range(today.year, first.year - 1, -1) if first else range(0)
    return [
        Period("12-months", _("Last 12 months"), months_before(this, LATEST - 1)),
        Period("this-month", _("This month"), this),
        Period("last-month", _("Last month"), months_before(this, 1), this),
        *(Period(str(year), str(year), date(year, 1, 1), date(year + 1, 1, 1)) for year in years),
        ALL,
    ]


def month_period(name: str, today: date) -> Period | None:
    """Return the period of a month that is named "2026-03"; None for another text, and for a month to come."""
    if re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", name) is None or not "1970-01" <= name <= f"{today:%Y-%m}":
        return None
    month = date(int(name[:4]), int(name[5:]), 1)
    return Period(name, show_site_date(month, "F Y"), month, months_before(month, -1))


def months_before(month: date, count: int) -> date:
    """The first day of the month that is this many months earlier."""
    index = month.year * 12 + month.month - 1 - count
    return date(index // 12, index % 12 + 1, 1)


def month_of(moment: datetime) -> date:
    """Return the first day of the month of TIME_ZONE to which a moment belongs."""
    return moment.astimezone(get_default_timezone()).date().replace(day=1)


def last_month_of(period: Period, today: date) -> date:
    """The last month of a period that has begun."""
    this = today.replace(day=1)
    return this if period.end is None else min(this, (period.end - timedelta(days=1)).replace(day=1))
