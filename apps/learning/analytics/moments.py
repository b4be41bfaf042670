"""Moments of a video that stand out in its retention: no database here. Pages print the formula with these numbers.

The curve says of each second which share of the learners watched it, in percent. It falls by itself, so a moment is
measured against the video's own course: the median of the seconds around it, as many before as after. Of a curve that
falls evenly, however steeply, nothing stands out.

- **First 30 seconds**: the mean of the curve from second 25 to 35, or the last seconds of a shorter video.
- **Spike**: the curve, as a mean of five seconds, is above its course by at least five points and three times what is
  usual in this video (the median deviation, scaled to a standard deviation). Learners go there on purpose.
- **Dip**: likewise below it: learners skip it, and go on after it.
- **Top moment**: a stretch after the first 30 seconds in which the curve falls by at most a quarter of what it usually
  falls in so many seconds. At most three, the calmest first.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, median

FIRST_SECONDS = 30
MIN_VIDEO_SECONDS = 60  # of shorter videos only the first seconds are named
SMOOTHING_SECONDS = 5
MIN_POINTS = 5.0  # percent of the learners
MIN_DEVIATIONS = 3.0
MAD_TO_DEVIATION = 1.4826  # of a normal distribution
MIN_HALF_WINDOW_SECONDS = 30  # seconds before and after, of which the median is the course
HALF_WINDOWS_PER_VIDEO = 10  # or a tenth of the video, if that is longer
EDGE_SECONDS = 10  # nothing is named at the begin and the end: everyone starts, and credits are left
MAX_GAP_SECONDS = 5  # between two stretches that are one moment
MAX_MOMENTS_NAMED = 5  # spikes, and dips
MAX_TOP_MOMENTS = 3
TOP_MOMENTS_PER_VIDEO = 20  # a top moment lasts a twentieth of the video
MIN_TOP_SECONDS = 15
CALM_SHARE = 0.25  # of what the curve usually falls
MIN_FALL_POINTS = 0.5  # a curve that hardly falls has no calm stretches


@dataclass(frozen=True)
class Moment:
    """Seconds from ``start`` to before ``end``. ``peak``: where it stands out most; ``size``: by how many points."""

    start: int
    end: int
    peak: int
    size: float


@dataclass(frozen=True)
class Moments:
    """What stands out in a curve. ``first``: the percent of learners who were there after 30 seconds."""

    first: float | None = None
    spikes: tuple[Moment, ...] = ()
    """Those that stand out most come first, likewise the dips."""
    dips: tuple[Moment, ...] = ()
    top: tuple[Moment, ...] = field(default=())


def find_moments(curve: Sequence[float]) -> Moments:
    """Name the moments of a curve.

    :param curve: for each second of the video, the percent of learners who watched it.
    """
    if not curve:
        return Moments()
    first = fmean(curve[max(0, min(FIRST_SECONDS, len(curve)) - 5) : FIRST_SECONDS + 5])
    if len(curve) < MIN_VIDEO_SECONDS:
        return Moments(first=first)
    course = find_course(curve)
    residues = [here - usual for here, usual in zip(_smooth(curve), course, strict=True)]
    middle = median(residues)
    deviation = MAD_TO_DEVIATION * median(abs(one - middle) for one in residues)
    least = max(MIN_POINTS, MIN_DEVIATIONS * deviation)
    spikes, dips = _find_runs(residues, least), _find_runs([-one for one in residues], least)
    return Moments(first, spikes, dips, _find_top(curve, (*spikes, *dips)))


def find_course(curve: Sequence[float]) -> list[float]:
    """Return the course of a curve: at each second the median around it, over fewer seconds toward both ends."""
    half = max(MIN_HALF_WINDOW_SECONDS, len(curve) // HALF_WINDOWS_PER_VIDEO)
    last = len(curve) - 1
    window, low, high = [curve[0]], 0, 0  # the sorted values of the seconds from ``low`` to ``high``
    found = []
    for second in range(len(curve)):
        reach = min(half, second, last - second)
        while high < second + reach:
            high += 1
            insort(window, curve[high])
        while low < second - reach:
            del window[bisect_left(window, curve[low])]
            low += 1
        found.append(window[len(window) // 2])
    return found


def _smooth(curve: Sequence[float]) -> list[float]:
    reach, last = SMOOTHING_SECONDS // 2, len(curve) - 1
    around = ((second, min(reach, second, last - second)) for second in range(len(curve)))
    return [fmean(curve[second - few : second + few + 1]) for second, few in around]


def _find_runs(residues: Sequence[float], least: float) -> tuple[Moment, ...]:
    """Return the stretches that are above ``least``, the highest first."""
    high = [second for second in range(EDGE_SECONDS, len(residues) - EDGE_SECONDS) if residues[second] >= least]
    if not high:
        return ()
    breaks = [0, *(place for place, (a, b) in enumerate(pairwise(high), start=1) if b - a > MAX_GAP_SECONDS), len(high)]
    found = []
    for begin, end in pairwise(breaks):
        start, stop = high[begin], high[end - 1] + 1
        peak = max(range(start, stop), key=residues.__getitem__)
        found.append(Moment(start, stop, peak, round(residues[peak], 1)))
    return tuple(sorted(found, key=lambda one: (-one.size, one.start))[:MAX_MOMENTS_NAMED])


def _find_top(curve: Sequence[float], taken: Sequence[Moment]) -> tuple[Moment, ...]:
    """Return the calmest stretches that overlap neither each other nor what is named already."""
    length = max(MIN_TOP_SECONDS, len(curve) // TOP_MOMENTS_PER_VIDEO)
    starts = range(FIRST_SECONDS, len(curve) - EDGE_SECONDS - length)
    if not starts:
        return ()
    usual = (curve[FIRST_SECONDS] - curve[-1 - EDGE_SECONDS]) * length / (len(curve) - EDGE_SECONDS - FIRST_SECONDS)
    if usual < MIN_FALL_POINTS:
        return ()
    falls = sorted((abs(curve[start] - curve[start + length]), start) for start in starts)
    found: list[Moment] = []
    for fall, start in falls:
        if fall > CALM_SHARE * usual or len(found) == MAX_TOP_MOMENTS:
            break
        end = start + length
        if all(end <= other.start or start >= other.end for other in (*taken, *found)):
            found.append(Moment(start, end, start + length // 2, round(usual - fall, 1)))
    return tuple(found)
