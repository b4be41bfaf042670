"""An instructor's appeal of a suspension."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from apps.courses.models.review import StatusChange


class Appeal(models.Model):
    """What an instructor answers to a suspension, once, and what the admins decide."""

    class Outcome(models.TextChoices):
        PENDING = "pending", _("Pending")
        REINSTATED = "reinstated", _("Suspension lifted")
        KEPT = "kept", _("Suspension kept")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="appeals")
    suspension = models.OneToOneField(StatusChange, models.CASCADE, related_name="appeal")
    text = models.TextField(help_text="Markdown.")
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    written_at = models.DateTimeField()
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.PENDING)
    reply = models.TextField(blank=True, help_text="Markdown.")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course"], condition=Q(outcome="pending"), name="one_pending_appeal_per_course"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.course_id} {self.outcome}"
