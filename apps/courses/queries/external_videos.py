"""The videos of other hosts that lessons show, for the pages of other apps."""

from apps.courses.external_video import (
    EMBEDDED,
    MAX_LENGTH_SECONDS,
    ExternalVideo,
    policy_sources,
    stored_video,
)
from apps.courses.link_checker import digest_of
from apps.courses.models import Lesson, LinkCheck

__all__ = ["EMBEDDED", "MAX_LENGTH_SECONDS", "ExternalVideo", "external_video_of", "is_known_dead", "policy_sources"]


def external_video_of(lesson: Lesson) -> ExternalVideo | None:
    """Return the video of another host that the lesson shows; None for none, and while the site doesn't allow it."""
    return stored_video(lesson.external_video)


def is_known_dead(lesson: Lesson) -> bool:
    """Return whether the site's own check found that the lesson's video of another host doesn't play. One query."""
    dead = LinkCheck.objects.filter(digest=digest_of(lesson.external_video), state=LinkCheck.State.DEAD)
    return bool(lesson.external_video) and dead.exists()
