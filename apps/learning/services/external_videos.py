"""Progress in videos of other hosts, whose length may be unknown, and which may begin at a second."""

from datetime import datetime

from django.db import transaction

from apps.courses.models import Lesson
from apps.courses.queries.external_videos import MAX_LENGTH_SECONDS, is_known_dead, length_to_watch
from apps.learning.activity import watching
from apps.learning.errors import WatchingTooShort
from apps.learning.models import LessonProgress
from apps.learning.services import learning_time
from apps.learning.services.completion import Saved, finish


def complete_external_video(progress: LessonProgress, zone: str, now: datetime) -> Saved:
    """Mark a video of another host as watched, if what is missing can have been watched since it was opened.

    :raises WatchingTooShort: it can't.
    """
    watched = progress.watched_seconds
    # Nobody has to wait for as long as a video that the site itself found to be gone.
    length = 0 if is_known_dead(progress.lesson) else length_to_watch(progress.lesson)
    needed = watching.seconds_to_watch(length=length, watched=watched)
    wait = watching.seconds_until_watched(needed, since_start=now - progress.started_at, watched=watched)
    if wait:
        raise WatchingTooShort(wait=wait)
    with transaction.atomic():
        unpaid = max(0, needed - max(0, progress.granted - watched))  # some may have been taken for what comes next
        wait = learning_time.take_or_wait(
            user_id=progress.enrollment.user_id, needed=unpaid, opened_at=progress.started_at, now=now
        )
        if not wait:
            learned = learning_time.spend_learning(
                user_id=progress.enrollment.user_id,
                course_id=progress.enrollment.course_id,
                since=progress.started_at,
                most=needed,
                now=now,
            )
            return finish(progress, zone=zone, now=now, seconds=learned)
    raise WatchingTooShort(wait=wait)


def length_counted(lesson: Lesson) -> int:
    """Return up to which second watching is saved: the length, if it is known."""
    return MAX_LENGTH_SECONDS if lesson.external_host and lesson.duration <= 0 else lesson.duration
