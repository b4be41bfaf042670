"""How many learners watched each second of a video: counting, storing and comparing curves, without a database."""

import struct
from collections.abc import Iterable, Sequence
from itertools import accumulate

BAND_POINTS = 101
"""Curves of videos of different lengths are compared at each percent of their length, from 0 to 100."""
LEAST_LESSONS = 3
"""Of how many lessons there must be curves, so that something is usual."""


class RetentionSum:
    """Counts for a video of so many seconds. Adding costs as much as a learner has watched pieces."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self.learners = 0
        self._change = [0] * (seconds + 1)

    def add(self, watched: Iterable[Sequence[int]]) -> None:
        """Add what one learner watched: [from, to) pairs that don't overlap. What is after the end doesn't count."""
        is_counted = False
        for begin, end in watched:
            begin, end = max(0, int(begin)), min(int(end), self.seconds)
            if begin < end:
                self._change[begin] += 1
                self._change[end] -= 1
                is_counted = True
        self.learners += is_counted

    def counts(self) -> list[int]:
        """Return how many learners watched each second."""
        return list(accumulate(self._change[: self.seconds]))


def pack_counts(counts: Sequence[int]) -> bytes:
    """Return counts as uint32, little-endian, as `LessonRollup.retention` has them."""
    return struct.pack(f"<{len(counts)}I", *counts)


def unpack_counts(packed: bytes | memoryview) -> list[int]:
    """Return the counts of `pack_counts`."""
    data = bytes(packed)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def to_percents(counts: Sequence[int], learners: int) -> list[float]:
    """Return which share of the learners watched each second, in percent; zeros without learners."""
    return [100 * count / learners if learners else 0.0 for count in counts]


def at_each_percent(curve: Sequence[float]) -> list[float]:
    """Return the curve at each percent of its length: ``BAND_POINTS`` values, each that of the nearest second."""
    last = len(curve) - 1
    return [curve[(point * last + 50) // 100] for point in range(BAND_POINTS)] if curve else [0.0] * BAND_POINTS


def find_band(curves: Sequence[Sequence[float]]) -> list[tuple[float, float]] | None:
    """Return the usual band at each percent of the length: the middle half of the curves.

    :param curves: as `at_each_percent` has them, in percents of learners. With fewer than
        ``LEAST_LESSONS``, nothing is usual: None.
    """
    if len(curves) < LEAST_LESSONS:
        return None
    return [(_quantile(values, 0.25), _quantile(values, 0.75)) for values in map(sorted, zip(*curves, strict=True))]


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value at a share of the way through the ordered values, between two of them in proportion."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
