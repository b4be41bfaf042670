"""Progress in lessons, and the time that learners spend."""

from django.conf import settings
from django.db import models

from apps.courses.models import Course, Lesson
from apps.learning.models.enrollment import Enrollment


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
    learned_until = models.DateTimeField(
        null=True, help_text="Time up to here has counted as learned: nobody reads and watches at once."
    )

    def __str__(self) -> str:
        return f"{self.user_id} until {self.counted_at:%Y-%m-%d %H:%M:%S}"


class WatchedDay(models.Model):
    """How long a learner watched videos of a course on one day (UTC), see ``activity.watched_time``.

    Premium is shared by ``seconds``; ``other_seconds`` count only for the figures of teams.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="watched_days")
    course = models.ForeignKey(Course, models.CASCADE, related_name="watched_days")
    day = models.DateField()
    seconds = models.PositiveIntegerField()
    other_seconds = models.PositiveIntegerField(default=0, help_text="Spent on texts and quizzes of the course.")

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
        # What never changes costs no save anything: roll-ups look for the lessons begun since a moment.
        indexes = [models.Index(fields=["started_at"], name="progress_by_start")]

    def __str__(self) -> str:
        return f"{self.enrollment_id}/{self.lesson_id} {self.watched_seconds}s"
