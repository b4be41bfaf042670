"""Figures per day, week or month of one course, or of all courses that somebody teaches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from django.db.models import QuerySet, Sum

from apps.accounts.models import User
from apps.learning.analytics.courses import is_all_of
from apps.learning.analytics.periods import Period
from apps.learning.models import CourseDay, TeacherDay

Step = Literal["day", "week", "month"]
_SUMS = tuple(name for name in CourseDay.FIGURES if not name.startswith("active"))


@dataclass(frozen=True, kw_only=True)
class DayFigures:
    """What happened on one day, or in the week or month that begins with ``day``.

    ``active_learners_30`` is that of the last day. Different people can't be added up: ``active_learners`` is None for
    a week or month, and both are None for some of somebody's courses, or until the job has counted them.
    """

    day: date
    enrollments: int = 0
    completions: int = 0
    watched_seconds: int = 0
    other_seconds: int = 0
    ratings: int = 0
    stars: int = 0
    page_visitors: int = 0
    active_learners: int | None = 0
    active_learners_30: int | None = 0

    @property
    def mean_stars(self) -> float | None:
        return self.stars / self.ratings if self.ratings else None


@dataclass(frozen=True)
class Series:
    """The figures of a period: one entry for each day, week or month, oldest first."""

    period: Period
    entries: tuple[DayFigures, ...]

    @property
    def total(self) -> DayFigures:
        """What can be added up; ``active_learners_30`` at the end of the period."""
        return _add(self.period.first, self.entries)


def series_of(user: User, courses: Sequence[int], period: Period) -> Series:
    """Return the figures of each day of a period in these courses together. At most four queries.

    For the period before, call it with ``period.before``.
    """
    days = CourseDay.objects.filter(course__in=courses, day__range=(period.first, period.last)).order_by()
    rows = days.values("day").annotate(**{name: Sum(name) for name in _SUMS})
    sums = {row.pop("day"): {name: int(value) for name, value in row.items()} for row in rows}
    actives = _actives_of(user, courses, period)
    entries = []
    for number in range(period.days):
        day = period.first + timedelta(days=number)
        on_day, last_30 = (None, None) if actives is None else actives.get(day, (0, 0))
        figures = DayFigures(day=day, **sums.get(day, {}), active_learners=on_day, active_learners_30=last_30)
        entries.append(figures)
    return Series(period, tuple(entries))


def _actives_of(user: User, courses: Sequence[int], period: Period) -> dict[date, tuple[int, int]] | None:
    """The different people of each day; None where nobody has counted them."""
    rows: QuerySet[CourseDay] | QuerySet[TeacherDay]
    if len(courses) == 1:
        rows = CourseDay.objects.filter(course=courses[0])
    elif not courses:
        return {}
    elif is_all_of(user, courses):
        rows = TeacherDay.objects.filter(user=user.pk)
    else:
        return None
    found = rows.filter(day__range=(period.first, period.last))
    return {day: (one, more) for day, one, more in found.values_list("day", "active_learners", "active_learners_30")}


def group_series(series: Series, step: Step) -> Series:
    """Return a series per week (they begin on Mondays) or month; the first and the last one may be shorter."""
    if step == "day":
        return series
    groups: dict[date, list[DayFigures]] = {}
    for entry in series.entries:
        monday = entry.day - timedelta(days=entry.day.weekday())
        groups.setdefault(monday if step == "week" else entry.day.replace(day=1), []).append(entry)
    return Series(series.period, tuple(_add(day, entries) for day, entries in groups.items()))


def _add(day: date, entries: Sequence[DayFigures]) -> DayFigures:
    sums = {name: sum(getattr(entry, name) for entry in entries) for name in _SUMS}
    return DayFigures(day=day, **sums, active_learners=None, active_learners_30=entries[-1].active_learners_30)
