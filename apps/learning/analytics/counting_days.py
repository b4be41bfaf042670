"""Count what happened on each day, in each course and over all courses of each person who teaches.

The day is that of UTC, as of `WatchedDay`. Somebody is active in a course on a day on which they spent time there,
opened a lesson for the first time, or submitted a quiz.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Count, QuerySet, Sum

from apps.courses.models import Course
from apps.learning.analytics.active_days import KeepAlive, active_days, day_of, teachers_by_course
from apps.learning.analytics.activity import WINDOW, Actives, count_actives
from apps.learning.analytics.storing import Changes, store
from apps.learning.models import CourseDay, CourseVisit, Enrollment, Rating, TeacherDay, TeacherRollup, WatchedDay

_PLACES = {name: place for place, name in enumerate(CourseDay.FIGURES)}


def count_course_days(
    actives: Mapping[tuple[str, int], Actives[tuple[str, int]]],
    courses: Collection[int] | None,
    *,
    first: date | None,
    last: date,
) -> dict[tuple[int, date], tuple[int, ...]]:
    """Return the figures of each course and day, in the order of ``CourseDay.FIGURES``. Five queries."""
    found: dict[tuple[int, date], list[int]] = defaultdict(lambda: [0] * len(_PLACES))
    for name, rows in _sources(courses, first, last).items():
        for course, day, *values in rows:
            on = day if isinstance(day, date) else date.fromisoformat(day)
            for place, value in zip(name, values, strict=True):
                found[course, on][_PLACES[place]] += value
    low = first.toordinal() if first else 1
    for key, each in actives.items():
        if key[0] == "course":
            for day, on_day, in_window in each.within(low, last.toordinal()):
                row = found[key[1], date.fromordinal(day)]
                row[_PLACES["active_learners"]], row[_PLACES["active_learners_30"]] = on_day, in_window
    return {key: tuple(row) for key, row in found.items() if any(row)}


def _sources(courses: Collection[int] | None, first: date | None, last: date) -> dict[tuple[str, ...], QuerySet[Any]]:
    """The rows of what is added up: course, day, and a value for each of the figures that the key names."""
    after = datetime.combine(last + timedelta(days=1), datetime.min.time(), tzinfo=UTC)
    since = None if first is None else datetime.combine(first, datetime.min.time(), tzinfo=UTC)

    def chosen(rows: QuerySet[Any], moment: str, begin: Any, end: Any) -> QuerySet[Any]:
        rows = (
            rows.filter(**{f"{moment}__lt": end})
            if begin is None
            else rows.filter(**{f"{moment}__gte": begin, f"{moment}__lt": end})
        )
        return (rows if courses is None else rows.filter(course__in=courses)).order_by()

    def by_moment(rows: QuerySet[Any], moment: str) -> QuerySet[Any]:
        return chosen(rows, moment, since, after).values_list("course", day_of(moment))

    def by_day(rows: QuerySet[Any]) -> QuerySet[Any]:
        return chosen(rows, "day", first, last + timedelta(days=1)).values_list("course", "day")

    count = {"n": Count("pk")}
    enrollments = Enrollment.objects.all()
    return {
        ("enrollments",): by_moment(enrollments, "enrolled_at").annotate(**count),
        ("completions",): by_moment(enrollments, "completed_at").annotate(**count),
        ("watched_seconds", "other_seconds"): by_day(WatchedDay.objects.all()).annotate(
            Sum("seconds"), Sum("other_seconds")
        ),
        ("ratings", "stars"): by_moment(Rating.objects.shown(), "created_at").annotate(**count, total=Sum("stars")),
        ("page_visitors",): by_day(CourseVisit.objects.all()).annotate(Sum("visitors")),
    }


def recount_days(
    *,
    first: date | None,
    now: datetime,
    courses: Collection[int] | None = None,
    keep_alive: KeepAlive,
    is_dry: bool = False,
) -> Changes:
    """Count the days from ``first`` (None: all) to that of ``now`` again, of some courses or all, and of their people.

    Somebody whose courses are others than those counted before is counted for all days.
    """
    last = now.astimezone(UTC).date()
    teachers = teachers_by_course()
    known = dict(TeacherRollup.objects.values_list("user", "courses"))
    present = _courses_by_teacher(teachers)
    moved = {user for user in present if known.get(user) != present[user]}
    concerned = set(present) if courses is None else {user for one in courses for user in teachers.get(one, ())}
    changes = _recount(first, last, courses, concerned - moved, present, keep_alive, is_dry)
    if moved:
        changes += _recount_teachers(None, last, moved, present, keep_alive, is_dry)
    if not is_dry:
        TeacherDay.objects.exclude(user__in=present).delete()
        TeacherRollup.objects.exclude(user__in=present).delete()
        for user in moved:
            TeacherRollup.objects.update_or_create(user_id=user, defaults={"courses": present[user]})
    return changes + _recount_ratings(first, courses, is_dry=is_dry)


def _courses_by_teacher(teachers: Mapping[int, Collection[int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for course in sorted(teachers):
        for user in teachers[course]:
            found[user].append(course)
    return dict(found)


def _window(first: date | None) -> date | None:
    return None if first is None else first - timedelta(days=WINDOW - 1)


def _recount(
    first: date | None,
    last: date,
    courses: Collection[int] | None,
    users: Collection[int],
    present: Mapping[int, list[int]],
    keep_alive: KeepAlive,
    is_dry: bool,  # noqa: FBT001 (passed on)
) -> Changes:
    """Count courses and people in one reading."""
    keys: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for course in Course.objects.order_by().values_list("pk", flat=True) if courses is None else courses:
        keys[course].append(("course", course))
    for user in users:
        for course in present[user]:
            keys[course].append(("teacher", user))
    read = None if courses is None else [*keys]
    rows = active_days(read, first=_window(first), last=last, keep_alive=keep_alive)
    actives = count_actives(rows, keys)
    days = count_course_days(actives, courses, first=first, last=last)
    stored = CourseDay.objects.filter(day__lte=last)
    stored = stored if first is None else stored.filter(day__gte=first)
    stored = stored if courses is None else stored.filter(course__in=courses)
    changes = store(
        stored,
        days,
        key=("course_id", "day"),
        figures=CourseDay.FIGURES,
        keep_alive=keep_alive,
        is_dry=is_dry,
    )
    return changes + _store_teachers(actives, users, first, last, keep_alive=keep_alive, is_dry=is_dry)


def _recount_teachers(
    first: date | None,
    last: date,
    users: Collection[int],
    present: Mapping[int, list[int]],
    keep_alive: KeepAlive,
    is_dry: bool,  # noqa: FBT001 (passed on)
) -> Changes:
    keys: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for user in users:
        for course in present[user]:
            keys[course].append(("teacher", user))
    rows = active_days([*keys], first=_window(first), last=last, keep_alive=keep_alive)
    actives = count_actives(rows, keys)
    return _store_teachers(actives, users, first, last, keep_alive=keep_alive, is_dry=is_dry)


def _store_teachers(
    actives: Mapping[tuple[str, int], Actives[tuple[str, int]]],
    users: Collection[int],
    first: date | None,
    last: date,
    *,
    keep_alive: KeepAlive,
    is_dry: bool,
) -> Changes:
    low = first.toordinal() if first else 1
    counted = {
        (key[1], date.fromordinal(day)): (on_day, in_window)
        for key, each in actives.items()
        if key[0] == "teacher"
        for day, on_day, in_window in each.within(low, last.toordinal())
    }
    stored = TeacherDay.objects.filter(user__in=users, day__lte=last)
    stored = stored if first is None else stored.filter(day__gte=first)
    return store(
        stored,
        counted,
        key=("user_id", "day"),
        figures=TeacherDay.FIGURES,
        keep_alive=keep_alive,
        is_dry=is_dry,
    )


def _recount_ratings(first: date | None, courses: Collection[int] | None, *, is_dry: bool) -> Changes:
    """Count the ratings of the days before ``first`` again: later they are changed, deleted, hidden and shown again.

    There are few of them, so all are counted each time.
    """
    if first is None:
        return Changes()
    before = first - timedelta(days=1)
    rows = _sources(courses, None, before)["ratings", "stars"]
    counted = {(course, date.fromisoformat(day)): (ratings, stars) for course, day, ratings, stars in rows}
    stored = CourseDay.objects.filter(day__lte=before)
    stored = stored if courses is None else stored.filter(course__in=courses)
    for course, day in stored.filter(ratings__gt=0).values_list("course", "day"):
        counted.setdefault((course, day), (0, 0))
    concerned = stored.filter(pk__in=_days_with(stored, counted))
    changes = store(concerned, counted, key=("course_id", "day"), figures=("ratings", "stars"), is_dry=is_dry)
    if not is_dry and changes.total:
        stored.filter(**dict.fromkeys(CourseDay.FIGURES, 0)).delete()
    return changes


def _days_with(stored: QuerySet[CourseDay], counted: Mapping[tuple[int, date], Any]) -> list[int]:
    days = {day for _course, day in counted}
    rows = stored.filter(day__in=days).values_list("pk", "course", "day")
    return [pk for pk, course, day in rows if (course, day) in counted]
