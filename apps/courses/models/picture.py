"""The picture that an instructor uploaded for a course."""

from django.db import models
from django.db.models import Q

from apps.courses.models.course import Course
from studyplatform.kit.names import NameField

WIDTHS = (320, 640, 1280)  # pixels of its renditions; a smaller crop has its own width as the largest
PICTURES_PATH = "/course-pictures/"
PICTURES_FOLDER = "course-pictures"


class CoursePicture(models.Model):
    """A course's picture, which is shown in place of its artwork.

    The uploaded file is kept, so that it can be cropped again. What pages show are renditions of the crop, stored under
    a key that is new for every change.
    """

    course = models.OneToOneField(Course, models.CASCADE, related_name="picture")
    upload = models.ForeignKey("files.Upload", models.PROTECT, related_name="+")
    alt = NameField(max_length=200, blank=True, help_text="What it shows, for people who can't see it.")
    x = models.FloatField(default=0.5, help_text="Where the crop lies between the left edge (0) and the right one (1).")
    y = models.FloatField(default=0.5, help_text="Where the crop lies between the top (0) and the bottom (1).")
    zoom = models.FloatField(default=1, help_text="1: the largest crop of 16:9 that the picture contains.")
    key = models.CharField(
        max_length=24,
        db_index=True,
        help_text="The first part of its files' names. A working copy shares the files of the published course.",
    )
    width = models.PositiveIntegerField(help_text="Pixels of the largest rendition.")
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(x__gte=0, x__lte=1, y__gte=0, y__lte=1, zoom__gte=1), name="course_picture_crop_is_inside"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.course}: {self.alt or self.key}"

    @property
    def widths(self) -> list[int]:
        """The widths of its renditions in pixels, ascending."""
        return [width for width in WIDTHS if width < self.width] + [self.width]

    def address_of(self, width: int) -> str:
        """The address of a rendition, without the host."""
        return f"{PICTURES_PATH}{self.key}-{width}.webp"

    @property
    def whole_address(self) -> str:
        """The address of the whole picture, for cropping."""
        return f"{PICTURES_PATH}{self.key}-whole.webp"

    @property
    def share_address(self) -> str:
        """The address of the JPEG that other sites show beside a link to the course."""
        return f"{PICTURES_PATH}{self.key}-share.jpg"

    @property
    def file_names(self) -> list[str]:
        """The names of all its files in storage."""
        kinds = [f"{width}.webp" for width in self.widths] + ["whole.webp", "share.jpg"]
        return [f"{PICTURES_FOLDER}/{self.key}-{kind}" for kind in kinds]
