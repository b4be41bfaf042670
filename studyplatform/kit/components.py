"""What every page shows."""

from django.http import HttpRequest
from django.utils import timezone

from studyplatform.kit.extensions import menu_badges
from studyplatform.kit.models import Announcement
from studyplatform.kit.web.announcements import announced
from studyplatform.kit.web.jinja import register


@register("announcements")
def announcements() -> list[Announcement]:
    """What is announced now."""
    return announced(timezone.now())


@register("menu_badge")
def menu_badge(name: str, request: HttpRequest) -> int:
    """The number beside an entry of a menu, for the user of the request; 0 for none."""
    return menu_badges[name](request)
