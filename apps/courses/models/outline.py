"""Sections and lessons of a course."""

import uuid
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.external_video import MAX_ADDRESS_LENGTH, Host
from apps.courses.models.course import Course
from apps.courses.models.live import LiveManager, Removable, Versioned
from apps.files.models import Upload, VideoAsset
from studyplatform.kit.names import NameField


class Section(Versioned, Removable):
    """A part of a course. Of a removed one all lessons are removed."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="sections")
    title = NameField(max_length=120)
    position = models.PositiveSmallIntegerField()

    objects = LiveManager()
    with_removed = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course", "position"], condition=Q(removed_at=None), name="one_section_per_position"
            ),
            models.UniqueConstraint(fields=["course", "origin"], name="one_section_per_origin"),
        ]

    def __str__(self) -> str:
        return self.title


class Lesson(Versioned, Removable):
    """A video, a text, a quiz or a file to download. ``position`` counts within the section."""

    class Kind(models.TextChoices):
        VIDEO = "video", _("Video")
        TEXT = "text", _("Text")
        QUIZ = "quiz", _("Quiz")
        FILE = "file", _("File")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="lessons")
    section = models.ForeignKey(Section, models.CASCADE, related_name="lessons")
    slug = models.SlugField(max_length=80)
    title = NameField(max_length=120)
    kind = models.CharField(max_length=6, choices=Kind.choices)
    position = models.PositiveSmallIntegerField()
    number = models.CharField(max_length=8, blank=True, help_text='As shown, e.g. "2.4"; kept by services.')
    summary = NameField(max_length=220, blank=True)
    duration = models.PositiveIntegerField(default=0, help_text="Seconds: of the video, or the time reading takes.")
    is_preview = models.BooleanField(default=False, help_text="Open to everyone.")
    is_optional = models.BooleanField(default=False, help_text="Doesn't count for completing the course.")
    opens_at = models.DateTimeField(null=True, blank=True, help_text="Learners can't open it before.")
    opens_after_days = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Days after enrollment; learners can't open it before."
    )
    body = models.TextField(blank=True, help_text="Markdown: a text lesson, or what stands beside a video.")
    video = models.ForeignKey(VideoAsset, models.SET_NULL, null=True, blank=True, related_name="lessons")
    external_video = models.CharField(
        max_length=MAX_ADDRESS_LENGTH,
        blank=True,
        help_text="The address of a video that another host shows, in its canonical spelling; instead of ``video``.",
    )
    external_host = models.CharField(
        max_length=7, choices=Host.choices, blank=True, help_text="Who plays the external video; kept by services."
    )
    chapters = models.JSONField(
        default=list, blank=True, help_text="Of the video: [start in seconds, title] pairs, ascending."
    )
    file = models.ForeignKey(
        Upload,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="lessons",
        help_text="What a file lesson hands out. While it does, the upload cannot be deleted.",
    )
    file_name = models.CharField(
        max_length=255, blank=True, help_text="The name under which learners get it; empty: that of the upload."
    )
    since_version = models.PositiveIntegerField(
        default=1, editable=False, help_text="The version of the course that brought it."
    )
    prerequisites = models.ManyToManyField(
        "self",
        symmetrical=False,
        blank=True,
        related_name="needed_by",
        help_text="Lessons of the same course that must be complete first; services keep out circles.",
    )

    objects = LiveManager()
    with_removed = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course", "slug"], condition=Q(removed_at=None), name="one_lesson_per_slug"
            ),
            models.UniqueConstraint(
                fields=["section", "position"], condition=Q(removed_at=None), name="one_lesson_per_position"
            ),
            models.UniqueConstraint(fields=["course", "origin"], name="one_lesson_per_origin"),
            models.CheckConstraint(
                condition=Q(opens_at=None) | Q(opens_after_days=None), name="lesson_opens_in_one_way"
            ),
            models.CheckConstraint(
                condition=Q(external_video="", external_host="")
                | (Q(kind="video", video=None) & ~Q(external_video="") & ~Q(external_host="")),
                name="one_video_per_lesson",
            ),
        ]
        indexes = [models.Index(fields=["course", "section", "position"], name="lesson_order")]

    def __str__(self) -> str:
        return self.title

    def chapters_within(self, duration: float) -> list[dict[str, Any]]:
        """Return the chapters, as ``start`` and ``title``, that begin before the end: a new video may be shorter."""
        return [{"start": start, "title": title} for start, title in self.chapters if start < duration]

    @property
    def shown_file_name(self) -> str:
        """The name under which learners get the file; empty if there is none."""
        return self.file_name or self.file.filename if self.file is not None else ""
