"""The versions of a published course, and what is known of the next one while it is written."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from apps.courses.models.outline_change import UNDO_PERIOD

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
    def can_be_taken_back(self) -> bool:
        """Whether it is a correction, and not one that took another back: that one is made again as a new one."""
        return self.is_correction and self.restored_from_id is None

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


class DiscardedVersion(models.Model):
    """A next version that was discarded. For `UNDO_PERIOD` it can be brought back as it was."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(
        Course, models.CASCADE, related_name="discarded_versions", help_text="Never a working copy."
    )
    number = models.PositiveIntegerField(help_text="Which version it would have become.")
    tree = models.JSONField(help_text="Its contents (content_tree).")
    base = models.JSONField(help_text="That of its draft.")
    choices = models.JSONField(default=dict, help_text="What its authors chose for learners, by the draft's columns.")
    restored_from = models.ForeignKey(CourseVersion, models.SET_NULL, null=True, related_name="+")
    discarded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    discarded_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.course_id} {self.number}"

    @property
    def kept_until(self) -> datetime:
        return self.discarded_at + UNDO_PERIOD


class KeptContent(models.Model):
    """A file that a stored or a discarded version names: it isn't deleted before, and counts for its owner until then.

    Lessons, texts and the picture of the course may have others by now.
    """

    version = models.ForeignKey(CourseVersion, models.CASCADE, null=True, related_name="kept_contents")
    discarded = models.ForeignKey(DiscardedVersion, models.CASCADE, null=True, related_name="kept_contents")
    upload = models.ForeignKey("files.Upload", models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(version=None, discarded__isnull=False) | Q(version__isnull=False, discarded=None),
                name="kept_content_is_of_one_version",
            ),
            models.UniqueConstraint(fields=["version", "upload"], name="one_kept_content_per_version"),
            models.UniqueConstraint(fields=["discarded", "upload"], name="one_kept_content_per_discarded"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id or self.discarded_id} {self.upload_id}"
