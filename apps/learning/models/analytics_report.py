"""Analytics that somebody gets by email on a schedule."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course


class AnalyticsReport(models.Model):
    """That a user gets the figures of a course, or of all that they teach, each week or month.

    It is deleted by the job once the user may not read these figures any longer.
    """

    class Frequency(models.TextChoices):
        WEEKLY = "weekly", _("Every Monday")
        MONTHLY = "monthly", _("On the first of each month")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="analytics_reports")
    course = models.ForeignKey(
        Course,
        models.CASCADE,
        null=True,
        related_name="analytics_reports",
        help_text="Null: all that the user teaches.",
    )
    frequency = models.CharField(max_length=7, choices=Frequency.choices)
    next_at = models.DateTimeField(db_index=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "course"], name="one_analytics_report_per_course"),
            models.UniqueConstraint(fields=["user"], condition=Q(course=None), name="one_analytics_report_of_all"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.frequency} {self.course_id or 'all'}"
