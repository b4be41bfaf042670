"""Whether the model's budget of this month is used up."""

from datetime import datetime
from decimal import Decimal

from django.db.models import Q, Sum

from apps.tutor.models import TutorBudget, UsageDay
from apps.tutor.queries.switches import VERSION
from studyplatform.kit.caching.versioned import VersionedCache

MICROS = 1_000_000
_budget: VersionedCache[tuple[TutorBudget | None]] = VersionedCache(VERSION)


def is_used_up(*, user_id: int, course_id: int | None, now: datetime) -> bool:
    """Return whether a budget that concerns the user's question about the course is used up. At most three queries."""
    (budget,) = _budget.get("", _read)  # a tuple: None would not be cached
    if budget is None or (budget.per_user, budget.per_course, budget.whole_site) == (None, None, None):
        return False
    today = now.date()
    of_course = Q(course=course_id) if course_id is not None else Q(pk=None)
    spent = UsageDay.objects.filter(day__gte=today.replace(day=1), day__lte=today).aggregate(
        per_user=Sum("cost_micros", filter=Q(user=user_id)),
        per_course=Sum("cost_micros", filter=of_course),
        whole_site=Sum("cost_micros"),
    )
    limits: dict[str, Decimal | None] = {name: getattr(budget, name) for name in spent}
    return any(limit is not None and (spent[name] or 0) >= limit * MICROS for name, limit in limits.items())


def _read() -> tuple[TutorBudget | None]:
    return (TutorBudget.objects.first(),)
