"""A period beside the one before it: no database here."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from apps.learning.analytics.periods import Period
from apps.learning.analytics.series import DayFigures, Series, Step, group_series

MOST_DAYS, MOST_WEEKS = 31, 26  # entries of a chart by day, and by week


def step_of(days: int) -> Step:
    """Return what the charts of a period of so many days count together."""
    if days <= MOST_DAYS:
        return "day"
    return "week" if days <= 7 * MOST_WEEKS else "month"


@dataclass(frozen=True)
class Compared:
    """The figures of a period in steps, and those of as many days before: entry by entry at the same distance from
    the first day. So a month of 31 days stands beside 31 days."""

    step: Step
    present: Series
    before: Series
    entries: tuple[DayFigures, ...]
    entries_before: tuple[DayFigures, ...]


def compare_series(present: Series, before: Series) -> Compared:
    """Group two series of the same length, by day, into steps.

    :raises ValueError: they have not as many days.
    """
    if len(present.entries) != len(before.entries):
        raise ValueError("a period is compared with one of as many days")
    step = step_of(len(present.entries))
    grouped = group_series(present, step)
    starts = _starts(grouped.entries, present.entries)
    bounds = pairwise([*starts, len(before.entries)])
    earlier = (_total(before.entries[start:end]) for start, end in bounds)
    return Compared(step, present, before, grouped.entries, tuple(earlier))


def _total(days: Sequence[DayFigures]) -> DayFigures:
    return Series(Period(days[0].day, days[-1].day), tuple(days)).total


def _starts(groups: Sequence[DayFigures], days: Sequence[DayFigures]) -> list[int]:
    """The index of the first day of each group; that of the first one may lie before all days."""
    first = days[0].day
    return [max(0, (group.day - first).days) for group in groups]
