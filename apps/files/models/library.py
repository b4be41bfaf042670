"""The library: each user's folders and files, and their versions.

The contents of a file are complete uploads. Copies, versions and lessons refer to an upload by protected keys, so no
content is stored twice, and none disappears while something refers to it.
"""

import uuid
from typing import Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.files.models.uploads import Upload

MAX_NAME = 120  # characters, as in apps.files.file_types.clean_name


class FileKind(models.TextChoices):
    IMAGE = "image", _("Image")
    PDF = "pdf", _("PDF")
    AUDIO = "audio", _("Audio")
    VIDEO = "video", _("Video")
    TEXT = "text", _("Text")
    DOCUMENT = "document", _("Document")
    SHEET = "sheet", _("Sheet")
    SLIDES = "slides", _("Slides")
    ARCHIVE = "archive", _("Archive")
    OTHER = "other", _("File")


E = TypeVar("E", bound="Entry")


class LibraryQuerySet(models.QuerySet[E]):
    def of(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)

    def present(self) -> Self:
        """Those that are not in the bin."""
        return self.filter(deleted_at=None)

    def binned(self) -> Self:
        """Those that the user moved to the bin, without the contents of folders in the bin."""
        return self.filter(deleted_at__isnull=False, binned_with=None)


class Entry(models.Model):
    """A folder or a file: has a name within a folder, and can be in the bin."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=MAX_NAME)
    sort_name = models.CharField(
        max_length=2 * MAX_NAME, editable=False, help_text="The name without case; unique within a folder."
    )
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, help_text="When it was moved to the bin.")
    binned_with = models.ForeignKey(
        "files.Folder",
        models.CASCADE,
        null=True,
        related_name="+",
        help_text="The folder with which it was moved to the bin.",
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


def _unique_name(model: str, folder: str) -> list[models.BaseConstraint]:
    """One name per folder outside the bin. Two constraints, because null differs from null in SQL."""
    present = Q(deleted_at=None)
    return [
        models.UniqueConstraint(
            fields=[folder, "sort_name"], condition=present & Q(**{f"{folder}__isnull": False}), name=f"{model}_name"
        ),
        models.UniqueConstraint(
            fields=["owner", "sort_name"], condition=present & Q(**{folder: None}), name=f"{model}_name_at_top"
        ),
    ]


_PRESENT = Q(deleted_at=None)
_INSIDE = Q(deleted_at=None, folder__isnull=False)
_AT_TOP = Q(deleted_at=None, folder=None)
_BINNED = Q(deleted_at__isnull=False, binned_with=None)


class Folder(Entry):
    """A folder of a user's library. ``parent`` null: at the top."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="folders")
    parent = models.ForeignKey("self", models.CASCADE, null=True, related_name="children")

    objects = LibraryQuerySet["Folder"].as_manager()

    class Meta:
        constraints = [
            *_unique_name("folder", "parent"),
            models.CheckConstraint(condition=~Q(parent=F("id")), name="folder_not_in_itself"),
        ]
        indexes = [
            models.Index(fields=["owner", "deleted_at"], name="folder_bin"),
            models.Index(fields=["owner", "-deleted_at", "-id"], condition=_BINNED, name="folder_bin_by_time"),
        ]


class File(Entry):
    """A file of a user's library; ``current`` is its newest content, ``folder`` null: at the top."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="library_files")
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, related_name="files")
    current = models.ForeignKey(Upload, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=FileKind.choices, default=FileKind.OTHER)
    media_type = models.CharField(max_length=60, blank=True, help_text="From its bytes.")
    size = models.PositiveBigIntegerField(help_text="Bytes of the current version.")
    thumbnail = models.CharField(max_length=120, blank=True, help_text="Where its thumbnail is stored.")
    modified_at = models.DateTimeField()

    objects = LibraryQuerySet["File"].as_manager()

    class Meta:
        constraints = _unique_name("file", "folder")
        indexes = [
            # In each order of the pages, with the key that makes it unambiguous: a page is the next rows of an index.
            # PostgreSQL does not see that rows with a folder of null are in the order of the columns after it.
            models.Index(fields=["owner", "folder", "sort_name", "id"], condition=_INSIDE, name="file_in_by_name"),
            models.Index(fields=["owner", "folder", "-modified_at", "-id"], condition=_INSIDE, name="file_in_by_time"),
            models.Index(fields=["owner", "folder", "-size", "-id"], condition=_INSIDE, name="file_in_by_size"),
            models.Index(
                fields=["owner", "folder", "kind", "sort_name", "id"], condition=_INSIDE, name="file_in_by_kind"
            ),
            models.Index(fields=["owner", "sort_name", "id"], condition=_AT_TOP, name="file_top_by_name"),
            models.Index(fields=["owner", "-modified_at", "-id"], condition=_AT_TOP, name="file_top_by_time"),
            models.Index(fields=["owner", "-size", "-id"], condition=_AT_TOP, name="file_top_by_size"),
            models.Index(fields=["owner", "kind", "sort_name", "id"], condition=_AT_TOP, name="file_top_by_kind"),
            # A search for a common word ends after its first 1,000 results.
            models.Index(fields=["owner", "-modified_at", "-id"], condition=_PRESENT, name="file_found_by_time"),
            models.Index(fields=["owner", "-deleted_at", "-id"], condition=_BINNED, name="file_bin_by_time"),
            models.Index(fields=["owner", "deleted_at"], condition=Q(deleted_at__isnull=False), name="file_bin"),
        ]


class FileVersion(models.Model):
    """One content of a file. Number 1 is the oldest."""

    file = models.ForeignKey(File, models.CASCADE, related_name="versions")
    upload = models.ForeignKey(Upload, models.PROTECT, related_name="file_versions")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "number"], name="one_version_per_number")]

    def __str__(self) -> str:
        return f"{self.file_id} v{self.number}"
