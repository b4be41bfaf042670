"""Visitors of course pages: how many a day, and nothing of whose they were."""

from datetime import UTC, datetime

from django.db.models import F

from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.courses.policies import is_staff_of
from apps.learning.models import CourseVisit


def count_visit(*, user: AnyUser, slug: str, now: datetime) -> bool:
    """Count that a browser read the page of a published course today. Return whether it counted.

    The browser says it once a day for each course. Who teaches the course doesn't count, nor does a course that isn't
    open: nobody can enroll.
    """
    course = Course.objects.published().filter(slug=slug).first()
    if course is None or is_staff_of(user, course):
        return False
    of_day = {"course": course, "day": now.astimezone(UTC).date()}
    CourseVisit.objects.bulk_create([CourseVisit(**of_day)], ignore_conflicts=True)
    CourseVisit.objects.filter(**of_day).update(visitors=F("visitors") + 1)
    return True
