"""When lessons open that do so on a date or some days after enrollment: no database here.

Days are counted in the zone of the site, so a lesson opens at the same time of day before and after the clocks change.
"""

from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format

from studyplatform.kit.text.zones import zone_named


def add_days(moment: datetime, days: int) -> datetime:
    """Return the moment so many days later, or earlier, at the same time of day in the zone of the site."""
    zone = timezone.get_default_timezone()
    local = timezone.localtime(moment, zone).replace(tzinfo=None) + timedelta(days=days)
    return local.replace(tzinfo=zone).astimezone(UTC)  # a time that the change skips is compared as the one after it


def opening_moment(
    opens_at: datetime | None, opens_after_days: int | None, enrolled_at: datetime | None
) -> datetime | None:
    """Return when a lesson opens, or opened, for a learner; None if it is open to everyone enrolled."""
    if opens_after_days is not None and enrolled_at is not None:
        return add_days(enrolled_at, opens_after_days)
    return opens_at


def find_opening(
    opens_at: datetime | None, opens_after_days: int | None, enrolled_at: datetime | None, now: datetime
) -> datetime | None:
    """Return when a lesson opens for a learner; None if it is open."""
    opening = opening_moment(opens_at, opens_after_days, enrolled_at)
    return opening if opening is not None and opening > now else None


def describe_opening(moment: datetime, zone: str) -> str:
    """Return the day and time in the time zone of this name, such as "12 January 2027, 08:00 (CET)"."""
    local = moment.astimezone(zone_named(zone))
    name = local.tzname() or ""
    # Zones without letters of their own are named by their difference, such as "+0545".
    name = name if name.isalpha() else f"UTC{name[:3]}{':' if name[3:] else ''}{name[3:]}"
    return f"{date_format(local, 'j F Y')}, {local:%H:%M} ({name})"
