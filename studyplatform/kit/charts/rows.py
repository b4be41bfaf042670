"""Horizontal bars: distributions, such as ratings by stars, and funnels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from studyplatform.kit.charts.measures import Counts, Percents

_COUNTS, _PERCENTS = Counts(), Percents()


@dataclass(frozen=True)
class DistributionRow:
    """A bar: its name, its count and its percent of all, as texts, and its length in percent."""

    name: str
    count: str
    percent: str
    length: float


@dataclass(frozen=True)
class FunnelStep:
    """A step that people reach after the one before: how many, and how many of the first and of the last step."""

    name: str
    count: str
    length: float
    of_first: str
    """The percent of the first step; "" for the first one, and where more people are counted than there."""
    lost: int
    """How many fewer than at the step before; 0 if there are not fewer."""
    lost_percent: str
    """Of the step before; "" if there are not fewer."""
    is_largest_loss: bool


def distribution(counts: Sequence[tuple[str, int]]) -> list[DistributionRow]:
    """Lay out counts as shares of all of them.

    :raises ValueError: a count is negative.
    """
    if any(count < 0 for _name, count in counts):
        raise ValueError("a distribution has no negative counts")
    total = sum(count for _name, count in counts)
    shares = [100 * count / total if total else 0.0 for _name, count in counts]
    return [
        DistributionRow(name, _COUNTS.write(count), _PERCENTS.write(share), round(share, 2))
        for (name, count), share in zip(counts, shares, strict=True)
    ]


def funnel(counts: Sequence[tuple[str, int]]) -> list[FunnelStep]:
    """Lay out steps by the most that any of them has.

    A later step may have more than an earlier one, when they are counted in different ways (visitors of a page who
    want not to be counted still enroll): then nobody was lost there, and no percentage is made up.

    :raises ValueError: a count is negative.
    """
    numbers = [count for _name, count in counts]
    if any(number < 0 for number in numbers):
        raise ValueError("a funnel has no negative counts")
    most, largest = max(numbers, default=0), largest_loss(numbers)
    steps = []
    for index, (name, number) in enumerate(counts):
        before = numbers[index - 1] if index else number
        lost = max(0, before - number)
        compares = index > 0 and 0 < numbers[0] >= number
        steps.append(
            FunnelStep(
                name=name,
                count=_COUNTS.write(number),
                length=round(100 * number / most, 2) if most else 0.0,
                of_first=_PERCENTS.write(100 * number / numbers[0]) if compares else "",
                lost=lost,
                lost_percent=_PERCENTS.write(100 * lost / before) if lost else "",
                is_largest_loss=index == largest,
            )
        )
    return steps


def largest_loss(numbers: Sequence[float]) -> int | None:
    """Return the index of the value that is furthest below the one before it; None if none is."""
    losses = [(before - after, -index) for index, (before, after) in enumerate(pairwise(numbers))]
    loss, place = max(losses, default=(0, 0))
    return 1 - place if loss > 0 else None
