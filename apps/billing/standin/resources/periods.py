"""Billing periods: https://docs.stripe.com/billing/subscriptions/billing-cycle."""

import calendar
from datetime import UTC, datetime

from apps.billing.standin.clock import DAY
from apps.billing.standin.errors import Json


def after(anchor: int, recurring: Json, start: int) -> int:
    """The end of the period that begins at ``start``, for a subscription anchored at ``anchor``.

    Months keep the anchor's day: after 31 January come 28 February and 31 March.
    """
    interval, count = recurring["interval"], int(recurring["interval_count"])
    if interval in {"day", "week"}:
        return start + count * DAY * (7 if interval == "week" else 1)
    step = count * (12 if interval == "year" else 1)
    months = 0
    while (end := _months_after(anchor, months)) <= start:
        months += step
    return end


def _months_after(anchor: int, months: int) -> int:
    first = datetime.fromtimestamp(anchor, UTC)
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    day = min(first.day, calendar.monthrange(year, month + 1)[1])
    return int(first.replace(year=year, month=month + 1, day=day).timestamp())
