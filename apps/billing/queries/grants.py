"""What staff granted to learners."""

from django.db.models import Case, Q, QuerySet, Value, When

from apps.billing.models import Grant
from apps.courses.models import Course


def granted_by_staff(text: str = "") -> QuerySet[Grant]:
    """Return the grants of staff, those that still hold first, then the latest.

    :param text: only those of a user by whole email or username, or of courses with this in their title.
    """
    found = Grant.objects.filter(source=Grant.Source.STAFF).select_related("user", "course", "granted_by")
    if text:
        user = Q(user__email__iexact=text) | Q(user__username__iexact=text)
        found = found.filter(user | Q(course__title__folded_contains=text))
    return found.order_by(Case(When(ended_at=None, then=Value(0)), default=Value(1)), "-created_at", "-pk")


def grantable() -> QuerySet[Course]:
    """Return the courses whose access can be granted: those that cost something and were published."""
    return (
        Course.objects.listed()
        .filter(published_at__isnull=False)
        .exclude(pricing=Course.Pricing.FREE)
        .order_by("title")
    )
