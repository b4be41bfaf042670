"""Durations as people say them."""

from django.utils.translation import gettext as _


def clock(seconds: float) -> str:
    """402 -> "6:42", 4002 -> "1:06:42"."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def length(seconds: float) -> str:
    """22200 -> "6 h 10 min", 480 -> "8 min"; at least a minute."""
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return _("%(minutes)d min") % {"minutes": minutes}
    if minutes % 60 == 0:
        return _("%(hours)d h") % {"hours": minutes // 60}
    return _("%(hours)d h %(minutes)d min") % {"hours": minutes // 60, "minutes": minutes % 60}
