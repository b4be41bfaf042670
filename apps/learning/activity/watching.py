"""Which seconds of a video were watched, as sorted, disjoint [from, to) pairs of whole seconds."""

import math
from collections.abc import Iterable
from datetime import timedelta

Intervals = list[list[int]]

COMPLETE_AT = 0.9  # share of the video's distinct seconds
MAX_SPEED = 2  # the fastest playback rate of the player
UNKNOWN_LENGTH = 120  # seconds of a video of another host that nobody measured
ALLOWANCE = 30  # seconds by which one lesson may be ahead of real time; the time budget limits all lessons together


def merge(pairs: Iterable[Iterable[int]], *, duration: int) -> Intervals:
    """Return the pairs sorted and clipped to the video, with overlapping and adjacent ones joined."""
    merged: Intervals = []
    for start, end in sorted((max(0, a), min(duration, b)) for a, b in pairs):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def seconds(intervals: Intervals) -> int:
    """Return how many distinct seconds merged pairs contain."""
    return sum(end - start for start, end in intervals)


def subtract(pairs: Intervals, known: Intervals) -> Intervals:
    """Return the seconds that are in ``pairs`` and not in ``known``; both are merged."""
    rest: Intervals = []
    place = 0  # of the first known interval that can touch the present pair
    for begin, end in pairs:
        start = begin
        while place < len(known) and known[place][1] <= start:
            place += 1
        while place < len(known) and known[place][0] < end:
            low, high = known[place]
            if low > start:
                rest.append([start, low])
            start = max(start, high)
            if high > end:
                break  # it may touch the next pair, too
            place += 1
        if start < end:
            rest.append([start, end])
    return rest


def take(pairs: Intervals, limit: int) -> Intervals:
    """Return the first ``limit`` seconds of the pairs."""
    taken: Intervals = []
    for start, end in pairs:
        if limit <= 0:
            break
        stop = min(end, start + limit)
        taken.append([start, stop])
        limit -= stop - start
    return taken


def plausible_gain(*, since_start: timedelta, since_save: timedelta, watched: int) -> int:
    """Return how many new seconds of one lesson one player can have shown at the fastest playback rate.

    There are two limits: since the last save, and since the lesson was opened. The second keeps many small messages
    from each using the allowance again. ``time_budget`` limits all lessons together.
    """
    by_save = int(since_save.total_seconds() * MAX_SPEED) + ALLOWANCE
    in_all = int(since_start.total_seconds() * MAX_SPEED) + ALLOWANCE - watched
    return max(0, min(by_save, in_all))


def is_complete(watched: int, *, duration: int) -> bool:
    """Return whether a video is complete: 90 % of its distinct seconds were watched."""
    return duration > 0 and watched >= duration * COMPLETE_AT


def seconds_to_watch(*, length: int, watched: int) -> int:
    """Return how many more seconds of a video must be watched until it is complete.

    :param length: of the video in seconds; 0 if nobody knows it, which asks for UNKNOWN_LENGTH seconds.
    """
    return max(0, (math.ceil(length * COMPLETE_AT) if length > 0 else UNKNOWN_LENGTH) - watched)


def seconds_until_watched(needed: int, *, since_start: timedelta, watched: int) -> int:
    """Return after how many seconds of real time one player can have shown ``needed`` more seconds of a lesson."""
    possible = int(since_start.total_seconds() * MAX_SPEED) + ALLOWANCE - watched
    return max(0, -(-(needed - possible) // MAX_SPEED))
