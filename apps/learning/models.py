"""Enrollments, progress, quiz attempts, certificates, ratings and bookmarks."""

import secrets
import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.courses.models import Course, Lesson, Quiz


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

    objects = EnrollmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "course"], condition=Q(revoked_at=None), name="one_active_seat_per_learner"
            ),
            models.CheckConstraint(condition=Q(percent__lte=100), name="enrollment_percent_range"),
        ]
        indexes = [models.Index(fields=["user", "-last_activity_at"], name="enrollment_recent")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.user_id}→{self.course_id}"

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


class LearningTime(models.Model):
    """A learner's unused learning time over all courses (see ``activity.time_budget``).

    The row is locked while time is taken from it, so simultaneous requests cannot use the same time twice.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="learning_time"
    )
    spans = models.JSONField(default=list, help_text="[start, seconds] pairs, oldest first.")
    ahead = models.FloatField(default=0, help_text="Seconds given before their time had come.")
    counted_at = models.DateTimeField()
    uncounted = models.FloatField(
        default=0, help_text="Seconds of real time that no watched second used; negative: used in advance."
    )

    def __str__(self) -> str:
        return f"{self.user_id} until {self.counted_at:%Y-%m-%d %H:%M:%S}"


class WatchedDay(models.Model):
    """How long a learner watched videos of a course on one day (UTC), see ``activity.watched_time``."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="watched_days")
    course = models.ForeignKey(Course, models.CASCADE, related_name="watched_days")
    day = models.DateField()
    seconds = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "course", "day"], name="one_row_per_watched_day")]
        indexes = [models.Index(fields=["day", "course"], name="watched_by_day")]

    def __str__(self) -> str:
        return f"{self.user_id}→{self.course_id} {self.day}: {self.seconds}s"


class LessonProgress(models.Model):
    """A learner's progress in one lesson. The row is created when the lesson is first served to the learner."""

    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="progress")
    lesson = models.ForeignKey(Lesson, models.CASCADE, related_name="progress")
    position = models.FloatField(default=0, help_text="Seconds: where to resume.")
    position_at = models.DateTimeField(null=True, help_text="When the learner was there, by their own clock.")
    watched = models.JSONField(default=list, help_text="Distinct whole seconds as merged [from, to) pairs.")
    watched_seconds = models.PositiveIntegerField(default=0)
    granted = models.PositiveIntegerField(
        default=0, help_text="Seconds taken for this lesson from the learner's time, some of them for what comes next."
    )
    started_at = models.DateTimeField(help_text="When the lesson was first opened.")
    updated_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)
    revision = models.PositiveIntegerField(default=0, help_text="Raised by each save: two tabs never lose a second.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["enrollment", "lesson"], name="one_progress_per_lesson")]

    def __str__(self) -> str:
        return f"{self.enrollment_id}/{self.lesson_id} {self.watched_seconds}s"


class Attempt(models.Model):
    """One open or submitted attempt at a quiz. The server scores it, once."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="attempts")
    quiz = models.ForeignKey(Quiz, models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    answers = models.JSONField(default=dict, help_text="By question uid.")
    results = models.JSONField(
        default=list, help_text="Per question what was asked, answered and right: it outlives later edits of the quiz."
    )
    score = models.DecimalField(max_digits=7, decimal_places=2, default=0)
    points = models.PositiveIntegerField(default=0)
    percent = models.PositiveSmallIntegerField(default=0)
    is_passed = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "quiz", "number"], name="one_attempt_per_number"),
            models.UniqueConstraint(
                fields=["enrollment", "quiz"], condition=Q(submitted_at=None), name="one_open_attempt"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.percent}%"


def verification_code() -> str:
    """Return a code of 12 characters that can be read aloud: without 0, O, 1, I and L."""
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(12))


class Certificate(models.Model):
    """Proof of a completed course. It stores the names and the title as they were when it was issued."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    enrollment = models.OneToOneField(Enrollment, models.PROTECT, related_name="certificate")
    code = models.CharField(max_length=16, unique=True, default=verification_code)
    learner_name = models.CharField(max_length=160)
    course_title = models.CharField(max_length=120)
    instructor_name = models.CharField(max_length=160)
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

    def __str__(self) -> str:
        return self.code

    @property
    def video_percent(self) -> int | None:
        """The watched share of all video, in percent, rounded down; None for a course without video."""
        return self.watched_seconds * 100 // self.video_seconds if self.video_seconds else None


class Rating(models.Model):
    """One learner's rating of a course, with an optional comment."""

    enrollment = models.OneToOneField(Enrollment, models.CASCADE, related_name="rating")
    course = models.ForeignKey(Course, models.CASCADE, related_name="ratings")
    stars = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True, max_length=2000)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(stars__gte=1, stars__lte=5), name="rating_one_to_five")]
        indexes = [models.Index(fields=["course", "-created_at"], name="rating_newest")]

    def __str__(self) -> str:
        return f"{self.stars} for {self.course_id}"


class Bookmark(models.Model):
    """A course that a user has saved for later."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bookmarks")
    course = models.ForeignKey(Course, models.CASCADE, related_name="bookmarks")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "course"], name="one_ribbon_per_course")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.course_id}"
