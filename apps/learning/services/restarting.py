"""Lessons that begin again for those who have not completed them."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import F

from apps.learning.models import LessonProgress, RestartedLesson


def restart_lessons(*, lesson_ids: Collection[int], now: datetime) -> int:
    """Forget what was watched of these lessons, except by those who have completed them. Idempotent.

    The time that learners spent stays counted in their days and streaks. A save of a page that is open at this moment
    finds another revision, and begins from what is left. Returns how many learners' lessons begin again.
    """
    begun = LessonProgress.objects.filter(lesson__in=lesson_ids, completed_at=None)
    with transaction.atomic():
        # Who has completed a lesson keeps what they watched of the former video: retention leaves it out.
        for pk in lesson_ids:
            RestartedLesson.objects.update_or_create(lesson_id=pk, defaults={"restarted_at": now})
        return begun.update(
            position=0,
            position_at=None,
            watched=[],
            watched_seconds=0,
            granted=0,
            updated_at=now,
            revision=F("revision") + 1,
        )
