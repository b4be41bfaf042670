"""Exceptions from the rules of quizzes that the staff of a course grants to a learner (docs/adr/0071)."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Quiz
from apps.learning.models.enrollment import Enrollment
from apps.learning.models.quiz import Attempt

MAX_EXCEPTION_MINUTES = 1_440  # a day
MAX_EXTRA_PERCENT = 400
MAX_EXTRA_ATTEMPTS = 20  # of one grant
MAX_EXTRA_ATTEMPTS_TOGETHER = 100  # of one learner at one quiz
MAX_REASON_LENGTH = 500  # code points


class LearnerExceptionQuerySet(models.QuerySet["LearnerException"]):
    def in_force(self) -> Self:
        """Those that still change something: not ended, and of reopened attempts those not continued yet."""
        return self.filter(ended_at=None, used_at=None)

    def at_quiz(self, quiz_id: int) -> Self:
        """Those that count for a quiz: its own, and those for the whole course."""
        return self.filter(Q(quiz=quiz_id) | Q(quiz=None))


class LearnerException(models.Model):
    """Extra time, extra attempts or a reopened attempt of one learner. It is ended, not deleted.

    time      ``minutes``, ``percent`` or ``is_unlimited``; ``quiz`` is null for all quizzes of the course
    attempts  ``count`` more attempts at the quiz
    reopened  ``attempt`` may be continued once, for ``minutes`` or ``is_unlimited``; ``used_at``: when it was
    """

    class Kind(models.TextChoices):
        TIME = "time", _("Extra time")
        ATTEMPTS = "attempts", _("Extra attempts")
        REOPENED = "reopened", _("Reopened attempt")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    act = models.UUIDField(
        default=uuid.uuid4, help_text="Of the form: what was granted to many at once, and is granted only once."
    )
    kind = models.CharField(max_length=8, choices=Kind.choices)
    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="exceptions")
    quiz = models.ForeignKey(Quiz, models.CASCADE, null=True, related_name="exceptions", help_text="Null: all.")
    attempt = models.ForeignKey(Attempt, models.CASCADE, null=True, related_name="exceptions")
    minutes = models.PositiveSmallIntegerField(default=0)
    percent = models.PositiveSmallIntegerField(default=0, help_text="Of the quiz's time, on top of it.")
    is_unlimited = models.BooleanField(default=False)
    count = models.PositiveSmallIntegerField(default=0)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, help_text="For staff.")
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    granted_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    objects = LearnerExceptionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["act", "enrollment"], name="exception_granted_once"),
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(ended_at=None, used_at=None), name="attempt_reopened_once"
            ),
            models.CheckConstraint(
                name="exception_is_of_one_kind",
                condition=Q(kind="attempts", quiz__isnull=False, attempt=None, count__gte=1)
                & Q(minutes=0, percent=0, is_unlimited=False)
                | Q(kind="time", attempt=None, count=0)
                & (
                    Q(minutes__gte=1, percent=0, is_unlimited=False)
                    | Q(minutes=0, percent__gte=1, is_unlimited=False)
                    | Q(minutes=0, percent=0, is_unlimited=True)
                )
                | Q(kind="reopened", quiz__isnull=False, attempt__isnull=False, count=0, percent=0)
                & (Q(minutes__gte=1, is_unlimited=False) | Q(minutes=0, is_unlimited=True)),
            ),
            models.CheckConstraint(condition=Q(used_at=None) | Q(kind="reopened"), name="only_reopened_is_used"),
        ]
        indexes = [
            models.Index(
                fields=["enrollment", "quiz"], condition=Q(ended_at=None, used_at=None), name="exceptions_in_force"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of enrollment {self.enrollment_id}"
