"""Captions that a model writes or translates for an author, and what has come of it so far."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.files.models.videos import VideoAsset


class AutomaticCaptions(models.Model):
    """What an author has asked for. Nobody but authors sees the result before it is published as captions.

    Speech is heard in pieces, texts are translated in batches: ``pieces`` are [begin, end] in seconds, or positions of
    texts; ``results`` has for each what came back, null before that. A killed worker repeats one piece at most.
    """

    class Kind(models.TextChoices):
        SPEECH = "speech", _("Automatic captions")
        TRANSLATION = "translation", _("Translated captions")

    class State(models.TextChoices):
        WAITING = "waiting", _("In progress")
        DONE = "done", _("Complete")
        FAILED = "failed", _("Failed")
        CANCELED = "canceled", _("Canceled")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    video = models.ForeignKey(VideoAsset, models.CASCADE, related_name="automatic_captions")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    language = models.CharField(max_length=12, blank=True, help_text="BCP 47; empty until it is recognized.")
    source_language = models.CharField(max_length=12, blank=True, help_text="BCP 47, of what is translated.")
    directory = models.CharField(max_length=120, help_text="The contents of the video that are heard.")
    texts = models.JSONField(default=list, help_text="What is translated.")
    pieces = models.JSONField(default=list)
    results = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    failure = models.CharField(max_length=20, blank=True)
    failed_tries = models.PositiveSmallIntegerField(default=0, help_text="In a row.")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["video", "kind", "language"],
                condition=Q(state="waiting"),
                name="one_open_request_for_captions",
            )
        ]
        indexes = [models.Index(fields=["video", "-created_at"], name="automatic_captions_of_video")]

    def __str__(self) -> str:
        return f"{self.video_id} {self.kind} {self.language} {self.state}"

    @property
    def percent(self) -> int:
        """How much of it is done."""
        if self.state == self.State.DONE:
            return 100
        done = sum(result is not None for result in self.results)
        return min(99, 100 * done // len(self.pieces)) if self.pieces else 0
