"""How the pool of a month of Premium is divided among courses. Pure functions of integers."""

from collections import Counter
from collections.abc import Mapping

from apps.billing.splits import split_by_weight


def moved_by_subscriber(pool: int, own: Mapping[int, int]) -> dict[int, int]:
    """Return what each subscriber who watched moves to courses, in minor units.

    It is what their own payments have earned in the month. If refunds of earlier months have left less than that in the
    pool, each moves less, in proportion.
    """
    return dict(own) if sum(own.values()) <= pool else split_by_weight(pool, own)


def divide_pool(pool: int, own: Mapping[int, int], seconds: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """Return the part of each course that was watched, in minor units.

    :param own: what each subscriber's payments have earned in the month.
    :param seconds: what each subscriber watched of each course.

    Each subscriber's money is divided by their own seconds, so nobody moves more than they paid: any rule by which one
    subscriber's minutes carry at most that subscriber's money, and which divides all the money of those who watched,
    is this one. The parts are the pool without the money of those who watched nothing.
    """
    watching = {user: own[user] for user in seconds if own.get(user, 0) > 0 and any(seconds[user].values())}
    parts: Counter[int] = Counter()
    for user, amount in moved_by_subscriber(pool, watching).items():
        parts.update(split_by_weight(amount, seconds[user]))
    return dict(parts)


def cap_day(seconds: Mapping[int, int], most: int) -> dict[int, int]:
    """Return the seconds of a learner's day by course, at most ``most`` in all, in the same proportion."""
    return dict(seconds) if sum(seconds.values()) <= most else split_by_weight(most, seconds)
