"""The files of a course: what its texts show and link (docs/content.md)."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from apps.courses.models.outline import Lesson
from studyplatform.kit.text.content import COURSE_FILES

RENDITION_WIDTHS = (480, 960, 1600)  # pixels; a smaller picture has its own width as the largest
RENDITIONS_FOLDER = "course-files"


class CourseFile(models.Model):
    """A picture or another file that texts of a course show or link by its address.

    ``uid`` is that of the upload, so that a text keeps its addresses when it is copied to another course: that course
    has a row of its own for the same upload then.
    """

    uid = models.UUIDField(default=uuid.uuid4, editable=False, db_index=True)
    course = models.ForeignKey(Course, models.CASCADE, related_name="files")
    upload = models.ForeignKey("files.Upload", models.PROTECT, related_name="+")
    name = models.CharField(max_length=255)
    media_type = models.CharField(max_length=60)
    width = models.PositiveIntegerField(null=True, help_text="Pixels of a picture that pages show, upright.")
    height = models.PositiveIntegerField(null=True)
    rendition_width = models.PositiveIntegerField(
        default=0, help_text="Pixels of the largest rendition that is made of the picture; 0: none is made."
    )
    is_rendered = models.BooleanField(default=False, help_text="Whether its renditions are stored.")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()
    unused_since = models.DateTimeField(null=True, help_text="Since when no text uses it; kept every night.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "uid"], name="one_course_file_per_upload"),
            models.CheckConstraint(
                condition=Q(width=None, height=None, rendition_width=0) | Q(width__gte=1, height__gte=1),
                name="course_file_has_both_sides",
            ),
        ]
        indexes = [models.Index(fields=["course", "-added_at", "-id"], name="course_file_by_time")]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        """The address that texts use, without the host."""
        return f"{COURSE_FILES}{self.uid}"

    @property
    def is_picture(self) -> bool:
        """Whether pages show it as a picture."""
        return self.width is not None

    @property
    def widths(self) -> list[int]:
        """The widths of its renditions in pixels, ascending."""
        return widths_up_to(self.rendition_width)


def widths_up_to(largest: int) -> list[int]:
    """Return the widths of the renditions of which the largest has so many pixels; none for 0."""
    return [width for width in RENDITION_WIDTHS if width < largest] + ([largest] if largest else [])


def rendition_name(uid: uuid.UUID, width: int) -> str:
    """Return the name of a rendition in storage."""
    return f"{RENDITIONS_FOLDER}/{uid.hex}-{width}.webp"


class CourseFileUse(models.Model):
    """A place whose texts show or link a file.

    A use that ended is kept as long as the file: open attempts and submitted ones still show what they asked.
    """

    class Place(models.TextChoices):
        COURSE = "course", _("Course page")
        LESSON = "lesson", _("Lesson")

    file = models.ForeignKey(CourseFile, models.CASCADE, related_name="uses")
    place = models.CharField(max_length=6, choices=Place.choices)
    lesson = models.ForeignKey(
        Lesson, models.CASCADE, null=True, related_name="file_uses", help_text="With its quiz, if it has one."
    )
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(place="lesson", lesson__isnull=False) | Q(place="course", lesson=None),
                name="course_file_use_has_place",
            ),
            models.UniqueConstraint(
                fields=["file", "lesson"], condition=Q(lesson__isnull=False), name="one_file_use_per_lesson"
            ),
            models.UniqueConstraint(fields=["file"], condition=Q(lesson=None), name="one_file_use_on_course_page"),
        ]

    def __str__(self) -> str:
        return f"{self.file_id} in {self.lesson_id or self.place}"
