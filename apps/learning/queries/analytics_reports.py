"""The reports of analytics that somebody gets, and how."""

from django.db.models import QuerySet

from apps.accounts.models import NotificationChoice, User
from apps.accounts.queries.choices import choices_of
from apps.learning.models import AnalyticsReport
from apps.learning.notices import ANALYTICS_REPORT


def reports_of(user: User) -> QuerySet[AnalyticsReport]:
    """Return the user's reports, the oldest first."""
    return AnalyticsReport.objects.filter(user=user).select_related("course").order_by("created_at", "pk")


def way_of_reports(user: User) -> str:
    """Return how the user gets reports by email: now, in the digest, or off (`NotificationChoice.Mail`)."""
    return choices_of(user).get(ANALYTICS_REPORT.name, (True, NotificationChoice.Mail.OFF))[1]
