"""Durations in seconds as text."""

import math

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

MINUTE, HOUR, DAY = 60, 3_600, 86_400  # seconds


def clock(seconds: float) -> str:
    """402 -> "6:42", 4002 -> "1:06:42"."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def waiting_time(seconds: float) -> str:
    """1 -> "1 second", 90 -> "90 seconds", 91 -> "2 minutes", 86400 -> "24 hours", 200000 -> "3 days".

    Rounded up to the unit in which people think of it, so that nobody comes back too early.
    """
    whole = max(1, math.ceil(seconds))
    if whole <= 1.5 * MINUTE:
        words, number = ngettext("%(num)d second", "%(num)d seconds", whole), whole
    elif whole <= 1.5 * HOUR:
        number = -(-whole // MINUTE)
        words = ngettext("%(num)d minute", "%(num)d minutes", number)
    elif whole <= 1.5 * DAY:
        number = -(-whole // HOUR)
        words = ngettext("%(num)d hour", "%(num)d hours", number)
    else:
        number = -(-whole // DAY)
        words = ngettext("%(num)d day", "%(num)d days", number)
    return words % {"num": number}


def length(seconds: float) -> str:
    """22200 -> "6 h 10 min", 480 -> "8 min"; at least a minute. Its spaces do not break."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    if hours == 0:
        words = _("%(minutes)d min")
    elif minutes == 0:
        words = _("%(hours)d h")
    else:
        words = _("%(hours)d h %(minutes)d min")
    return (words % {"hours": hours, "minutes": minutes}).replace(" ", "\N{NO-BREAK SPACE}")
