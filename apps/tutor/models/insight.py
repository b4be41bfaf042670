"""Questions that the tutor did not answer: what instructors did about them, and how many wait."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Course


class SettledQuestion(models.Model):
    """An unanswered question of a course that its instructor has dealt with. Of the question only a hash is kept."""

    class Outcome(models.TextChoices):
        OPEN = "", _("Open")
        ANSWERED = "answered", _("Answered in the forum")
        DONE = "done", _("Done")
        DISMISSED = "dismissed", _("Dismissed")

    course = models.ForeignKey(Course, models.CASCADE, related_name="+")
    key = models.CharField(max_length=64, help_text="See insight.key_of.")
    outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)
    topic = models.CharField(max_length=200, blank=True, help_text="Address of the topic that was opened about it.")
    settled_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["course", "key"], name="one_outcome_per_question")]

    def __str__(self) -> str:
        return f"{self.course_id}: {self.outcome}"


class TodoCount(models.Model):
    """How many unanswered questions of a course wait for its instructor, for the menu. A job counts them."""

    course = models.OneToOneField(Course, models.CASCADE, primary_key=True, related_name="+")
    count = models.PositiveIntegerField()
    counted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.course_id}: {self.count}"
