"""Learned days and achievements of learners who studied before both were recorded. Without a database."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

from apps.learning.activity import learned_days
from studyplatform.kit.text.zones import zone_named


@dataclass(frozen=True)
class Completed:
    """A completed lesson: when, and the seconds spent on it that no watched day counts."""

    at: datetime
    seconds: int = 0


@dataclass
class Totals:
    """What was learned on a day, as ``LearnedDay`` stores it."""

    seconds: int = 0
    lessons: int = 0
    late_seconds: int = 0
    early_seconds: int = 0


def days_of(zone: str, watched: Mapping[date, int], completed: Iterable[Completed]) -> dict[date, Totals]:
    """Return what was learned on each day.

    ``watched`` is in days of UTC, the only ones that were stored; they are taken for the learner's own.
    """
    days: dict[date, Totals] = {}
    for day, seconds in watched.items():
        days.setdefault(day, Totals()).seconds += seconds
    for one in completed:
        moment = one.at.astimezone(zone_named(zone))
        totals = days.setdefault(moment.date(), Totals())
        totals.lessons += 1
        totals.seconds += one.seconds
        totals.late_seconds += one.seconds if learned_days.is_late(moment) else 0
        totals.early_seconds += one.seconds if learned_days.is_early(moment) else 0
    return days


def achievements_of(
    zone: str, days: Mapping[date, Totals], completed: Iterable[Completed]
) -> Iterator[tuple[str, datetime]]:
    """Yield the kind of each achievement but the perfect score, and when it was earned."""
    moments = sorted(one.at.astimezone(zone_named(zone)) for one in completed)
    last = {moment.date(): moment for moment in moments}
    counted = [day for day, totals in days.items() if learned_days.has_learned(totals.seconds, totals.lessons)]
    for needed, kind in ((3, "three_days"), (7, "seven_days")):
        day = _first_reaching(counted, needed)
        if day is not None:
            yield kind, last.get(day) or datetime.combine(day, time(12), zone_named(zone))
    counts: Counter[date] = Counter()
    for moment in moments:
        counts[moment.date()] += 1
        if counts[moment.date()] == 5:
            yield "five_lessons", moment
            break
    for kind, is_then in (("late", learned_days.is_late), ("early", learned_days.is_early)):
        first = next((moment for moment in moments if is_then(moment)), None)
        if first is not None:
            yield kind, first


def _first_reaching(days: Iterable[date], needed: int) -> date | None:
    """Return the first day on which so many days had followed each other."""
    reached = ((last, count) for last, count in learned_days.streaks(set(days)) if count >= needed)
    found = next(reached, None)
    return found[0] - (found[1] - needed) * learned_days.ONE_DAY if found else None
