"""Which days count as learned, and how many of them follow each other. Without a database.

A day is one of the learner's own calendar. It counts with a completed lesson or five minutes learned.
"""

from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta

from studyplatform.kit.text.zones import zone_named

LEAST_SECONDS = 300
LATE_FROM, EARLY_UNTIL = 22, 7  # hours of the learner's day
MOST_LATE = timedelta(days=2)  # a device that was offline reports when it was; longer ago than this is not believed
MAX_LIVE_DELAY = timedelta(hours=1)  # a later report counts as one of a device that was offline
MIN_GAP_BETWEEN_REPORTED_DAYS = timedelta(days=7)
ONE_DAY = timedelta(days=1)


def local_moment(at: datetime, zone: str, *, now: datetime) -> datetime:
    """Return when something was learned, on the learner's clock: ``at``, at most ``MOST_LATE`` before ``now``."""
    return max(min(at, now), now - MOST_LATE).astimezone(UTC).astimezone(zone_named(zone))


def has_learned(seconds: int, lessons: int) -> bool:
    """Return whether a day with this much counts."""
    return lessons > 0 or seconds >= LEAST_SECONDS


def is_late(moment: datetime) -> bool:
    """Return whether a moment on the learner's clock is after 10 PM."""
    return moment.hour >= LATE_FROM


def is_early(moment: datetime) -> bool:
    """Return whether a moment on the learner's clock is before 7 AM."""
    return moment.hour < EARLY_UNTIL


def streaks(days: Collection[date]) -> Iterator[tuple[date, int]]:
    """Yield each series of days that follow each other: its last day, and how many days it has. Oldest first."""
    count, last = 0, None
    for day in sorted(set(days)):
        if last is not None and day - last != ONE_DAY:
            yield last, count
            count = 0
        last, count = day, count + 1
    if last is not None:
        yield last, count


def streak_around(days: Collection[date], day: date) -> int:
    """Return how many days the series has that contains ``day``; 0 if the day is none of them."""
    return next((count for last, count in streaks(days) if last - (count - 1) * ONE_DAY <= day <= last), 0)


def streak_on(days: Collection[date], today: date) -> int:
    """Return the days that follow each other and contain today. It still lasts if today is not learned yet.

    Who has just flown west has learned on what is tomorrow here.
    """
    found = set(days)
    return next((streak_around(found, day) for day in (today, today + ONE_DAY, today - ONE_DAY) if day in found), 0)


def best_streak(days: Collection[date]) -> int:
    """Return the most days that followed each other."""
    return max((count for _last, count in streaks(days)), default=0)
