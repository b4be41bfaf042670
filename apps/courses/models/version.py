"""The versions of a published course, and what is known of the next one while it is written."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course

MAX_NOTE_LENGTH = 280  # code points
KEPT_VERSIONS = 50
"""How many versions of a course keep their contents. Older ones keep only what the history shows of them."""


class Transition(models.TextChoices):
    """What a version means for learners who are partway through the course when it is published."""

    MOVE = "move", _("They move to the new version")
    FINISH = "finish", _("They finish the version that they began")
    CHOOSE = "choose", _("They choose")


class CourseVersion(models.Model):
    """What learners had of a course from a moment on. A small correction is "8.1": number 8, correction 1."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="versions", help_text="Never a working copy.")
    number = models.PositiveIntegerField()
    correction = models.PositiveIntegerField(default=0, help_text="0: a version; else the number of its correction.")
    tree = models.JSONField(null=True, help_text="The contents (content_tree); empty in versions of long ago.")
    note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="What changed, for learners.")
    counts = models.JSONField(default=dict, help_text='How many lessons changed, by kind: {"changed": 2, "added": 1}.')
    published_at = models.DateTimeField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text="Empty: no review was needed."
    )
    restored_from = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="+", help_text="The version whose contents it brought back."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "number", "correction"], name="one_course_version_per_number"),
        ]
        indexes = [models.Index(fields=["course", "-number", "-correction"], name="course_versions_newest_first")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.label}"

    @property
    def is_correction(self) -> bool:
        return self.correction > 0

    @property
    def label(self) -> str:
        """The number as pages show it: "8", or "8.1" for its first correction."""
        return f"{self.number}.{self.correction}" if self.correction else str(self.number)


class VersionDraft(models.Model):
    """What is known of the next version beside its contents: what it was begun from, and what its authors chose."""

    course = models.OneToOneField(Course, models.CASCADE, related_name="draft", help_text="The working copy.")
    number = models.PositiveIntegerField(help_text="Which version it becomes.")
    base = models.JSONField(help_text="The contents of the live course when it was begun, or taken over last.")
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    begun_at = models.DateTimeField()
    restored_from = models.ForeignKey(CourseVersion, models.SET_NULL, null=True, related_name="+")
    note = models.CharField(max_length=MAX_NOTE_LENGTH, blank=True, help_text="What changed, for learners.")
    is_announced = models.BooleanField(default=False, help_text="Learners are told when it is published.")
    transition = models.CharField(max_length=6, choices=Transition.choices, default=Transition.MOVE)
    gives_points = models.BooleanField(default=True, help_text="Answers that are right by now earn their points.")
    tells_passed = models.BooleanField(default=True, help_text="Those who pass a quiz by that are told.")
    watched_choices = models.JSONField(
        default=dict,
        help_text='What was watched of replaced videos: {lesson: {"video": name, "choice": "keep" or "restart"}}.',
    )

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(number__gte=2), name="draft_is_of_a_next_version")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.number}"
