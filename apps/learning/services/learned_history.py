"""Learned days and achievements from what else is stored: for imported and seeded progress."""

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.learning.activity import history, reading
from apps.learning.activity.history import Completed
from apps.learning.models import Achievement, Attempt, LearnedDay, LessonProgress, WatchedDay
from studyplatform.kit.text.zones import zone_named

QUIZ_SECONDS = 300


def rebuild_learned_days(*, user: User, now: datetime, elsewhere: Mapping[date, int] | None = None) -> None:
    """Replace the user's learned days by those that follow from their progress, and add the achievements.

    ``elsewhere``: seconds learned on days of the user's calendar that no progress tells of. Idempotent. Nobody is
    notified.
    """
    watched = WatchedDay.objects.filter(user=user).values("day").annotate(total=Sum("seconds"))
    rows = LessonProgress.objects.filter(enrollment__user=user, completed_at__isnull=False)
    completed = [
        Completed(at, _seconds(kind, body))
        for at, kind, body in rows.values_list("completed_at", "lesson__kind", "lesson__body")
        if at is not None
    ]
    seconds = Counter({row["day"]: row["total"] for row in watched})
    seconds.update(elsewhere or {})
    days = history.days_of(user.time_zone, seconds, completed)
    found: list[tuple[str, datetime, int | None]] = [
        (kind, at, None) for kind, at in history.achievements_of(user.time_zone, days, completed)
    ]
    perfect = Attempt.objects.filter(enrollment__user=user, submitted_at__isnull=False, percent=100)
    first = perfect.order_by("submitted_at").values_list("submitted_at", "quiz__lesson_id").first()
    if first is not None and first[0] is not None:
        found.append((Achievement.Kind.PERFECT_SCORE, first[0], first[1]))
    zone = zone_named(user.time_zone)
    with transaction.atomic():
        LearnedDay.objects.filter(user=user).delete()
        LearnedDay.objects.bulk_create([LearnedDay(user=user, day=day, **vars(row)) for day, row in days.items()])
        Achievement.objects.bulk_create(
            [
                Achievement(user=user, kind=kind, earned_at=at, day=at.astimezone(zone).date(), lesson_id=lesson)
                for kind, at, lesson in found
            ],
            ignore_conflicts=True,
        )


def _seconds(kind: str, body: str) -> int:
    """Return about how long a lesson took that is not watched."""
    match kind:
        case Lesson.Kind.TEXT:
            return reading.usual_seconds(body)
        case Lesson.Kind.QUIZ:
            return QUIZ_SECONDS
        case _:
            return 0
