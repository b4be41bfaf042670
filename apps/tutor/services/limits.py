"""How often a user may ask."""

from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from apps.accounts.models import User
from apps.tutor.models import UsageDay
from studyplatform.kit.web import rate_limits

HOUR, DAY = 3600, 24 * 3600
MOST_CONTINUED = (240, HOUR)
"""How often answers of a user may be continued: that is not asking, and happens by itself while a provider is away."""


def limits() -> dict[str, tuple[int, int]]:
    """Return how many questions one user may ask per how many seconds."""
    if settings.TUTOR_URL:
        most = (settings.TUTOR_QUESTIONS_PER_HOUR, settings.TUTOR_QUESTIONS_PER_DAY)
    else:
        most = (settings.TUTOR_SEARCHES_PER_HOUR, settings.TUTOR_SEARCHES_PER_DAY)
    return {"hour": (most[0], HOUR), "day": (most[1], DAY)}


def count_question(*, user: User, course_id: int | None, now: datetime) -> None:
    """Count a question of the user. A refused one is not counted.

    :raises RateLimitExceeded: the user has asked as often as allowed; ``wait`` is the seconds until they may again.
    """
    with transaction.atomic():
        for period, limit in limits().items():
            rate_limits.consume(f"tutor-{period}", str(user.uid), now=now, limit=limit)
        add_usage(user_id=user.pk, course_id=course_id, day=now.date(), questions=1)


def count_continuation(*, user: User, now: datetime) -> None:
    """Count the continuation of an answer.

    :raises RateLimitExceeded: that happened too often.
    """
    rate_limits.consume("tutor-continue", str(user.uid), now=now, limit=MOST_CONTINUED)


def add_usage(*, user_id: int, course_id: int | None, day: date, **counts: int) -> None:
    """Add numbers to what the user has used on a day in UTC. Call it in a transaction."""
    where: dict[str, Any] = {"user_id": user_id, "course_id": course_id, "day": day}
    row, _ = UsageDay.objects.get_or_create(**where)
    UsageDay.objects.filter(pk=row.pk).update(**{name: F(name) + count for name, count in counts.items()})
