"""What every page shows."""

from django.utils import timezone

from studyplatform.kit.models import Announcement
from studyplatform.kit.web.announcements import announced
from studyplatform.kit.web.jinja import register


@register("announcements")
def announcements() -> list[Announcement]:
    """What is announced now."""
    return announced(timezone.now())
