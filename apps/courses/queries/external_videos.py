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

__all__ = [
    "EMBEDDED",
    "MAX_LENGTH_SECONDS",
    "ExternalVideo",
    "external_video_of",
    "is_known_dead",
    "length_to_watch",
    "policy_sources",
]


def external_video_of(lesson: Lesson) -> ExternalVideo | None:
    """Return the video of another host that the lesson shows; None for none, and while the site doesn't allow it."""
    return stored_video(lesson.external_video)


def is_known_dead(lesson: Lesson) -> bool:
    """Return whether the site's own check found that the lesson's video of another host doesn't play. One query."""
    dead = LinkCheck.objects.filter(digest=digest_of(lesson.external_video), state=LinkCheck.State.DEAD)
    return bool(lesson.external_video) and dead.exists()


def length_to_watch(lesson: Lesson) -> int:
    """Return how many seconds of the video there are to watch: without those before a second at which it begins.

    0 if its length is unknown.
    """
    if not lesson.external_host or lesson.duration <= 0:
        return lesson.duration
    video = external_video_of(lesson)
    return max(1, lesson.duration - (video.start if video else 0))
