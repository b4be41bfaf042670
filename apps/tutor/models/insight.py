"""What instructors did about questions that the tutor did not answer."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course


class SettledQuestion(models.Model):
    """An unanswered question of a course that its instructor has dealt with. Of the question only a hash is kept."""

    class Outcome(models.TextChoices):
        DONE = "done", _("Done")
        DISMISSED = "dismissed", _("Dismissed")

    course = models.ForeignKey(Course, models.CASCADE, related_name="+")
    key = models.CharField(max_length=64, help_text="See insight.key_of.")
    outcome = models.CharField(max_length=9, choices=Outcome.choices)
    settled_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["course", "key"], name="one_outcome_per_question")]

    def __str__(self) -> str:
        return f"{self.course_id}: {self.outcome}"
