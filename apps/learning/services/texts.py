"""Texts that learners have read."""

from datetime import datetime

from django.db import transaction

from apps.learning.activity import reading
from apps.learning.activity.time_budget import RATE
from apps.learning.errors import ReadingTooShort
from apps.learning.models import LessonProgress
from apps.learning.services import learning_time
from apps.learning.services.completion import Saved, finish


def complete_text(progress: LessonProgress, zone: str, now: datetime) -> Saved:
    """Mark a text as read, if it can have been read since it was opened.

    :raises ReadingTooShort: it can't.
    """
    text = progress.lesson.body
    wait = reading.seconds_to_wait(text, opened_at=progress.started_at, now=now)
    if wait:
        raise ReadingTooShort(wait=wait)
    with transaction.atomic():
        wait = learning_time.take_or_wait(
            user_id=progress.enrollment.user_id,
            # This takes all the time gained since: a learner cannot read two texts at once, or while watching a video.
            needed=round(reading.least_seconds(text) * RATE),
            opened_at=progress.started_at,
            now=now,
        )
        saved = None if wait else _finish_text(progress, zone, now)
    if saved is None:
        raise ReadingTooShort(wait=wait)
    return saved


def _finish_text(progress: LessonProgress, zone: str, now: datetime) -> Saved:
    """Complete a text. The time since it was opened counts as learned, at most as long as it takes to read."""
    seconds = learning_time.spend_learning(
        user_id=progress.enrollment.user_id,
        course_id=progress.enrollment.course_id,
        since=progress.started_at,
        most=reading.usual_seconds(progress.lesson.body),
        now=now,
    )
    return finish(progress, zone=zone, now=now, seconds=seconds)
