"""Uploads: resumable transfers, and the contents they leave."""

import uuid
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class UploadQuerySet(models.QuerySet["Upload"]):
    def open(self) -> Self:
        return self.filter(completed_at=None)

    def reserving(self) -> Self:
        """Those that reserve storage: unfinished uploads, and partial uploads that are not part of a final one."""
        return self.filter(Q(completed_at=None) | Q(purpose=Upload.Purpose.PARTIAL), part_of=None)

    def of(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)


class Upload(models.Model):
    """A resumable upload (tus 1.0). Its length counts against the owner's allowance from the start.

    A *final* upload has no bytes of its own: it is concatenated from *partial* uploads, its ``parts``.
    """

    class Purpose(models.TextChoices):
        VIDEO = "video"
        FILE = "file"
        PARTIAL = "partial"

    class Scan(models.TextChoices):
        """What the virus scan says. None: it was turned off when the upload completed."""

        NONE = "", _("Not scanned")
        PENDING = "pending", _("Waiting for the virus scan")
        CLEAN = "clean", _("Clean")
        INFECTED = "infected", _("Infected")
        TOO_LARGE = "too_large", _("Too large to scan")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="uploads")
    purpose = models.CharField(max_length=8, choices=Purpose.choices)
    video = models.ForeignKey("VideoAsset", models.CASCADE, null=True, related_name="uploads")
    filename = models.CharField(max_length=255)
    length = models.PositiveBigIntegerField()
    offset = models.PositiveBigIntegerField(default=0)
    target = models.CharField(max_length=64, blank=True, help_text="What it is for, e.g. a lesson's uid.")
    metadata = models.TextField(blank=True, help_text="The Upload-Metadata header, as the client sent it.")
    concat = models.TextField(
        blank=True, help_text="The Upload-Concat header of a final upload, as the client sent it."
    )
    part_of = models.ForeignKey("self", models.CASCADE, null=True, related_name="parts")
    part_number = models.PositiveSmallIntegerField(null=True, help_text="From 0, within the final upload.")
    stored_as = models.CharField(max_length=255, blank=True, help_text="A kept file's place in storage.")
    media_type = models.CharField(max_length=60, blank=True, help_text="What its bytes are, once others get it.")
    sha256 = models.CharField(
        max_length=64, blank=True, editable=False, help_text="Of its bytes, in hex; once they are in storage."
    )
    # Triggers keep these three (apps/files/counts.py).
    in_files = models.PositiveIntegerField(
        default=0, editable=False, help_text="How many versions of files outside the bin have these contents."
    )
    in_bin = models.PositiveIntegerField(
        default=0, editable=False, help_text="How many versions of files in the bin have these contents."
    )
    library_kind = models.CharField(max_length=10, editable=False, blank=True, help_text="The kind of these files.")
    scan = models.CharField(max_length=9, choices=Scan.choices, blank=True, default=Scan.NONE)
    threat = models.CharField(max_length=120, blank=True, help_text="What the virus scan found.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)

    objects = UploadQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("length")), name="upload_offset_within_length"),
            models.UniqueConstraint(fields=["video"], condition=Q(completed_at=None), name="one_open_upload_per_video"),
            models.UniqueConstraint(fields=["part_of", "part_number"], name="one_part_per_place"),
        ]
        indexes = [
            models.Index(fields=["expires_at"], condition=Q(completed_at=None), name="upload_open_expiry"),
            models.Index(fields=["owner"], condition=Q(purpose="partial", part_of=None), name="upload_partial"),
            models.Index(fields=["owner", "-length", "-id"], name="upload_by_size"),
            models.Index(fields=["scan"], condition=Q(scan__in=["pending", "infected"]), name="upload_scan"),
        ]

    def __str__(self) -> str:
        return f"{self.filename} {self.offset}/{self.length}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save all fields but those that triggers keep: the ones of this object may be outdated."""
        if not self._state.adding and kwargs.get("update_fields") is None:
            names = {field.name for field in self._meta.concrete_fields if not field.primary_key}
            kwargs["update_fields"] = names - {"in_files", "in_bin", "library_kind"}
        super().save(*args, **kwargs)

    def is_expired(self, now: datetime) -> bool:
        """Whether it was not finished, or as a partial upload not used, in time."""
        return self.is_reserving and self.expires_at <= now

    @property
    def is_reserving(self) -> bool:
        """Whether `UploadQuerySet.reserving` contains it."""
        is_partial = self.purpose == self.Purpose.PARTIAL
        return self.part_of_id is None and (self.completed_at is None or is_partial)

    @property
    def can_expire(self) -> bool:
        """Whether it is deleted when its time is over."""
        return self.completed_at is None or self.is_for_target or self.purpose == self.Purpose.PARTIAL

    @property
    def is_for_target(self) -> bool:
        """Whether this file was uploaded for a target, such as a lesson."""
        return self.purpose == self.Purpose.FILE and bool(self.target)
