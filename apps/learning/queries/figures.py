"""Counts of learners and of what they do, for the people who teach and govern."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Avg, Count, Q

from apps.accounts.models import User
from apps.learning.models import Enrollment

ACTIVE = timedelta(days=30)


@dataclass(frozen=True)
class Figures:
    """``completion``: the mean progress of all seats in percent; None while there are none."""

    learners: int
    active: int
    completion: int | None
    finished: int


def figures_of_teacher(teacher: User, *, now: datetime) -> Figures:
    """Of all courses this person teaches. One query."""
    enrollments = Enrollment.objects.active().filter(course__instructor=teacher)
    found = enrollments.aggregate(
        learners=Count("user", distinct=True),
        active=Count("user", distinct=True, filter=Q(last_activity_at__gte=now - ACTIVE)),
        mean=Avg("percent"),
        finished=Count("pk", filter=Q(completed_at__isnull=False)),
    )
    mean = found["mean"]
    return Figures(
        learners=found["learners"],
        active=found["active"],
        completion=round(mean) if mean is not None else None,
        finished=found["finished"],
    )


def learning_since(since: datetime) -> int:
    """How many people have learned something since then."""
    return Enrollment.objects.active().filter(last_activity_at__gte=since).values("user").distinct().count()


def enrollments_since(since: datetime) -> int:
    """How many seats were taken since then."""
    return Enrollment.objects.filter(enrolled_at__gte=since).count()
