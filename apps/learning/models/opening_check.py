"""What the last check of openings saw: up to when, and when the lessons with a schedule open."""

from django.db import models

from apps.courses.models import Lesson


class OpeningCheck(models.Model):
    """The one row says which openings the next check looks at: those after ``checked_until``."""

    ONLY_PK = 1

    checked_until = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_opening_check")]

    def __str__(self) -> str:
        return f"{self.checked_until:%Y-%m-%d %H:%M}"


class OpeningSchedule(models.Model):
    """When a lesson opens, as the last check saw it, so that the next one notices which lessons a change has opened.

    It has no moment and no days for a lesson that is open to everyone now.
    """

    lesson = models.OneToOneField(Lesson, models.CASCADE, related_name="opening_schedule")
    opens_at = models.DateTimeField(null=True)
    opens_after_days = models.PositiveIntegerField(null=True)
    former_opens_at = models.DateTimeField(null=True, help_text="Before the last change, likewise the days.")
    former_opens_after_days = models.PositiveIntegerField(null=True)
    seen_until = models.DateTimeField(null=True, help_text="When the former schedule was seen last.")
    changed_at = models.DateTimeField(null=True, help_text="When a check noticed the change.")
    hidden_since = models.DateTimeField(null=True, help_text="The course isn't public, or the lesson was removed.")

    def __str__(self) -> str:
        return f"{self.lesson_id} {self.opens_at or self.opens_after_days or 'open'}"
