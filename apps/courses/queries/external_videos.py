"""The videos of other hosts that lessons show, for the pages of other apps."""

from apps.courses.external_video import (
    EMBEDDED,
    MAX_LENGTH_SECONDS,
    ExternalVideo,
    policy_sources,
    stored_video,
)
from apps.courses.models import Lesson

__all__ = ["EMBEDDED", "MAX_LENGTH_SECONDS", "ExternalVideo", "external_video_of", "policy_sources"]


def external_video_of(lesson: Lesson) -> ExternalVideo | None:
    """Return the video of another host that the lesson shows; None for none, and while the site doesn't allow it."""
    return stored_video(lesson.external_video)
