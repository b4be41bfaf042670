"""Who gets the instructor's part of a sale or of Premium: the instructor, and co-instructors with a share.

A sale belongs to those who earned from the course at the moment when it was paid, even if we learn of it late. It
is booked under the lock of the course, so a removal, another share or another instructor comes before it, or after it.
Premium is divided by the days on which the course was watched. Who may not teach, isn't verified or is blocked gets
nothing: their share is the instructor's (docs/adr/0068-co-instructors.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta

from apps.billing.splits import split_by_weight
from apps.courses.models import Course
from apps.courses.queries.earners import Earners, earners_of

WHOLE = 100
DAY = timedelta(days=1)


def lock_earners(courses: Collection[int], moment: datetime) -> dict[int, Earners]:
    """Return who earns from courses since a moment, with the courses locked. Four queries."""
    rows = Course.objects.select_for_update(no_key=True).filter(pk__in=courses)
    list(rows.order_by("pk").values_list("pk"))
    return earners_of(courses, since=moment)


def divide_sale(total: int, tax: int, instructor_id: int, shares: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """Divide a sale: for each who gets something of it the id of the user, their part of the total and of its tax.

    The instructor comes first. Both columns add up; nobody's part depends on the order of the shares.
    """
    percents = {instructor_id: WHOLE - sum(shares.values()), **shares}
    totals = split_by_weight(total, percents)
    taxes = split_by_weight(tax, totals)
    ordered = [instructor_id, *sorted(shares)]
    return [(user, totals[user], taxes.get(user, 0)) for user in ordered if totals[user]]


def divide_premium(
    amounts: Mapping[int, int],
    start: datetime,
    end: datetime,
    seconds_by_day: Callable[[Collection[int]], Mapping[int, Mapping[date, int]]],
) -> dict[int, dict[int, int]]:
    """Divide what courses brought in a period among those who earned from them; by course and user. Three queries.

    ``amounts``: by course. ``seconds_by_day`` returns what was watched of courses that are named, by course and day: it
    is asked only for those in which something changed within the period. What was watched on a day is divided by who
    earned on this day, and on the day of a change by its hours.
    """
    earners = earners_of(amounts, since=start)
    changed = [course for course, each in earners.items() if not each.is_same_throughout(start, end)]
    days = seconds_by_day(changed) if changed else {}
    return {
        course: split_by_weight(amount, _weights(earners[course], start, end, days.get(course, {})))
        for course, amount in amounts.items()
    }


def _weights(earners: Earners, start: datetime, end: datetime, seconds: Mapping[date, int]) -> dict[int, int]:
    """Return how much of a period is whose, by user."""
    if not any(seconds.values()):
        return earners.weigh(start, end)
    weights = Counter[int]()
    for day, watched in seconds.items():
        begin = datetime.combine(day, time(0), tzinfo=UTC)
        for user, weight in earners.weigh(begin, begin + DAY).items():
            weights[user] += weight * watched
    return dict(weights)
