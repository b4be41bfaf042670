"""The rows from which days are counted: who teaches what now, and who was active where and when."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast, Substr

from apps.accounts.models import Role
from apps.courses.models import CoInstructor, Course, Right
from apps.learning.analytics.activity import ActiveDay
from apps.learning.models import Attempt, Enrollment, LessonProgress, WatchedDay

CHUNK = 5_000  # rows read at once
KEPT_ALIVE_EVERY = 20_000  # rows

KeepAlive = Callable[[], None]


def day_of(moment: str) -> Substr:
    """The day of a moment as text: both databases write moments in UTC, and this is faster than their functions."""
    return Substr(Cast(moment, TextField()), 1, 10)


def teachers_by_course() -> dict[int, list[int]]:
    """Return who may read the figures of each course now (`Right.VIEW`), by primary key. Two queries.

    Like `rights.teachers_of` for all courses at once, but without those in which nobody has ever enrolled: a new draft
    changes nothing. Working copies have no learners.
    """
    teaches = {"is_active": True, "role__in": [Role.INSTRUCTOR, Role.ADMIN]}
    owned = Course.objects.filter(
        Exists(Enrollment.objects.filter(course=OuterRef("pk"))),
        **{f"instructor__{name}": value for name, value in teaches.items()},
    )
    joined = CoInstructor.objects.having(Right.VIEW).filter(
        Exists(Enrollment.objects.filter(course=OuterRef("course"))),
        **{f"user__{name}": value for name, value in teaches.items()},
    )
    found: dict[int, set[int]] = defaultdict(set)
    for course, user in owned.order_by().values_list("pk", "instructor"):
        found[course].add(user)
    for course, user in joined.order_by().values_list("course", "user"):
        found[course].add(user)
    return {course: sorted(users) for course, users in found.items()}


def active_days(
    courses: Collection[int] | None, *, first: date | None, last: date, keep_alive: KeepAlive
) -> Iterator[ActiveDay]:
    """Yield who was active where and when, by user and day, from ``first`` (None: ever) to ``last``. One query."""
    numbers: dict[str, int] = {}
    after = datetime.combine(last + timedelta(days=1), datetime.min.time(), tzinfo=UTC)
    since = None if first is None else datetime.combine(first, datetime.min.time(), tzinfo=UTC)

    def during(rows: QuerySet[Any], moment: str, course: str, bounds: tuple[Any, Any]) -> QuerySet[Any]:
        rows = rows.filter(**{f"{moment}__lt": bounds[1]})
        if bounds[0] is not None:
            rows = rows.filter(**{f"{moment}__gte": bounds[0]})
        within: QuerySet[Any] = rows if courses is None else rows.filter(**{f"{course}__in": courses})
        return within

    days = during(
        WatchedDay.objects.filter(Q(seconds__gt=0) | Q(other_seconds__gt=0)),
        "day",
        "course",
        (first, last + timedelta(days=1)),
    )
    moments = (since, after)
    begun = during(LessonProgress.objects.all(), "started_at", "enrollment__course", moments)
    submitted = during(Attempt.objects.all(), "submitted_at", "enrollment__course", moments)
    person, place = F("enrollment__user"), F("enrollment__course")

    def named(rows: QuerySet[Any], **columns: Any) -> QuerySet[Any]:
        named_rows: QuerySet[Any] = rows.order_by().annotate(**columns).values_list("person", "text", "place")
        return named_rows

    union = named(days, person=F("user"), text=Cast("day", TextField()), place=F("course")).union(
        named(begun, person=person, text=day_of("started_at"), place=place),
        named(submitted, person=person, text=day_of("submitted_at"), place=place),
    )
    rows = union.order_by("person", "text").iterator(chunk_size=CHUNK)
    for number, (user, day, course) in enumerate(rows):
        if day not in numbers:
            numbers[day] = date.fromisoformat(day).toordinal()
        if number % KEPT_ALIVE_EVERY == 0:
            keep_alive()
        yield ActiveDay(user, numbers[day], course)
