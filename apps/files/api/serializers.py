"""Shapes of uploads and videos."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.accounts.guards import SessionKey
from apps.files import policies, queries
from apps.files.models import Rendition, Upload, VideoAsset
from apps.files.services import MAX_CAPTION_BYTES, sign_link
from apps.files.video.cues import ENCODINGS, FINDING_KINDS
from apps.files.video.pipeline import overall_progress
from apps.files.video.steps import STEPS

# What happens in each step, as the instructor reads it.
DOING = {
    "analyze": _("Reading video and audio"),
    "poster": _("Choosing a thumbnail"),
    "levels": _("Listening to the audio"),
    "sound": _("Preparing the audio"),
    "captions": _("Looking for captions in the file"),
    "first": _("Preparing the original for playback"),
    "ladder": _("Converting to every quality"),
    "storyboard": _("Making previews for the timeline"),
    "finish": _("Finishing up"),
    VideoAsset.SCANNING: _("Checking the file for viruses"),
    VideoAsset.WAITING_FOR_SPACE: _("Waiting for disk space on the server"),
}


class StorageOut(serializers.Serializer[object]):
    videos = serializers.IntegerField(help_text="Bytes.")
    files = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Reserved for uploads on their way.")
    used = serializers.IntegerField()
    free = serializers.IntegerField()
    allowance = serializers.IntegerField()


class UploadOut(serializers.ModelSerializer[Upload]):
    class Meta:
        model = Upload
        fields = ["uid", "purpose", "filename", "length", "offset", "target", "expires_at", "created_at"]
        read_only_fields = fields


class RenditionOut(serializers.ModelSerializer[Rendition]):
    class Meta:
        model = Rendition
        fields = ["name", "width", "height", "bandwidth", "average_bandwidth", "codecs", "frame_rate", "stored_bytes"]
        read_only_fields = fields


class CaptionTrackOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    language = serializers.CharField(help_text="BCP 47.")
    label = serializers.CharField()  # type: ignore[assignment]
    origin = serializers.CharField()


class FindingOut(serializers.Serializer[object]):
    """Something in a caption file that was left out, repaired or moved."""

    line = serializers.IntegerField(help_text="Counted from 1; 0 if it concerns the whole file.")
    kind = serializers.ChoiceField(choices=FINDING_KINDS)
    text = serializers.CharField(help_text="What stands in the line.")


class CaptionCueOut(serializers.Serializer[object]):
    begin = serializers.FloatField(help_text="Seconds.")
    end = serializers.FloatField(help_text="Seconds.")
    text = serializers.CharField(help_text="WebVTT cue text.")


class CaptionReportOut(serializers.Serializer[object]):
    """How a caption file was read."""

    format = serializers.CharField(help_text="webvtt, srt, sbv, ass, ttml, lrc, mpl2 or microdvd.")
    encoding = serializers.CharField()
    is_guess = serializers.BooleanField(help_text="Whether the encoding has to be confirmed before it is used.")
    findings = FindingOut(many=True, help_text="The first 200.")
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Findings of each kind.")


class CaptionPreviewOut(CaptionReportOut):
    cues = CaptionCueOut(many=True, help_text="The first 100.")
    encodings = serializers.ListField(child=serializers.CharField(), help_text="The names that `encoding` may have.")


class CaptionsAddedOut(CaptionTrackOut):
    report = CaptionReportOut()


class CaptionUrl(serializers.Serializer[object]):
    language = serializers.CharField(help_text="BCP 47.")
    label = serializers.CharField()  # type: ignore[assignment]
    url = serializers.CharField()


class VideoSources(serializers.Serializer[object]):
    master = serializers.CharField()
    audio = serializers.CharField(allow_null=True)
    poster = serializers.CharField(allow_null=True)
    storyboard = serializers.CharField(allow_null=True)
    captions = CaptionUrl(many=True)
    expires_at = serializers.DateTimeField()


class SoundOut(serializers.Serializer[object]):
    """The sound of a video as its captions editor shows it. Times in seconds."""

    state = serializers.ChoiceField(
        choices=["ready", "preparing", "missing", "none"],
        help_text="preparing: ask again later; missing: it was never measured; none: the video has no sound.",
    )
    rate = serializers.IntegerField(help_text="Peaks per second; 0 unless the state is ready.")
    peaks = serializers.CharField(help_text="Base64 of a byte per peak: 0 for silence, 255 for the loudest.")
    silences = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2),
        help_text="Begin and end of each pause.",
    )
    cues = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2),
        help_text="Begin and end of suggested cues, cut where the speaker pauses.",
    )
    duration = serializers.FloatField()
    loudness = serializers.FloatField(allow_null=True, help_text="Of the original, in LUFS; null for silence.")
    can_transcribe = serializers.BooleanField(help_text="Whether a model can write captions on this site.")
    can_translate = serializers.BooleanField(help_text="Whether a model can translate captions on this site.")
    gain = serializers.FloatField(help_text="Decibels by which the sound was made louder.")


class VideoAbilities(serializers.Serializer[object]):
    edit = serializers.BooleanField()
    retry = serializers.BooleanField()


class VideoOut(serializers.Serializer[object]):
    """A video as its owner sees it. The socket /ws/videos/ sends the same shape."""

    uid = serializers.UUIDField()
    filename = serializers.CharField()
    stage = serializers.ChoiceField(choices=VideoAsset.Stage.choices)
    stage_label = serializers.CharField()
    doing = serializers.CharField(help_text="What happens within the stage; empty when nothing does.")
    percent = serializers.IntegerField(help_text="Of the present stage, 0 to 100.")
    overall_percent = serializers.IntegerField(help_text="Of the processing, from queued to complete.")
    failure = serializers.ChoiceField(choices=VideoAsset.Failure.choices, allow_blank=True)
    failure_label = serializers.CharField()
    failure_detail = serializers.CharField()
    notice = serializers.CharField(help_text="What its owner should know besides, in sentences; empty: nothing.")
    is_playable = serializers.BooleanField()
    duration = serializers.FloatField(help_text="Seconds; 0 until it is known.")
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    has_audio = serializers.BooleanField()
    source_bytes = serializers.IntegerField()
    stored_bytes = serializers.IntegerField()
    renditions = RenditionOut(many=True)
    captions = CaptionTrackOut(many=True)
    upload = UploadOut(allow_null=True, help_text="The upload on its way, if there is one.")
    sources = VideoSources(allow_null=True, help_text="Signed addresses; null until something can be watched.")
    abilities = VideoAbilities()
    bin_days = serializers.IntegerField(help_text="Days its original stays in the bin once it is deleted; 0: not kept.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    completed_at = serializers.DateTimeField(allow_null=True)


OWN_FIELDS = (
    "uid", "filename", "stage", "percent", "failure", "failure_detail", "is_playable", "duration", "width", "height",
    "has_audio", "source_bytes", "stored_bytes", "created_at", "updated_at", "completed_at",
)  # fmt: skip


def video_out(video: VideoAsset, user: Any, *, now: datetime, session_key: SessionKey) -> dict[str, Any]:
    """Represent a video that came from `queries.shown`, in the session ``session_key``. No further queries."""
    open_uploads: list[Upload] = video.open_uploads  # type: ignore[attr-defined]
    tracks = list(video.captions.all())
    sources = sign_link(video=video, now=now, audience=session_key, captions=tracks)
    facts = {name: getattr(video, name) for name in OWN_FIELDS}
    shape = VideoOut(
        facts
        | {
            "stage_label": video.get_stage_display(),
            "doing": str(DOING.get(video.step, "")),
            "overall_percent": overall_percent(video),
            "failure_label": video.failure_label,
            "notice": queries.notice_of(video),
            "renditions": sorted(video.renditions.all(), key=lambda each: (-each.width * each.height, each.name)),
            "captions": tracks,
            "upload": open_uploads[0] if open_uploads else None,
            "sources": sources,
            "abilities": policies.video_abilities(user, video),
            "bin_days": settings.BIN_DAYS if video.source else 0,
        }
    )
    return dict(shape.data)


def overall_percent(video: VideoAsset) -> int:
    """How far a video is on its whole way through the processing."""
    if video.stage == VideoAsset.Stage.COMPLETE:
        return 100
    stages = [step for step in STEPS if step.stage == video.stage]
    if not stages:
        return 0
    before, after = overall_progress(stages[0], 0), overall_progress(stages[-1], 1)
    return min(99, int(100 * (before + (after - before) * video.percent / 100)))


class CoverIn(serializers.Serializer[object]):
    at = serializers.FloatField(allow_null=True, help_text="Second of the frame; null: the one that was found.")


class CaptionsIn(serializers.Serializer[object]):
    language = serializers.CharField(max_length=12)
    label = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")  # type: ignore[assignment]
    text = serializers.CharField(
        max_length=MAX_CAPTION_BYTES,
        trim_whitespace=False,
        required=False,
        help_text="The file as text; or send `file`.",
    )
    file = serializers.FileField(required=False, help_text="The file itself, in any format and encoding that is read.")
    encoding = serializers.ChoiceField(
        choices=ENCODINGS, required=False, default="", help_text="Of `file`; without it, it is recognized."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("text" in attrs) == ("file" in attrs):
            raise serializers.ValidationError({"text": _("Send either a text or a file.")})
        return attrs


def bytes_of_captions(sent: dict[str, Any]) -> bytes:
    """The bytes of validated `CaptionsIn`; of a file, one more than is allowed at most."""
    return bytes(sent["file"].read(MAX_CAPTION_BYTES + 1) if "file" in sent else sent["text"].encode())


def encoding_of_captions(sent: dict[str, Any]) -> str:
    """The encoding of validated `CaptionsIn`, if the caller named it; text is UTF-8."""
    return str(sent["encoding"]) if "file" in sent else "utf-8"


def report_out(
    form: str, encoding: str, findings: list[list[Any]], counts: dict[str, int], *, is_guess: bool
) -> dict[str, Any]:
    """Represent how a caption file was read, as `CaptionReportOut`."""
    lines = [{"line": line, "kind": kind, "text": text} for line, kind, text in findings]
    return {"format": form, "encoding": encoding, "is_guess": is_guess, "findings": lines, "counts": counts}
