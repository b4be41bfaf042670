"""Uploads, videos, their renditions and captions."""

import uuid
from datetime import datetime
from typing import Self

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
        indexes = [models.Index(fields=["expires_at"], condition=Q(completed_at=None), name="upload_open_expiry")]

    def __str__(self) -> str:
        return f"{self.filename} {self.offset}/{self.length}"

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


class VideoAssetQuerySet(models.QuerySet["VideoAsset"]):
    def of(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)

    def unfinished(self) -> Self:
        return self.exclude(stage__in=[VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED])


class VideoAsset(models.Model):
    """A video and the state of its processing. ``directory`` holds its published files.

    While it is replaced, ``former`` holds its state before the replacement (services/replacement.py): it remains
    playable, and is restored if the new contents fail.
    """

    class Stage(models.TextChoices):
        UPLOADING = "uploading", _("Uploading")
        QUEUED = "queued", _("Queued")
        ANALYZING = "analyzing", _("Analyzing and thumbnails")
        AUDIO = "audio", _("Audio and captions")
        FINALIZING = "finalizing", _("Finalizing")
        COMPLETE = "complete", _("Complete")
        FAILED = "failed", _("Failed")

    class Failure(models.TextChoices):
        UPLOAD = "upload_failed", _("Upload failed")
        PROCESSING = "processing_failed", _("Processing failed")
        CORRUPT = "corrupt_file", _("Corrupt file")
        QUOTA = "quota_exceeded", _("Storage quota exceeded")

    WAITING_FOR_SPACE = "no_room"  # the step of a video whose processing waits for free disk space

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="videos")
    filename = models.CharField(max_length=255)
    version = models.UUIDField(
        null=True, editable=False, help_text="The upload that is the present original; names its files and folders."
    )
    source = models.CharField(max_length=255, blank=True, help_text="Where the original lies in storage.")
    source_bytes = models.PositiveBigIntegerField(default=0)
    stored_bytes = models.PositiveBigIntegerField(default=0, help_text="All renditions, stills and captions.")
    former = models.JSONField(null=True, help_text="What a video was before its replacement, until that is proven.")
    former_bytes = models.PositiveBigIntegerField(default=0, help_text="The former original, while both are kept.")
    replacement_failure = models.CharField(max_length=300, blank=True, help_text="Why the last one was not taken.")
    stage = models.CharField(max_length=12, choices=Stage.choices, default=Stage.QUEUED)
    step = models.CharField(max_length=12, blank=True, help_text="What is done within the stage.")
    percent = models.PositiveSmallIntegerField(default=0, help_text="Of the present stage.")
    failure = models.CharField(max_length=20, choices=Failure.choices, blank=True)
    failure_detail = models.CharField(max_length=300, blank=True)
    is_playable = models.BooleanField(default=False, help_text="At least one rendition can be watched.")
    duration = models.FloatField(default=0, help_text="Seconds.")
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    has_audio = models.BooleanField(default=False)
    picture_lost = models.FloatField(default=0, help_text="Seconds of the picture that could not be read.")
    sound_lost = models.FloatField(default=0, help_text="Seconds of the sound that could not be read.")
    facts = models.JSONField(default=dict, help_text="What the probe found.")
    directory = models.CharField(max_length=120, blank=True)
    poster = models.CharField(max_length=200, blank=True)
    storyboard = models.CharField(max_length=200, blank=True, help_text="WebVTT that points into the sprite.")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(auto_now=True)
    completed_at = models.DateTimeField(null=True)

    objects = VideoAssetQuerySet.as_manager()

    class Meta:
        verbose_name = _("video")
        constraints = [
            models.CheckConstraint(condition=Q(percent__lte=100), name="video_percent_range"),
            models.CheckConstraint(
                condition=Q(stage="failed", failure__gt="") | (~Q(stage="failed") & Q(failure="")),
                name="video_failure_has_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["owner", "-created_at"], name="video_of_owner")]

    def __str__(self) -> str:
        return f"{self.filename} {self.stage}"

    @property
    def is_complete(self) -> bool:
        return self.stage == self.Stage.COMPLETE


class Rendition(models.Model):
    """One quality of a video: 1080p, 720p, 480p or audio."""

    video = models.ForeignKey(VideoAsset, models.CASCADE, related_name="renditions")
    name = models.CharField(max_length=8)
    playlist = models.CharField(max_length=200)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    bandwidth = models.PositiveIntegerField(help_text="Peak bits per second.")
    average_bandwidth = models.PositiveIntegerField(default=0)
    codecs = models.CharField(max_length=64)
    frame_rate = models.FloatField(default=0)
    stored_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["video", "name"], name="one_rendition_per_name")]

    def __str__(self) -> str:
        return f"{self.video_id} {self.name}"


class CaptionTrack(models.Model):
    """Captions of a video as WebVTT text; the transcript is drawn from them."""

    class Origin(models.TextChoices):
        UPLOADED = "uploaded"
        EMBEDDED = "embedded"
        AUTOMATIC = "automatic"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    video = models.ForeignKey(VideoAsset, models.CASCADE, related_name="captions")
    language = models.CharField(max_length=12, default="en", help_text="BCP 47.")
    label = models.CharField(max_length=60)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.UPLOADED)
    webvtt = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["video", "language"], name="one_caption_track_per_language")]

    def __str__(self) -> str:
        return f"{self.video_id} {self.language}"
