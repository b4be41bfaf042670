"""Files that lessons offer for download."""

import uuid

from django.db import models

from apps.courses.models.file import CourseFile
from apps.courses.models.outline import Lesson


class LessonDownload(models.Model):
    """A file of the course that a lesson of any kind offers beside its content."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    lesson = models.ForeignKey(Lesson, models.CASCADE, related_name="downloads")
    file = models.ForeignKey(CourseFile, models.RESTRICT, related_name="downloads")
    name = models.CharField(max_length=255, help_text="The name under which learners get it.")
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["lesson", "position"], name="one_download_per_position"),
            models.UniqueConstraint(fields=["lesson", "file"], name="one_download_per_file"),
        ]

    def __str__(self) -> str:
        return self.name
