"""Enrollments and bookmarks."""

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.courses.models import Course, Lesson


class EnrollmentQuerySet(models.QuerySet["Enrollment"]):
    def active(self) -> Self:
        return self.filter(revoked_at=None)

    def of(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)


class Enrollment(models.Model):
    """A learner's enrollment in a course. It is revoked, never deleted, because progress refers to it."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="enrollments")
    course = models.ForeignKey(Course, models.PROTECT, related_name="enrollments")
    enrolled_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    # Services update these from the lesson progress.
    completed_lessons = models.PositiveIntegerField(default=0)
    percent = models.PositiveSmallIntegerField(default=0)
    milestone = models.PositiveSmallIntegerField(default=0, help_text="Highest reached: 0, 25, 50, 75 or 100.")
    last_lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="+")
    last_activity_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)
    required_version = models.PositiveIntegerField(
        null=True, help_text="Lessons that later versions of the course brought are optional; null: the newest counts."
    )
    own_required_count = models.PositiveIntegerField(
        null=True, help_text="How many lessons count, where a former version does; kept by services."
    )
    offered_version = models.PositiveIntegerField(
        null=True, help_text="The version of which the learner still has to choose whether it counts."
    )
    exceptions_at = models.DateTimeField(
        null=True, help_text="When an exception of the learner was granted or ended last. Null: there never was one."
    )

    objects = EnrollmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "course"], condition=Q(revoked_at=None), name="one_active_seat_per_learner"
            ),
            models.CheckConstraint(condition=Q(percent__lte=100), name="enrollment_percent_range"),
        ]
        indexes = [
            models.Index(fields=["user", "-last_activity_at"], name="enrollment_recent"),
            models.Index(fields=["course", "enrolled_at"], condition=Q(revoked_at=None), name="enrollment_by_day"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.user_id}→{self.course_id}"

    @property
    def required_count(self) -> int:
        """How many lessons count for completing the course: those of the version that the learner completes."""
        return self.course.required_count if self.own_required_count is None else self.own_required_count

    @property
    def is_active(self) -> bool:
        return self.revoked_at is None

    def revoke(self, *, now: datetime) -> None:
        self.revoked_at = now
        self.save(update_fields=["revoked_at"])

    def restore(self, *, now: datetime) -> None:
        self.revoked_at = None
        self.last_activity_at = now
        self.save(update_fields=["revoked_at", "last_activity_at"])


class Bookmark(models.Model):
    """A course that a user has saved for later."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bookmarks")
    course = models.ForeignKey(Course, models.CASCADE, related_name="bookmarks")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "course"], name="one_ribbon_per_course")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.course_id}"
