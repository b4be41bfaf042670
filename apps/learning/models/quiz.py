"""Attempts at quizzes."""

import uuid

from django.db import models
from django.db.models import Q

from apps.courses.models import Quiz
from apps.learning.models.enrollment import Enrollment


class Attempt(models.Model):
    """One open or submitted attempt at a quiz. The server scores it, once."""

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

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "quiz", "number"], name="one_attempt_per_number"),
            models.UniqueConstraint(
                fields=["enrollment", "quiz"], condition=Q(submitted_at=None), name="one_open_attempt"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.percent}%"
