"""Small charts within tables: bars of days, and a line. They start at zero, as large ones do."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import get_language_bidi

COLUMN = 4  # units of the drawing per bar, with the gap beside it
BAR = 3
HEIGHT = 24
SMALLEST_BAR = 2  # of what is more than nothing
FLOOR = 1  # of a day with nothing, so that it is seen as a day


@dataclass(frozen=True)
class SparkBar:
    x: float
    y: float
    width: float
    height: float
    is_nothing: bool


@dataclass(frozen=True)
class Spark:
    """A small chart in a box of its own width and height."""

    width: float
    height: float
    bars: tuple[SparkBar, ...] = ()
    path: str = ""
    end: tuple[float, float] | None = field(default=None)
    """The last point of a line: a line of a single value is only this."""


def spark_bars(values: Sequence[float], *, most: float | None = None) -> Spark:
    """Lay out a bar per value, at least as high as the smallest that is seen.

    :param most: the value of a full bar, where several small charts share one scale; the highest, if it is higher.
    :raises ValueError: a value is negative.
    """
    if any(value < 0 for value in values):
        raise ValueError("small bars have no negative values")
    scale = max([*values, most or 0])
    is_mirrored = get_language_bidi()
    bars = []
    for index, value in enumerate(values):
        height = max(SMALLEST_BAR, round(HEIGHT * value / scale, 2)) if value else FLOOR
        place = len(values) - 1 - index if is_mirrored else index
        bars.append(SparkBar(place * COLUMN, round(HEIGHT - height, 2), BAR, height, not value))
    return Spark(max(1, len(values) * COLUMN - (COLUMN - BAR)), HEIGHT, bars=tuple(bars))


def spark_line(values: Sequence[float]) -> Spark:
    """Lay out a line from edge to edge; a single value is a point."""
    high, low = max([*values, 0]), min([*values, 0])
    extent, last = high - low, len(values) - 1
    is_mirrored = get_language_bidi()
    points = []
    for index, value in enumerate(values):
        share = index / last if last else 1.0
        x = 100 * (1 - share if is_mirrored else share)
        points.append((round(x, 2), round(100 * (high - value) / extent, 2) if extent else 100.0))
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points) if last > 0 else ""
    return Spark(100, 100, path=path, end=points[-1] if points else None)
