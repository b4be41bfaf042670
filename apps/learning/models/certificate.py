"""Certificates."""

import secrets
import uuid

from django.db import models

from apps.learning.models.enrollment import Enrollment
from studyplatform.kit.names import NameField


def verification_code() -> str:
    """Return a code of 12 characters that can be read aloud: without 0, O, 1, I and L."""
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(12))


class Certificate(models.Model):
    """Proof of a completed course. It stores the names and the title as they were when it was issued."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    enrollment = models.OneToOneField(Enrollment, models.PROTECT, related_name="certificate")
    code = models.CharField(max_length=16, unique=True, default=verification_code)
    learner_name = NameField(max_length=160)
    course_title = NameField(max_length=120)
    instructor_name = NameField(max_length=160)
    course_version = models.CharField(
        max_length=24, blank=True, help_text='The version of the course when it was issued, like "8" or "8.1".'
    )
    lesson_count = models.PositiveIntegerField(default=0, help_text="How many lessons were completed: all there were.")
    duration = models.PositiveIntegerField(default=0)
    video_seconds = models.PositiveIntegerField(default=0, help_text="Length of the video lessons.")
    watched_seconds = models.PositiveIntegerField(
        default=0, help_text="How many distinct seconds of them were watched."
    )
    quizzes = models.JSONField(
        default=list, help_text='[{"title", "percent"}] in order: with what each quiz was passed.'
    )
    issued_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revocation_reason = models.CharField(max_length=200, blank=True, help_text="Everyone who verifies it reads it.")

    def __str__(self) -> str:
        return self.code

    @property
    def video_percent(self) -> int | None:
        """The watched share of all video, in percent, rounded down; None for a course without video."""
        return self.watched_seconds * 100 // self.video_seconds if self.video_seconds else None
