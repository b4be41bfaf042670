"""Days, weeks and months below a chart, written as the site writes dates: the day first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from studyplatform.kit.charts.labels import DOUBLING, OF_WEEKS

LAST_OF_MONTHS = 12  # of more months in a row, the labels name the year
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Place:
    """A place of the horizontal axis: what stands below it, and its name in the table and the tooltip."""

    label: str
    name: str
    is_partial: bool = False
    """Whether it is not over: what is counted there still grows."""


@dataclass(frozen=True)
class Places:
    """The horizontal axis, in the order of time, with the name of what it counts and the strides of its labels."""

    head: str
    places: tuple[Place, ...]
    strides: tuple[int, ...] = DOUBLING


def days_as_places(days: Sequence[date], today: date | None = None) -> Places:
    """Days; the label is "3 Mar"."""
    named = _named(days, "j M", "j F Y", lambda day: day == today)
    return Places(_("Day"), named, OF_WEEKS)


def weeks_as_places(mondays: Sequence[date], today: date | None = None) -> Places:
    """Weeks by their first days; the label is "2 Mar"."""
    return Places(_("Week of"), _named(mondays, "j M", "j F Y", lambda day: _holds(day, today)))


def months_as_places(months: Sequence[date], today: date | None = None) -> Places:
    """Months by their first days; the label is "Mar", or "Mar 2026" if there are more than twelve."""
    form = "M" if len(months) <= LAST_OF_MONTHS else "M Y"
    named = _named(months, form, "F Y", lambda day: today is not None and day == today.replace(day=1))
    return Places(_("Month"), named)


def _holds(monday: date, today: date | None) -> bool:
    return today is not None and monday <= today < monday + WEEK


def _named(days: Sequence[date], label: str, name: str, is_partial: Callable[[date], bool]) -> tuple[Place, ...]:
    return tuple(
        Place(
            date_format(day, label),
            _("%(period)s so far") % {"period": date_format(day, name)} if is_partial(day) else date_format(day, name),
            is_partial(day),
        )
        for day in days
    )
