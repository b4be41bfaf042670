"""The days on which a learner learned: goals, streaks, hours by week, the heat map of a year."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.learning.activity import learned_days
from apps.learning.models import LearnedDay
from studyplatform.kit.text.zones import zone_named

WEEKS = 8
RECENT = 14
YEAR_WEEKS = 53
LEVELS = (1, 300, 1200, 2400)  # seconds from which a day of the heat map has its level, 1 to 4


class Day(NamedTuple):
    """What was learned on a day: seconds, completed lessons, and the seconds after 10 PM and before 7 AM."""

    seconds: int
    lessons: int
    late: int
    early: int

    @property
    def counts(self) -> bool:
        """Whether it counts for the streak."""
        return learned_days.has_learned(self.seconds, self.lessons)


NOTHING = Day(0, 0, 0, 0)


class Bar(NamedTuple):
    """A bar of a chart: its day, its seconds, its height in percent of the highest, and whether the day counts."""

    day: date
    seconds: int
    height: int
    counts: bool = True

    @property
    def minutes(self) -> int:
        return self.seconds // 60

    @property
    def hours(self) -> float:
        return round(self.seconds / 3600, 1)


class Cell(NamedTuple):
    """A day of the heat map: its level from 0 to 4, and what a screen reader says."""

    day: date
    level: int
    text: str


class HeatMap(NamedTuple):
    """``rows``: a list of cells for each weekday from Monday on; a cell is None after today.

    ``months``: the short name of each month that begins in a week, and over how many weeks it reaches.
    ``learned``: how many of the days count.
    """

    rows: list[tuple[str, list[Cell | None]]]
    months: list[tuple[str, int]]
    learned: int


@dataclass(frozen=True)
class LearningRecord:
    """All days on which a learner learned."""

    today: date
    days: Mapping[date, Day]

    @cached_property
    def counted(self) -> list[date]:
        """The days that count for the streak."""
        return [day for day, row in self.days.items() if row.counts]

    @cached_property
    def streak(self) -> int:
        return learned_days.streak_on(self.counted, self.today)

    @cached_property
    def best_streak(self) -> int:
        return learned_days.best_streak(self.counted)

    @property
    def seconds(self) -> int:
        return sum(row.seconds for row in self.days.values())

    @property
    def learned_today(self) -> Day:
        return self.days.get(self.today, NOTHING)

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())

    @cached_property
    def this_week(self) -> Day:
        return self._sum(self.monday)

    @property
    def most_lessons(self) -> int:
        """The most lessons completed in one day."""
        return max((row.lessons for row in self.days.values()), default=0)

    @property
    def recent(self) -> list[Bar]:
        """The last 14 days, oldest first."""
        days = [self.today - timedelta(days=back) for back in range(RECENT - 1, -1, -1)]
        return self._bars([(day, self.days.get(day, NOTHING)) for day in days])

    @property
    def weeks(self) -> list[Bar]:
        """The last eight weeks by their Mondays, oldest first."""
        mondays = [self.monday - timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]
        return self._bars([(day, self._sum(day)) for day in mondays])

    def _sum(self, monday: date) -> Day:
        week = [self.days.get(monday + timedelta(days=number), NOTHING) for number in range(7)]
        return Day(*(sum(column) for column in zip(*week, strict=True)))

    def _bars(self, found: list[tuple[date, Day]]) -> list[Bar]:
        most = max((row.seconds for _day, row in found), default=0) or 1
        return [Bar(day, row.seconds, round(100 * row.seconds / most), row.counts) for day, row in found]

    def heat_map(self) -> HeatMap:
        """Return the last 53 weeks."""
        first = self.monday - timedelta(weeks=YEAR_WEEKS - 1)
        rows: list[tuple[str, list[Cell | None]]] = []
        names = {month: date_format(date(2026, month, 1), "F") for month in range(1, 13)}
        for weekday in range(7):
            start = first + timedelta(days=weekday)
            days = [start + timedelta(weeks=week) for week in range(YEAR_WEEKS)]
            cells = [self._cell(day, names[day.month]) if day <= self.today else None for day in days]
            rows.append((date_format(start, "D"), cells))
        months = _months([first + timedelta(weeks=week) for week in range(YEAR_WEEKS)])
        return HeatMap(rows, months, sum(day >= first for day in self.counted))

    def _cell(self, day: date, month: str) -> Cell:
        row = self.days.get(day)
        when = f"{day.day} {month}"
        if row is None:
            return Cell(day, 0, when)
        level = sum(row.seconds >= least for least in LEVELS)
        return Cell(day, max(level, 2) if row.counts else min(level, 1), f"{when}: {learned_text(row)}")


def _months(mondays: list[date]) -> list[tuple[str, int]]:
    """Return the months over these weeks with their numbers of weeks. One that has no room for its name has none."""
    spans: list[tuple[date, int]] = []
    for monday in mondays:
        if spans and spans[-1][0].month == monday.month:
            spans[-1] = (spans[-1][0], spans[-1][1] + 1)
        else:
            spans.append((monday, 1))
    return [(date_format(first, "M") if count > 2 else "", count) for first, count in spans]


def learned_text(row: Day) -> str:
    """Return what was learned: ``34 minutes, 2 lessons``."""
    minutes = row.seconds // 60
    parts = []
    if minutes:
        parts.append(ngettext("%(num)d minute", "%(num)d minutes", minutes) % {"num": minutes})
    elif row.seconds:
        parts.append(_("less than a minute"))
    if row.lessons:
        parts.append(ngettext("%(num)d lesson", "%(num)d lessons", row.lessons) % {"num": row.lessons})
    return ", ".join(parts)


def today_of(user: User, *, now: datetime) -> date:
    """Return which day it is for the user."""
    return now.astimezone(zone_named(user.day_zone(now))).date()


def record_of(user: User, *, now: datetime) -> LearningRecord:
    """Return all days on which the user learned. One query."""
    rows = LearnedDay.objects.filter(user=user).order_by("day")
    found = rows.values_list("day", "seconds", "lessons", "late_seconds", "early_seconds")
    return LearningRecord(today_of(user, now=now), {day: Day(*row) for day, *row in found})
