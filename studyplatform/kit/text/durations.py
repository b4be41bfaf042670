"""Durations in seconds as text."""

from django.utils.translation import gettext as _


def clock(seconds: float) -> str:
    """402 -> "6:42", 4002 -> "1:06:42"."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


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
