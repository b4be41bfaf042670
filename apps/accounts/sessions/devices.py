"""The browser and system that a user agent names, in words that let users recognize their own devices."""

import re

from django.utils.translation import gettext as _

# In this order: Edge and Opera also say Chrome, Chrome also says Safari.
_BROWSERS = (
    (r"Edg(e|A|iOS)?/", "Edge"),
    (r"OPR/|Opera", "Opera"),
    (r"Firefox/|FxiOS/", "Firefox"),
    (r"Chrome/|CriOS/|Chromium/", "Chrome"),
    (r"Safari/", "Safari"),
)
_SYSTEMS = (
    (r"iPhone", "iPhone"),
    (r"iPad", "iPad"),
    (r"Android", "Android"),
    (r"Windows", "Windows"),
    (r"Mac OS X|Macintosh", "macOS"),
    (r"CrOS", "ChromeOS"),
    (r"Linux|X11", "Linux"),
)


def device_name(user_agent: str) -> str:
    """Such as ``Firefox on Linux``; "Unknown browser" if the user agent names neither."""
    browser = next((name for pattern, name in _BROWSERS if re.search(pattern, user_agent)), "")
    system = next((name for pattern, name in _SYSTEMS if re.search(pattern, user_agent)), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown browser")


def device_icon(user_agent: str) -> str:
    """The icon of such a device."""
    if re.search(r"iPad|Android(?!.*Mobile)", user_agent):
        return "tablet"
    if re.search(r"iPhone|Android|Mobile", user_agent):
        return "smartphone"
    return "laptop" if re.search(r"Mac OS X|Macintosh|CrOS|Linux|X11", user_agent) else "monitor"
