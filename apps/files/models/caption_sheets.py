"""Captions as their authors edit them, until they are published."""

import uuid

from django.conf import settings
from django.db import models

from apps.files.models.videos import VideoAsset


class CaptionSheet(models.Model):
    """The cues of a video in one language, as authors edit them; publishing makes the track of them.

    ``revision`` grows with each change, and each cue knows the one that it comes from (``files.video.cue_sheets``).
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    video = models.ForeignKey(VideoAsset, models.CASCADE, related_name="caption_sheets")
    language = models.CharField(max_length=12, help_text="BCP 47.")
    cues = models.JSONField(default=list, help_text="Also those that were set aside or removed.")
    revision = models.PositiveIntegerField(default=0)
    base = models.CharField(max_length=16, blank=True, help_text="Digest of the published captions it comes from.")
    is_changed = models.BooleanField(default=False, help_text="Changed since it was published.")
    source_format = models.CharField(max_length=10, blank=True, help_text="Of the file it was imported from.")
    source_encoding = models.CharField(max_length=20, blank=True, help_text="Of that file, by Python's name.")
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    edited_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["video", "language"], name="one_caption_sheet_per_language")]

    def __str__(self) -> str:
        return f"{self.video_id} {self.language} {self.revision}"
