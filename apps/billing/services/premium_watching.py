"""What subscribers watched, as far as it counts for Premium: at most three hours of a learner's day in all courses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce

from apps.billing import extensions
from apps.billing.models import Grant, Payment
from apps.billing.premium_division import cap_day
from apps.billing.services import seat_shares
from apps.courses.models import CoInstructor, Course, OwnershipOffer

MAX_SECONDS_PER_LEARNER_AND_DAY = 3 * 60 * 60


def watched_in(start: datetime, end: datetime, currency: str) -> dict[int, dict[int, int]]:
    """The seconds that count in a month, by subscriber and course. Three queries, whatever the number of subscribers:
    the database adds them up, and only days beyond the cap are read one by one."""
    rows = _counting_rows(start, end, currency)
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for user, course, seconds in (
        rows.values("user", "course").annotate(sum=Sum("seconds")).values_list("user", "course", "sum")
    ):
        found[user][course] = seconds
    for user, _day, course, seconds in _beyond_cap(rows):
        found[user][course] -= seconds
    return found


def watched_by_day(
    start: datetime, end: datetime, currency: str, courses: Collection[int]
) -> dict[int, dict[date, int]]:
    """The seconds of these courses that count in a period, by course and day. Three queries."""
    rows = _counting_rows(start, end, currency)
    found: dict[int, dict[date, int]] = defaultdict(dict)
    days = rows.filter(course__in=courses).values("course", "day").annotate(sum=Sum("seconds"))
    for course, day, seconds in days.values_list("course", "day", "sum"):
        found[course][day] = seconds
    for _user, day, course, seconds in _beyond_cap(rows):
        if course in found:
            found[course][day] -= seconds
    return found


def _beyond_cap(rows: QuerySet[Any]) -> Iterator[tuple[int, date, int, int]]:
    """What doesn't count of the days on which learners watched too much: user, day, course and seconds."""
    long = rows.values("user", "day").annotate(sum=Sum("seconds")).filter(sum__gt=MAX_SECONDS_PER_LEARNER_AND_DAY)
    days = set(long.values_list("user", "day"))
    within: dict[tuple[int, date], dict[int, int]] = defaultdict(dict)
    some = rows.filter(user__in={user for user, _day in days}, day__in={day for _user, day in days})
    for user, day, course, seconds in some.values_list("user", "day", "course", "seconds"):
        if (user, day) in days:
            within[user, day][course] = seconds
    for (user, day), by_course in within.items():
        kept = cap_day(by_course, MAX_SECONDS_PER_LEARNER_AND_DAY)
        for course, seconds in by_course.items():
            yield user, day, course, seconds - kept.get(course, 0)


def _counting_rows(start: datetime, end: datetime, currency: str) -> QuerySet[Any]:
    """The watched days that count: paid for, opened by Premium alone, not free, and not of who taught the course."""
    days = [start + timedelta(days=number) for number in range((end - start).days)]
    begins = Case(*[When(day=day.date(), then=Value(day)) for day in days], output_field=DateTimeField())
    ends = Case(
        *[When(day=day.date(), then=Value(day + timedelta(days=1))) for day in days], output_field=DateTimeField()
    )
    grants = Grant.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=OuterRef("begins")),
        user=OuterRef("user"),
        course=OuterRef("course"),
        created_at__lt=OuterRef("ends"),
    )
    paid = Payment.objects.annotate(
        since=Coalesce("period_start", "paid_at"), until=Coalesce("period_end", "paid_at")
    ).filter(
        kind=Payment.Kind.PREMIUM,
        currency=currency,
        order=None,
        user=OuterRef("user"),
        amount__gt=F("refunded") + F("charged_back"),
        since__lt=OuterRef("ends"),
        until__gt=OuterRef("begins"),
    )
    rows = extensions.watched_days(start.date(), end.date()).annotate(begins=begins, ends=ends)
    rows = rows.exclude(course__pricing=Course.Pricing.FREE).exclude(course__instructor=F("user"))
    teaching = CoInstructor.objects.filter(
        Q(removed_at=None) | Q(removed_at__gt=OuterRef("begins")), joined_at__lt=OuterRef("ends")
    )
    owning = OwnershipOffer.objects.filter(answered_at__gt=OuterRef("begins"), former_instructor=OuterRef("user"))
    for staff in (teaching.filter(user=OuterRef("user")), owning):
        rows = rows.exclude(Exists(staff.filter(course=OuterRef("course"))))
    counting: QuerySet[Any] = rows.filter(
        Exists(grants.filter(source=Grant.Source.PREMIUM)),
        ~Exists(grants.exclude(source=Grant.Source.PREMIUM)),
        Exists(paid) | Exists(seat_shares.seats_held(currency)),
    ).order_by()
    return counting
