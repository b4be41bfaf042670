"""The review of courses and the history of their status."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course


class Submission(models.Model):
    """One submission of a course for review, with its outcome. All are stored as the course's history."""

    class Outcome(models.TextChoices):
        PENDING = "pending", _("Pending")
        APPROVED = "approved", _("Approved")
        CHANGES_REQUESTED = "changes_requested", _("Changes requested")
        REJECTED = "rejected", _("Needs revision")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="submissions", help_text="Never a working copy.")
    version_number = models.PositiveIntegerField(default=1, help_text="Which version of the course was submitted.")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField()
    outcome = models.CharField(max_length=20, choices=Outcome.choices, default=Outcome.PENDING)
    note = models.TextField(blank=True, help_text="From the instructor to the reviewer.")
    comment = models.TextField(blank=True, help_text="From the reviewer to the instructor.")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course"], condition=Q(outcome="pending"), name="one_pending_submission_per_course"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.course_id} {self.outcome}"


class StatusChange(models.Model):
    """One change of a course's status: who made it, when, and why. Never edited."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="status_changes")
    was = models.CharField(max_length=10, choices=Course.Status.choices)
    became = models.CharField(max_length=10, choices=Course.Status.choices)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        indexes = [models.Index(fields=["course", "-changed_at"], name="course_status_history")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.was}→{self.became}"
