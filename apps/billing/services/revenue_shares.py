"""Who gets the instructor's part of a sale or of Premium: the instructor, and co-instructors with a share.

The shares are read when the sale is booked, in its transaction, and their rows are locked: a removal or a change of a
share comes before the sale, or after it. Premium is earned over a month, so it is divided by the time for which each
share was agreed. Who may not teach, isn't verified or is blocked gets nothing: their share is the instructor's
(docs/adr/0068-co-instructors.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Q

from apps.billing.splits import split_by_weight
from apps.courses.models import RevenueShare
from apps.courses.services.people import gets_money

WHOLE = 100


def lock_shares(course_id: int) -> dict[int, int]:
    """Return the shares of co-instructors that count now, in percent by user, their rows locked. One query."""
    rows = RevenueShare.objects.select_for_update(of=("self",), no_key=True).select_related("user")
    present = rows.filter(course=course_id, until=None).order_by("pk")
    return {row.user_id: row.percent for row in present if gets_money(row.user)}


def divide_sale(total: int, tax: int, instructor_id: int, shares: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """Divide a sale: for each who gets something of it the id of the user, their part of the total and of its tax.

    The instructor comes first. Both columns add up; nobody's part depends on the order of the shares.
    """
    percents = {instructor_id: WHOLE - sum(shares.values()), **shares}
    totals = split_by_weight(total, percents)
    taxes = split_by_weight(tax, totals)
    ordered = [instructor_id, *sorted(shares)]
    return [(user, totals[user], taxes.get(user, 0)) for user in ordered if totals[user]]


def divide_months(
    amounts: Mapping[int, int], instructors: Mapping[int, int], start: datetime, end: datetime
) -> dict[int, dict[int, int]]:
    """Divide what courses brought in a period by the shares of each of its days; by course and user. One query.

    ``amounts`` and ``instructors``: by course. Each share weighs as long as it was agreed within the period.
    """
    seconds = round((end - start).total_seconds())
    weights: dict[int, dict[int, int]] = defaultdict(dict)
    for course, user, percent, since, until in _shares_within(amounts, start, end):
        held = round((min(until or end, end) - max(since, start)).total_seconds())
        if user != instructors[course]:
            weights[course][user] = weights[course].get(user, 0) + percent * held
    found: dict[int, dict[int, int]] = {}
    for course, amount in amounts.items():
        owner, others = instructors[course], weights.get(course, {})
        rest = WHOLE * seconds - sum(others.values())
        # Former shares of more than the whole can't be: they were at most 100 % at each moment.
        found[course] = split_by_weight(amount, {owner: rest, **others})
    return found


def _shares_within(
    courses: Collection[int], start: datetime, end: datetime
) -> list[tuple[int, int, int, datetime, datetime | None]]:
    rows = RevenueShare.objects.select_related("user").filter(course__in=list(courses), since__lt=end)
    rows = rows.filter(Q(until=None) | Q(until__gt=start)).order_by("pk")
    return [(row.course_id, row.user_id, row.percent, row.since, row.until) for row in rows if gets_money(row.user)]
