"""The days on which learners learned, and the achievements that they earned."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Lesson


class LearnedDay(models.Model):
    """What a learner learned on one day of their own calendar (see ``activity.learned_days``).

    The day is decided when the learning is recorded, in the time zone that the learner has then. Another time zone
    later changes no day.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="learned_days")
    day = models.DateField()
    seconds = models.PositiveIntegerField(default=0)
    lessons = models.PositiveIntegerField(default=0, help_text="Completed on this day.")
    late_seconds = models.PositiveIntegerField(default=0, help_text="Of the seconds, those after 10 PM.")
    early_seconds = models.PositiveIntegerField(default=0, help_text="Of the seconds, those before 7 AM.")
    is_only_reported = models.BooleanField(
        default=False, help_text="Known only from a device that was offline: nothing reached the site on the day."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="one_row_per_learned_day")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.day}: {self.seconds}s, {self.lessons} lessons"


class Achievement(models.Model):
    """What a learner has achieved. It is earned once and never lost."""

    class Kind(models.TextChoices):
        THREE_DAYS = "three_days", _("Three days in a row")
        SEVEN_DAYS = "seven_days", _("A full week")
        FIVE_LESSONS = "five_lessons", _("Five in a day")
        LATE = "late", _("After 10 PM")
        EARLY = "early", _("Before 7 AM")
        PERFECT_SCORE = "perfect_score", _("Perfect score")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="achievements")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    earned_at = models.DateTimeField()
    day = models.DateField(help_text="Of the learner's own calendar.")
    lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="+", help_text="Of a perfect score.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="each_achievement_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}"
