"""Record what was learned on a day of the learner's calendar, and the achievements that follow from it.

One statement adds to the day and returns its totals: of requests at the same moment each sees its own total, so
exactly one of them sees the day reach five minutes or the fifth lesson. Call these functions in the transaction of
what was learned, after the rows of the learner's time and progress are locked, and before that of the enrollment.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.learning.activity import learned_days
from apps.learning.models import Achievement, LearnedDay

WEEK = 7
FIVE = 5
_ADD = """
    INSERT INTO learning_learnedday (user_id, day, seconds, lessons, late_seconds, early_seconds, is_only_reported)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (user_id, day) DO UPDATE SET
        seconds = learning_learnedday.seconds + EXCLUDED.seconds,
        lessons = learning_learnedday.lessons + EXCLUDED.lessons,
        late_seconds = learning_learnedday.late_seconds + EXCLUDED.late_seconds,
        early_seconds = learning_learnedday.early_seconds + EXCLUDED.early_seconds,
        is_only_reported = learning_learnedday.is_only_reported AND EXCLUDED.is_only_reported
    RETURNING seconds, lessons, late_seconds, early_seconds
"""
Kind = Achievement.Kind


@dataclass(frozen=True)
class Learned:
    """What is added to a day: whole seconds and completed lessons, and when, on the learner's clock."""

    moment: datetime
    seconds: int
    lessons: int

    @property
    def day(self) -> date:
        return self.moment.date()


def day_zone_of(user: AnyUser, now: datetime) -> str:
    """Return the name of the time zone that counts the user's days; UTC for visitors."""
    return user.day_zone(now) if isinstance(user, User) else "UTC"


def record(
    *, user_id: int, zone: str, now: datetime, at: datetime | None = None, seconds: int = 0, lessons: int = 0
) -> None:
    """Add to the learner's day what was learned ``at`` (by default now), and award what it earns.

    One query, as long as nothing is earned. ``zone`` is the learner's time zone. What a device reports late counts on
    its day only as far as `_is_believed`, otherwise today, and earns nothing by its hour.
    """
    if not seconds and not lessons:
        return
    added = Learned(learned_days.local_moment(at or now, zone, now=now), seconds, lessons)
    is_live = now - added.moment <= learned_days.MAX_LIVE_DELAY
    today = learned_days.local_moment(now, zone, now=now)
    is_past = added.day < today.date() and not is_live
    if is_past and not _is_believed(user_id, added.day, today.date()):
        added, is_past = Learned(today, seconds, lessons), False
    late = seconds if is_live and learned_days.is_late(added.moment) else 0
    early = seconds if is_live and learned_days.is_early(added.moment) else 0
    total_seconds, total_lessons, total_late, total_early = _add(
        (user_id, added.day, seconds, lessons, late, early, is_past)
    )
    was = learned_days.has_learned(total_seconds - seconds, total_lessons - lessons)
    if not was and learned_days.has_learned(total_seconds, total_lessons):
        _award_streaks(user_id, added, now)
    is_on_its_day = at is None or at >= now - learned_days.MOST_LATE  # else days are collected in one
    if is_on_its_day and total_lessons >= FIVE > total_lessons - lessons:
        award(user_id=user_id, kind=Kind.FIVE_LESSONS, day=added.day, now=now)
    if is_live and learned_days.is_late(added.moment) and _reaches(total_late, late, lessons):
        award(user_id=user_id, kind=Kind.LATE, day=added.day, now=now)
    if is_live and learned_days.is_early(added.moment) and _reaches(total_early, early, lessons):
        award(user_id=user_id, kind=Kind.EARLY, day=added.day, now=now)


def _is_believed(user_id: int, day: date, today: date) -> bool:
    """Return whether a late report counts on its day (ADR 29).

    The day has a row already, or no other day within a week is known only from late reports.
    """
    _add((user_id, today, 0, 0, 0, 0, False))  # its lock decides which of two simultaneous reports comes first
    rows = LearnedDay.objects.filter(user_id=user_id)
    if rows.filter(day=day).exists():
        return True
    week = learned_days.MIN_GAP_BETWEEN_REPORTED_DAYS - learned_days.ONE_DAY
    return not rows.filter(is_only_reported=True, day__range=(day - week, day + week)).exists()


def award(*, user_id: int, kind: str, day: date, now: datetime, lesson_id: int | None = None) -> bool:
    """Award an achievement unless the learner has it, and notify them. Returns whether it is new. Idempotent."""
    if Achievement.objects.filter(user_id=user_id, kind=kind).exists():
        return False
    with transaction.atomic(savepoint=False):
        # The constraint decides: another request may award it at the same moment.
        _row, is_new = Achievement.objects.get_or_create(
            user_id=user_id, kind=kind, defaults={"earned_at": now, "day": day, "lesson_id": lesson_id}
        )
        if is_new:
            people.notify(
                "learning.achievement",
                User.objects.get(pk=user_id),
                "/me/dashboard#achievements",
                kind,
                now=now,
                achievement=Kind(kind).label,
            )
    return is_new


def forget(*, user_id: int) -> None:
    """Delete the days and achievements of a user whose account was deleted."""
    LearnedDay.objects.filter(user_id=user_id).delete()
    Achievement.objects.filter(user_id=user_id).delete()


def _add(row: tuple[int, date, int, int, int, int, bool]) -> tuple[int, int, int, int]:
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor == "postgresql":
        cursor = database.prepared_cursor(_ADD)
        cursor.execute(_ADD, row)
        return cursor.fetchone()  # type: ignore[no-any-return]
    with database.cursor() as cursor:
        cursor.execute(_ADD, row)
        return cursor.fetchone()  # type: ignore[no-any-return]


def _reaches(total: int, added: int, lessons: int) -> bool:
    return lessons > 0 or total >= learned_days.LEAST_SECONDS > total - added


def _award_streaks(user_id: int, added: Learned, now: datetime) -> None:
    """Award the streaks that contain this day, which has just come to count."""
    around = timedelta(days=WEEK - 1)
    rows = LearnedDay.objects.filter(user_id=user_id, day__range=(added.day - around, added.day + around))
    days = [day for day, *total in rows.values_list("day", "seconds", "lessons") if learned_days.has_learned(*total)]
    count = learned_days.streak_around(days, added.day)
    for needed, kind in ((3, Kind.THREE_DAYS), (WEEK, Kind.SEVEN_DAYS)):
        if count >= needed:
            award(user_id=user_id, kind=kind, day=added.day, now=now)
