"""Attempts at quizzes, and the essays in them that people mark."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from apps.courses.models import Quiz
from apps.learning.models.enrollment import Enrollment


class Attempt(models.Model):
    """One open or submitted attempt at a quiz.

    The server scores it when it is submitted. While essays in it wait for marks, ``score`` and ``percent`` count what
    is marked so far, and it is not passed.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="attempts")
    quiz = models.ForeignKey(Quiz, models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    asked = models.JSONField(
        default=list,
        help_text="Its questions as drawn, with their answers: later edits of the quiz don't change them.",
    )
    answers = models.JSONField(default=dict, help_text="By question uid.")
    results = models.JSONField(
        default=list, help_text="Per question what was asked, answered and right: it outlives later edits of the quiz."
    )
    score = models.DecimalField(max_digits=7, decimal_places=2, default=0)
    points = models.PositiveIntegerField(default=0)
    percent = models.PositiveSmallIntegerField(default=0)
    is_passed = models.BooleanField(default=False)
    waiting = models.PositiveSmallIntegerField(default=0, help_text="How many of its essays have no mark yet.")
    pass_percent = models.PositiveSmallIntegerField(
        null=True,
        help_text="The pass mark as it was opened, or an easier one until it was submitted. Null: the quiz's.",
    )
    time_limit = models.PositiveIntegerField(
        null=True,
        help_text="Seconds, as it was opened or as extra time has raised it; 0: none. Null: that of the quiz.",
    )
    usual_time_limit = models.PositiveIntegerField(
        null=True, help_text="Seconds without extra time, as it was opened; 0: none. Null: ``time_limit``."
    )
    is_offline = models.BooleanField(
        default=False, help_text="Taken on a device without a connection, whose clock measured the time."
    )
    continues: "models.OneToOneField[Attempt | None, Attempt]" = models.OneToOneField(  # type: ignore[misc]
        "self",
        models.CASCADE,
        null=True,
        related_name="continued_by",
        help_text="The reopened attempt with whose questions and answers it began; it does not count as another one.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "quiz", "number"], name="one_attempt_per_number"),
            models.UniqueConstraint(
                fields=["enrollment", "quiz"], condition=Q(submitted_at=None), name="one_open_attempt"
            ),
        ]
        indexes = [models.Index(fields=["submitted_at"], name="attempts_by_submission")]

    def __str__(self) -> str:
        return f"#{self.number} {self.percent}%"


class EssayAnswer(models.Model):
    """An essay in a submitted attempt. Its text and its question are in the attempt, as ``question_uid``."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="essays")
    question_uid = models.UUIDField()
    place = models.PositiveSmallIntegerField(help_text="Of the question in the attempt, from 1.")
    points = models.PositiveSmallIntegerField(help_text="What it can earn.")
    submitted_at = models.DateTimeField()
    earned = models.DecimalField(max_digits=5, decimal_places=2, null=True, help_text="Null: it waits for a mark.")
    comment = models.TextField(blank=True)
    marked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    marked_at = models.DateTimeField(null=True)
    revision = models.PositiveSmallIntegerField(default=0, help_text="How often it was marked.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "question_uid"], name="one_essay_per_question"),
            models.CheckConstraint(
                condition=Q(earned__isnull=True) | Q(earned__gte=0, earned__lte=F("points")), name="essay_earned_range"
            ),
            models.CheckConstraint(
                condition=Q(earned__isnull=True, marked_at__isnull=True)
                | Q(earned__isnull=False, marked_at__isnull=False),
                name="essay_marked_or_waiting",
            ),
        ]
        indexes = [
            models.Index(fields=["submitted_at"], condition=Q(marked_at=None), name="essays_waiting"),
            models.Index(fields=["marked_at"], name="essays_marked"),
        ]

    def __str__(self) -> str:
        return f"Essay {self.place} of attempt {self.attempt_id}"


class EssayMark(models.Model):
    """One mark that was given to an essay, the latest or an earlier one. Never changed."""

    essay = models.ForeignKey(EssayAnswer, models.CASCADE, related_name="marks")
    revision = models.PositiveSmallIntegerField()
    earned = models.DecimalField(max_digits=5, decimal_places=2)
    comment = models.TextField(blank=True)
    marked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    marked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["essay", "revision"], name="one_mark_per_revision"),
        ]

    def __str__(self) -> str:
        return f"{self.earned} for essay {self.essay_id}"
