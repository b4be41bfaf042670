"""Axes with round numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, isfinite

from studyplatform.kit.charts.measures import Measure

MOST_INTERVALS = 6
LARGEST_VALUE = 1e15  # of a chart: as large as floats are exact
PENALTY_OF_INTERVAL = 0.08  # for each interval more or less than wanted, as a share of the axis that stays empty
_ROUNDING = 1e-9  # how far a quotient may be above a whole number and still be it


@dataclass(frozen=True)
class Tick:
    """A line across the plot with its value: its distance from the top in percent, and what is written beside it."""

    value: float
    y: float
    text: str


@dataclass(frozen=True)
class Axis:
    """The vertical axis, from low to high, which are whole numbers of steps."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    """From the highest to the lowest, evenly spaced."""

    def y_of(self, value: float) -> float:
        """The distance of a value from the top of the plot, in percent: 0 to 100."""
        share = (self.high - value) / (self.high - self.low)
        return round(min(max(100 * share, 0), 100), 3)

    @property
    def base(self) -> float:
        """Where zero is."""
        return self.y_of(0)


def lay_out_axis(
    values: Iterable[float | None], measure: Measure, *, intervals: int = 4, is_full: bool = False
) -> Axis:
    """Return an axis from zero that has room for all values; it goes below zero only for negative ones.

    :param intervals: how many intervals between its lines are wanted; it may have others if the numbers are rounder.
    :param is_full: whether it always reaches the most that the measure has: 100 percent.
    :raises ValueError: a value is no number, or beyond LARGEST_VALUE.
    """
    known = [float(value) for value in values if value is not None]
    if not all(isfinite(value) and abs(value) <= LARGEST_VALUE for value in known):
        raise ValueError(f"a chart needs values up to {LARGEST_VALUE}")
    most, least = max([*known, 0.0]), min([*known, 0.0])
    if is_full and measure.most is not None:
        most = max(most, measure.most)
    limit = measure.most if measure.most is not None and most <= measure.most and not least else None
    extent = most - least
    if not extent:
        return _from_steps(measure.unit, 0, 1, measure)
    best: tuple[float, float, int, int] | None = None
    for step, penalty in measure.find_steps(extent):
        above, below = _steps_to(most, step), _steps_to(-least, step)
        if not 0 < above + below <= MOST_INTERVALS or (limit is not None and above * step > limit):
            continue
        empty = ((above + below) * step - extent) / extent
        score = empty + abs(above + below - intervals) * PENALTY_OF_INTERVAL + penalty
        if best is None or score < best[0]:
            best = (score, step, below, above)
    if best is None:  # cannot be with the steps of this module
        raise ValueError("the measure has no step for these values")
    return _from_steps(best[1], best[2], best[3], measure)


def _steps_to(value: float, step: float) -> int:
    return max(1, ceil(value / step - _ROUNDING)) if value > 0 else 0


def _from_steps(step: float, below: int, above: int, measure: Measure) -> Axis:
    numbers = [count * step for count in range(above, -below - 1, -1)]
    texts = measure.write_ticks(numbers)
    last = len(numbers) - 1
    ticks = tuple(
        Tick(number, round(100 * place / last, 3), text)
        for place, (number, text) in enumerate(zip(numbers, texts, strict=True))
    )
    return Axis(numbers[-1], numbers[0], ticks)
