"""Who last changed a field of a course or lesson in the studio, and when."""

from django.conf import settings
from django.db import models

from apps.courses.models.course import Course


class FieldEdit(models.Model):
    """The last change of one field that was saved by itself (docs/adr/0059-the-studio-saves-fields.md)."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="field_edits")
    target = models.UUIDField(help_text="The uid of the course or of its lesson.")
    field = models.CharField(max_length=40)
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    edited_at = models.DateTimeField()
    version = models.CharField(max_length=16, blank=True, help_text="Of the value that was saved.")
    client = models.CharField(max_length=40, blank=True, help_text="Names the browser's tab that sent it.")

    class Meta:
        indexes = [models.Index(fields=["course", "edited_at"], name="field_edits_by_time")]
        constraints = [models.UniqueConstraint(fields=["target", "field"], name="one_edit_per_field")]

    def __str__(self) -> str:
        return f"{self.target} {self.field}"
