"""What answers cost, and what instructors decide about the tutor of their course."""

from django.conf import settings
from django.db import models

from apps.courses.models import Course


class UsageDay(models.Model):
    """What a user asked about a course (or about all of them: null) on one day in UTC."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    course = models.ForeignKey(Course, models.CASCADE, null=True, related_name="+")
    day = models.DateField()
    questions = models.PositiveIntegerField(default=0, help_text="Asking for another answer counts too.")
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost_micros = models.PositiveBigIntegerField(default=0, help_text="Millionths of the currency of the prices.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "course", "day"], name="one_usage_per_user_course_and_day"),
            models.UniqueConstraint(
                fields=["user", "day"], condition=models.Q(course=None), name="one_usage_of_all_courses_per_day"
            ),
        ]
        indexes = [models.Index(fields=["day"], name="usage_by_day")]

    def __str__(self) -> str:
        return f"{self.day}: {self.questions} questions"


class CourseTutor(models.Model):
    """What the instructor decided about the tutor of a course. Without a row the defaults apply."""

    course = models.OneToOneField(Course, models.CASCADE, primary_key=True, related_name="+")
    is_enabled = models.BooleanField(default=True)
    demands_grounding = models.BooleanField(
        default=False, help_text="An answer of a model that no passage of the course supports is refused."
    )

    def __str__(self) -> str:
        return f"Tutor of {self.course_id}"
