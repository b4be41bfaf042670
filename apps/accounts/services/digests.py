"""The daily digest: at seven in the morning where the person is, one mail with what is new."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HOUR = time(7)


def next_digest(time_zone: str, *, now: datetime) -> datetime:
    """The next seven o'clock of this time zone, in UTC: on a day of 23 or 25 hours too."""
    try:
        zone = ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = ZoneInfo("UTC")
    here = now.astimezone(zone)
    due = datetime.combine(here.date(), HOUR, tzinfo=zone)
    if due <= here:
        due = datetime.combine(here.date() + timedelta(days=1), HOUR, tzinfo=zone)
    return due.astimezone(UTC)
