"""Videos, their renditions and captions."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.files.video.failures import SENTENCES, UNSUPPORTED
from studyplatform.kit.names import NameField


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

    SCANNING = "scanning"  # the step of a video that waits for the virus scan
    WAITING_FOR_SPACE = "no_room"  # the step of a video whose processing waits for free disk space

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="videos")
    filename = models.CharField(max_length=255)
    version = models.UUIDField(
        null=True, editable=False, help_text="The upload that is the present original; names its files and folders."
    )
    source = models.CharField(max_length=255, blank=True, help_text="Where the original lies in storage.")
    source_bytes = models.PositiveBigIntegerField(default=0)
    source_sha256 = models.CharField(max_length=64, blank=True, editable=False, help_text="Of the original, in hex.")
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
    pictured_captions = models.PositiveSmallIntegerField(
        default=0, help_text="Caption tracks of the file that are pictures, which can't become text."
    )
    facts = models.JSONField(default=dict, help_text="What the probe found.")
    directory = models.CharField(max_length=120, blank=True)
    poster = models.CharField(max_length=200, blank=True)
    cover_at = models.FloatField(null=True, help_text="Second of the frame that its author chose as the poster.")
    storyboard = models.CharField(max_length=200, blank=True, help_text="WebVTT that points into the sprite.")
    sound_levels = models.CharField(max_length=200, blank=True, help_text="Peaks, pauses and loudness of the sound.")
    loudness = models.FloatField(null=True, help_text="Of the original, in LUFS; empty: silent, or not measured.")
    loudness_gain = models.FloatField(default=0, help_text="Decibels by which its sound was made louder.")
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

    @property
    def is_settled(self) -> bool:
        """Whether the files that it plays stay as they are: nothing more is made of them."""
        return self.stage in {self.Stage.COMPLETE, self.Stage.FAILED} or self.former is not None

    @property
    def failure_label(self) -> str:
        """What is wrong with a video that failed, in a few words. A whole file in another format isn't corrupt."""
        if self.failure == self.Failure.CORRUPT and self.failure_detail in _UNSUPPORTED_SENTENCES:
            return gettext("Unsupported file")
        return str(self.get_failure_display()) if self.failure else ""


_UNSUPPORTED_SENTENCES = frozenset(SENTENCES[reason] for reason in UNSUPPORTED)


class BinnedOriginal(models.Model):
    """The original of a video that was replaced or deleted, in its owner's bin.

    The row takes over the stored file: no file is moved when an original goes to the bin or comes back.
    """

    class Why(models.TextChoices):
        REPLACED = "replaced", _("Original of a replaced video")
        DELETED = "deleted", _("Original of a deleted video")
        FAILED = "failed", _("Original that could not be processed")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="binned_originals")
    video = models.ForeignKey(
        VideoAsset, models.SET_NULL, null=True, related_name="binned_originals", help_text="The video it was made into."
    )
    why = models.CharField(max_length=8, choices=Why.choices)
    filename = models.CharField(max_length=255)
    source = models.CharField(max_length=255, unique=True, help_text="Its name in storage.")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, blank=True, editable=False, help_text="In hex.")
    duration = models.FloatField(default=0, help_text="Seconds.")
    deleted_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["owner", "-deleted_at"], name="original_bin")]

    def __str__(self) -> str:
        return f"{self.filename} {self.why}"


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
        EDITED = "edited"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    video = models.ForeignKey(VideoAsset, models.CASCADE, related_name="captions")
    language = models.CharField(max_length=12, default="en", help_text="BCP 47.")
    label = NameField(max_length=60)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.UPLOADED)
    webvtt = models.TextField()
    source_format = models.CharField(max_length=10, blank=True, help_text="Of the file, such as srt.")
    source_encoding = models.CharField(max_length=20, blank=True, help_text="Of the file, by Python's name.")
    findings = models.JSONField(
        default=list, blank=True, help_text="What was left out, repaired or moved: line, kind, text. The first ones."
    )
    finding_counts = models.JSONField(default=dict, blank=True, help_text="How many findings there are of each kind.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["video", "language"], name="one_caption_track_per_language")]

    def __str__(self) -> str:
        return f"{self.video_id} {self.language}"


class CaptionDraft(models.Model):
    """A caption file whose author has yet to confirm its encoding. It is deleted after a day."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    video = models.ForeignKey(VideoAsset, models.CASCADE, related_name="caption_drafts")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="caption_drafts")
    language = models.CharField(max_length=12, help_text="BCP 47.")
    filename = models.CharField(max_length=255)
    raw = models.BinaryField()
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["video", "owner", "language"], name="one_caption_draft_per_language")
        ]

    def __str__(self) -> str:
        return f"{self.video_id} {self.language}"
