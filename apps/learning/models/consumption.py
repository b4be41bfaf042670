"""What a learner was handed out of lessons beside what their progress says: refunds depend on it."""

from django.db import models

from apps.courses.models import Lesson
from apps.learning.models.enrollment import Enrollment


class LessonUse(models.Model):
    """What a learner was handed out of one lesson, however they played, skipped or read it."""

    enrollment = models.ForeignKey(Enrollment, models.CASCADE, related_name="uses")
    lesson = models.ForeignKey(Lesson, models.CASCADE, related_name="uses")
    served = models.JSONField(default=list, help_text="Of its video, in whole seconds: merged [from, to) pairs.")
    is_whole = models.BooleanField(default=False, help_text="Its whole text or transcript was handed out.")
    files = models.JSONField(
        default=list, help_text="Of what it offers for download and links: the uids of the course files handed out."
    )
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["enrollment", "lesson"], name="one_use_per_lesson")]

    def __str__(self) -> str:
        return f"{self.enrollment_id}/{self.lesson_id}"
