"""Figures per day, week or month of one course, or of all courses that somebody teaches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from django.db.models import QuerySet, Sum

from apps.learning.analytics.courses import Scope
from apps.learning.analytics.periods import Period
from apps.learning.models import CourseDay, TeacherDay

Step = Literal["day", "week", "month"]
_SUMS = tuple(name for name in CourseDay.FIGURES if not name.startswith("active"))


@dataclass(frozen=True, kw_only=True)
class DayFigures:
    """What happened on one day, or in the week or month that begins with ``day``.

    ``active_learners_30`` is that of the last day. Different people can't be added up: ``active_learners`` is None for
    a week or month, and both are None until the job has counted them (`Scope.has_actives`, `Scope.counted_day`).
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


def series_of(scope: Scope, period: Period) -> Series:
    """Return the figures of each day of a period in the courses together. Two queries."""
    return _read(scope, (period,))[0]


def series_with_before(scope: Scope, period: Period) -> tuple[Series, Series]:
    """Return the figures of a period and of the one before. Two queries."""
    present, before = _read(scope, (period, period.before))
    return present, before


def _read(scope: Scope, periods: Sequence[Period]) -> list[Series]:
    span = min(period.first for period in periods), max(period.last for period in periods)
    days = CourseDay.objects.filter(course__in=scope.pks, day__range=span).order_by()
    rows = days.values_list("day").annotate(*(Sum(name) for name in _SUMS))
    sums = {day: dict(zip(_SUMS, map(int, values), strict=True)) for day, *values in rows}
    actives = _actives_of(scope, span)
    found = []
    for period in periods:
        entries = []
        for number in range(period.days):
            day = period.first + timedelta(days=number)
            on_day, last_30 = _active_on(scope, actives, day)
            figures = sums.get(day, {})
            entries.append(DayFigures(day=day, **figures, active_learners=on_day, active_learners_30=last_30))
        found.append(Series(period, tuple(entries)))
    return found


def _active_on(scope: Scope, actives: Mapping[date, tuple[int, int]], day: date) -> tuple[int | None, int | None]:
    """The different people of a day: zeros without a row, None before the job has counted it."""
    is_counted = scope.has_actives and scope.counted_day is not None and day <= scope.counted_day
    return actives.get(day, (0, 0)) if is_counted else (None, None)


def _actives_of(scope: Scope, span: tuple[date, date]) -> dict[date, tuple[int, int]]:
    rows = active_rows(scope).filter(day__range=span)
    return {day: (one, more) for day, one, more in rows.values_list("day", "active_learners", "active_learners_30")}


def active_rows(scope: Scope) -> QuerySet[CourseDay] | QuerySet[TeacherDay]:
    """Return the rows that count different people over the courses; none where they are not counted."""
    if not scope.has_actives:
        return TeacherDay.objects.none()
    if len(scope.courses) == 1:
        return CourseDay.objects.filter(course=scope.pks[0])
    return TeacherDay.objects.filter(user=scope.user.pk)


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
