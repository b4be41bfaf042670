"""Template functions that every page uses."""

from django.http import HttpRequest
from django.utils import timezone

from studyplatform.kit.extensions import menu_badges
from studyplatform.kit.models import Announcement
from studyplatform.kit.web.announcements import announced
from studyplatform.kit.web.jinja import register


@register("announcements")
def announcements() -> list[Announcement]:
    """The announcements to show now."""
    return announced(timezone.now())


@register("menu_badge")
def menu_badge(name: str, request: HttpRequest) -> int:
    """The number beside a menu entry for the user of the request; 0 shows none."""
    return menu_badges[name](request)
