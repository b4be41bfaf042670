"""Offline lessons: the browsers that store them, sealed quizzes, and what was done without a connection."""

import secrets
import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.courses.models import Quiz
from apps.learning.models.enrollment import Enrollment
from apps.learning.models.quiz import Attempt
from studyplatform.kit.names import NameField

KEY_BYTES = 32


def make_key() -> bytes:
    """Return a new AES-256 key."""
    return secrets.token_bytes(KEY_BYTES)


class OfflineDevice(models.Model):
    """A browser in which a learner stores lessons. They are encrypted with ``key``, which only that learner gets."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="offline_devices")
    name = NameField(max_length=120)
    key = models.BinaryField(max_length=KEY_BYTES, default=make_key, editable=False)
    created_at = models.DateTimeField()
    last_contact_at = models.DateTimeField()
    watched_seconds = models.PositiveIntegerField(
        default=0, help_text="Of videos that were watched on it without a connection: never more than it had time for."
    )

    class Meta:
        indexes = [models.Index(fields=["user", "last_contact_at"], name="offline_device_of_user")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user_id}"


class SealedPaper(models.Model):
    """The questions of a learner's next attempt at a quiz, drawn in advance for a device without a connection.

    It becomes ``attempt``, which has the same uid, when the device sends what was answered.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    device = models.ForeignKey(OfflineDevice, models.SET_NULL, null=True, related_name="papers")
    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="papers")
    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="papers")
    asked = models.JSONField(default=list, help_text="Its questions as drawn, with their answers.")
    pass_percent = models.PositiveSmallIntegerField()
    time_limit = models.PositiveIntegerField(help_text="The learner's, in seconds; 0: none.")
    usual_time_limit = models.PositiveIntegerField(help_text="Seconds without extra time; 0: none.")
    sealed_at = models.DateTimeField()
    opens_at = models.DateTimeField(null=True, help_text="When the wait after the last attempt ends, if it had not.")
    released_at = models.DateTimeField(
        null=True, help_text="When its device stopped to store it: it no longer holds an attempt, if others need one."
    )
    attempt: "models.OneToOneField[Attempt | None, Attempt]" = models.OneToOneField(  # type: ignore[misc]
        Attempt, models.SET_NULL, null=True, related_name="paper"
    )
    used_at = models.DateTimeField(null=True, help_text="When the device sent what was answered.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["device", "enrollment", "quiz"], condition=Q(used_at=None), name="one_waiting_paper_per_device"
            )
        ]

    def __str__(self) -> str:
        return f"Paper {self.uid} of {self.enrollment_id}"


class TakenChange(models.Model):
    """A change that a device has sent: it is taken once, and answered the same however often it is sent."""

    change = models.UUIDField(help_text="Made by the browser.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="taken_changes")
    kind = models.CharField(max_length=9)
    outcome = models.JSONField(default=dict, help_text="As it was answered.")
    taken_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "change"], name="one_outcome_per_change")]
        indexes = [models.Index(fields=["taken_at"], name="taken_changes_by_age")]

    def __str__(self) -> str:
        return f"{self.kind} {self.change}"
