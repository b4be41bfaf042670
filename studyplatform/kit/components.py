"""What every page shows."""

from django.utils import timezone

from studyplatform.kit.announcements import announced
from studyplatform.kit.jinja import register
from studyplatform.kit.models import Announcement


@register("announcements")
def announcements() -> list[Announcement]:
    """What is announced now."""
    return announced(timezone.now())
