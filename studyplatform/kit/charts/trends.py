"""What numbers say, and whether they say anything: how two compare, and since when a series is another one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt
from statistics import fmean

# Two counts differ if their difference is larger than chance makes it. A count of independent events has about its
# square root as standard deviation (Poisson), so the difference of two has the root of their sum.
DEVIATIONS = 2.0
SMALLEST_COUNT = 10  # of the larger of two counts: fewer compare to nothing
FLAT = 0.1  # two amounts that differ by less, as a share of the earlier one, are about the same
# Ratios that people have words for, from and to.
HALF = (0.42, 0.58)
TWICE = (1.8, 2.25)
THREE_TIMES = (2.7, 3.4)
# A series has shifted if two means explain it: there are so many values on each side, and the squares of the distances
# from its two means are together at most this share of those from its one mean.
SMALLEST_SIDE = 3
UNEXPLAINED = 0.4


class Change(Enum):
    """How a number compares to an earlier one."""

    NOTHING = "neither has anything"
    FIRST = "there was nothing before"
    GONE = "there is nothing anymore"
    FEW = "both are too small to be compared"
    SAME = "about the same"
    TWICE = "twice as much"
    THREE_TIMES = "three times as much"
    MANY_TIMES = "even more"
    MORE = "more"
    HALF = "half as much"
    LESS = "less"


def compare_counts(now: int, before: int) -> Change:
    """Compare two counts of people or events; what chance makes is no change."""
    if special := _compare_with_nothing(now, before):
        return special
    if max(now, before) < SMALLEST_COUNT:
        return Change.FEW
    if abs(now - before) <= DEVIATIONS * sqrt(now + before):
        return Change.SAME
    return _name_ratio(now / before)


def compare_amounts(now: float, before: float) -> Change:
    """Compare two amounts of many parts, such as hours or money of many sales."""
    return _compare_with_nothing(now, before) or _name_ratio(now / before)


def _compare_with_nothing(now: float, before: float) -> Change | None:
    if now <= 0 and before <= 0:
        return Change.NOTHING
    if before <= 0:
        return Change.FIRST
    return Change.GONE if now <= 0 else None


def _name_ratio(ratio: float) -> Change:
    named = {Change.HALF: HALF, Change.TWICE: TWICE, Change.THREE_TIMES: THREE_TIMES}
    for change, (low, high) in named.items():
        if low <= ratio <= high:
            return change
    if ratio > THREE_TIMES[1]:
        return Change.MANY_TIMES
    if abs(ratio - 1) < FLAT:
        return Change.SAME
    return Change.MORE if ratio > 1 else Change.LESS


@dataclass(frozen=True)
class Shift:
    """Since which value a series is another one, and its means before and since then."""

    index: int
    before: float
    since: float


def find_shift(values: Sequence[float]) -> Shift | None:
    """Return the one place from which on a series has another mean, if two means explain it well; None otherwise."""
    overall = _spread(values)
    best: tuple[float, int] | None = None
    for index in range(SMALLEST_SIDE, len(values) - SMALLEST_SIDE + 1):
        unexplained = _spread(values[:index]) + _spread(values[index:])
        if best is None or unexplained < best[0]:
            best = unexplained, index
    if best is None or not overall or best[0] > UNEXPLAINED * overall:
        return None
    return Shift(best[1], fmean(values[: best[1]]), fmean(values[best[1] :]))


def _spread(values: Sequence[float]) -> float:
    """The sum of the squares of the distances from the mean."""
    mean = fmean(values) if values else 0.0
    return sum((value - mean) ** 2 for value in values)
