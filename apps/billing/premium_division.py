"""How a month of Premium is divided among courses. Pure functions of integers."""

from collections import Counter
from collections.abc import Mapping

from apps.billing.splits import split_by_weight


def divide_by_seconds(own: Mapping[int, int], seconds: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """Return the part of each course that was watched, in minor units.

    :param own: what each subscriber contributes to the month.
    :param seconds: what each subscriber watched of each course.

    Each subscriber's money is divided by their own seconds, so nobody moves more than they paid: any rule by which one
    subscriber's minutes carry at most that subscriber's money, and which divides all the money of those who watched,
    is this one. What those contribute who watched nothing is in no part.
    """
    parts: Counter[int] = Counter()
    for user, mine in seconds.items():
        if own.get(user, 0) > 0 and any(mine.values()):
            parts.update(split_by_weight(own[user], mine))
    return dict(parts)


def cap_day(seconds: Mapping[int, int], most: int) -> dict[int, int]:
    """Return the seconds of a learner's day by course, at most ``most`` in all, in the same proportion."""
    return dict(seconds) if sum(seconds.values()) <= most else split_by_weight(most, seconds)
