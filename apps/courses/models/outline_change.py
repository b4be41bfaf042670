"""What was changed in the outlines of courses, so that it can be taken back."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course

UNDO_PERIOD = timedelta(days=30)
"""How long a change can be taken back, and what was removed is kept for it."""


class OutlineChange(models.Model):
    """One change of an outline, with what is needed to take it back.

    ``facts`` name rows by primary key:

    fields     [["lesson", 7, "title", "Before", "After"], …]; moments are in ISO 8601
    order      {"before": [[section, [lesson, …]], …], "after": …}, if the order or what is in it changed
    moved      {"sections": […], "lessons": […]}: what was put in another place; likewise ``removed`` and ``added``
    contents   {"7": "digest"}: what was in the lessons that were added
    titles     {"3": "Title"}: of the sections that were added
    batch      the action that added the lessons one by one, e.g. from files: its hex uid
    questions  [[question, quiz, position], …] that were removed
    """

    class Kind(models.TextChoices):
        ADD = "add", _("Added")
        MOVE = "move", _("Moved")
        REMOVE = "remove", _("Deleted")
        RENAME = "rename", _("Renamed")
        SETTINGS = "settings", _("Settings changed")
        DUPLICATE = "duplicate", _("Duplicated")
        QUESTION = "question", _("Question deleted")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="outline_changes")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    subject = models.CharField(max_length=120, blank=True, help_text="The title of what was changed, if it is one.")
    count = models.PositiveSmallIntegerField(default=1, help_text="How many sections and lessons were changed.")
    facts = models.JSONField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["course", "-made_at", "-id"], name="outline_change_by_time")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.kind} {self.subject}"
