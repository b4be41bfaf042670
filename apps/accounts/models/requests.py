"""What users request: to teach, and their own data."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models.users import User


class TeachingRequest(models.Model):
    """A student's request to become an instructor; an admin decides."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting for an answer")
        APPROVED = "approved", _("Approved")
        DECLINED = "declined", _("Declined")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="teaching_requests")
    reason = models.TextField(max_length=2000)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    answer = models.TextField(blank=True, max_length=2000)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(state="pending"), name="one_open_teaching_request_per_person"
            ),
            models.CheckConstraint(
                condition=Q(state="pending", decided_at=None) | (~Q(state="pending") & ~Q(decided_at=None)),
                name="teaching_request_decided_with_its_time",
            ),
        ]
        indexes = [models.Index(fields=["created_at"], condition=Q(state="pending"), name="teaching_request_open")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.state}"


class DataExport(models.Model):
    """All data of one user in one archive, built in the background and deleted after a week."""

    class State(models.TextChoices):
        PREPARING = "preparing", _("Being prepared")
        READY = "ready", _("Ready")
        FAILED = "failed", _("Failed")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="data_exports")
    state = models.CharField(max_length=9, choices=State.choices, default=State.PREPARING)
    progress = models.PositiveSmallIntegerField(default=0, help_text="Percent.")
    file = models.FileField(upload_to="exports/", blank=True)
    size = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(state="preparing"), name="one_export_at_a_time_per_person"
            ),
            models.CheckConstraint(condition=Q(progress__lte=100), name="export_progress_in_percent"),
        ]
        indexes = [models.Index(fields=["expires_at"], condition=Q(state="ready"), name="export_expiry")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.state}"
