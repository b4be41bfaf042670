"""From the course page to completion: how many got how far of those who came in a period."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Min, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from apps.learning.analytics.courses import Scope
from apps.learning.analytics.periods import Period
from apps.learning.analytics.smallest_group import blur, is_shown
from apps.learning.models import CourseVisit, Enrollment, LessonProgress


@dataclass(frozen=True)
class Step:
    """``people``: None if fewer than five visitors would show; of visitors, a multiple of five."""

    name: str
    label: str
    people: int | None


@dataclass(frozen=True)
class Funnel:
    """``visits_since``: the first day on which visitors were counted; a period may have begun before."""

    steps: tuple[Step, ...]
    visits_since: date | None


def funnel_of(scope: Scope, period: Period) -> Funnel:
    """Return how far those came who enrolled in the period, also if their enrollment ended since. Two queries.

    Visitors are browsers on one day each: who reads the page on two days counts twice, and who enrolled in the period
    may have read it before.
    """
    visits = CourseVisit.objects.filter(course__in=scope.pks).aggregate(
        since=Min("day"), visitors=Sum("visitors", filter=Q(day__range=(period.first, period.last)), default=0)
    )
    enrolled = Enrollment.objects.filter(
        course__in=scope.pks, enrolled_at__gte=period.begins_at, enrolled_at__lt=period.ends_at
    )
    # Only of those who opened nothing last are the lessons asked for, one by one: neither database hashes a million.
    begun = LessonProgress.objects.filter(enrollment=OuterRef("pk")).values("lesson")[:1]
    counted = enrolled.aggregate(
        enrolled=Count("pk"),
        began=Count(Coalesce("last_lesson", Subquery(begun))),
        quarter=Count("pk", filter=Q(milestone__gte=25)),
        half=Count("pk", filter=Q(milestone__gte=50)),
        most=Count("pk", filter=Q(milestone__gte=75)),
        completed=Count("pk", filter=Q(completed_at__isnull=False)),
    )
    labels = {
        "visitors": _("Read the course page"),
        "enrolled": _("Enrolled"),
        "began": _("Began a lesson"),
        "quarter": _("Completed 25%"),
        "half": _("Completed 50%"),
        "most": _("Completed 75%"),
        "completed": _("Completed the course"),
    }
    visitors = visits["visitors"]
    people = {"visitors": blur(visitors) if is_shown(visitors) else None, **counted}
    return Funnel(tuple(Step(name, label, people[name]) for name, label in labels.items()), visits["since"])
