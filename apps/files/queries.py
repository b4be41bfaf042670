"""What is asked about files: whose room is taken by what, which videos and uploads there are."""

import uuid
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db.models import F, Prefetch, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.files import policies
from apps.files.models import CaptionTrack, Upload, VideoAsset
from apps.files.storage import free_space
from apps.files.video.webvtt import parse_cues, plain_text
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce


def has_free_space() -> bool:
    """Return whether uploads and encodes find free space on the disk beyond the reserve."""
    return free_space(Path(settings.UPLOAD_ROOT)) > 0


@dataclass(frozen=True)
class Storage:
    """An owner's room, in bytes. ``held`` is reserved for uploads on their way."""

    videos: int
    files: int
    held: int
    allowance: int

    @property
    def used(self) -> int:
        return self.videos + self.files + self.held

    @property
    def free(self) -> int:
        return max(0, self.allowance - self.used)


def storage_of(user: User) -> Storage:
    """How much room a person has and what takes it. What was uploaded counts; what we make of it does not.

    While a video is replaced, its former contents count beside the new ones: both are kept.
    """
    both = Sum(F("source_bytes") + F("former_bytes"))
    videos = VideoAsset.objects.of(user.pk).aggregate(total=both)["total"] or 0
    held = Upload.objects.of(user.pk).open().aggregate(total=Sum("length"))["total"] or 0
    files = stored_files(user.pk).aggregate(total=Sum("length"))["total"] or 0
    return Storage(videos=videos, files=files, held=held, allowance=settings.STORAGE_ALLOWANCE[user.role])


def videos_of(user_id: int) -> QuerySet[VideoAsset]:
    """An owner's videos, newest first, with all that their cards show. Four queries however many."""
    return shown(VideoAsset.objects.of(user_id)).order_by("-created_at", "-pk")


def shown(videos: QuerySet[VideoAsset]) -> QuerySet[VideoAsset]:
    """The videos with renditions, captions (without their words) and the upload on its way."""
    return videos.defer("facts").prefetch_related(
        "renditions",
        Prefetch("captions", CaptionTrack.objects.defer("webvtt")),
        Prefetch("uploads", Upload.objects.open(), to_attr="open_uploads"),
    )


def video_for(user: policies.Person, uid: uuid.UUID) -> VideoAsset:
    """The video, if the person may see its processing.

    :raises NotFound: there is none, or it is somebody else's.
    """
    video = shown(VideoAsset.objects.filter(uid=uid)).first()
    if video is None:
        raise NotFound
    enforce(policies.see_video(user, video))
    return video


def stored_files(user_id: int) -> QuerySet[Upload]:
    """A person's files that have arrived whole, newest first."""
    return (
        Upload.objects.of(user_id)
        .filter(purpose=Upload.Purpose.FILE, completed_at__isnull=False)
        .order_by("-completed_at", "-pk")
    )


def complete_file(uid: uuid.UUID) -> Upload:
    """A file that has arrived whole, for whoever holds its address.

    :raises NotFound: there is none any more.
    """
    found = Upload.objects.filter(uid=uid, purpose=Upload.Purpose.FILE, completed_at__isnull=False).first()
    if found is None:
        raise NotFound
    return found


def upload_for(user: policies.Person, uid: uuid.UUID) -> Upload:
    """The upload, if it is the person's own.

    :raises NotFound: there is none, or it is somebody else's.
    """
    upload = Upload.objects.select_related("video").filter(uid=uid).first()
    if upload is None:
        raise NotFound
    enforce(policies.continue_upload(user, upload))
    return upload


def notice_of(video: VideoAsset) -> str:
    """What an owner should know of a video that has not failed: why nothing moves, what could not be read, which new
    contents were not taken. Empty if there is nothing to say."""
    said = []
    if video.step == VideoAsset.WAITING_FOR_SPACE:
        said.append(_("The server is out of disk space. Processing will continue automatically when there is enough."))
    if video.replacement_failure:
        reason = _(video.replacement_failure)
        said.append(_("The new file was not used. %(reason)s This video is unchanged.") % {"reason": reason})
    lost_picture = _("About %(time)s of the picture (%(share)s) could not be read. Those moments may look distorted.")
    lost_sound = _(
        "About %(time)s of the sound (%(share)s) could not be read. Those moments may be silent or distorted."
    )
    for lost, sentence in ((video.picture_lost, lost_picture), (video.sound_lost, lost_sound)):
        if lost > 0 and video.duration > 0:
            said.append(sentence % {"time": _length(lost), "share": _share(lost / video.duration)})
    if video.picture_lost or video.sound_lost:
        said.append(_("If that is a problem, export the video again and upload it once more."))
    return " ".join(said)


def _length(seconds: float) -> str:
    if seconds < 90:
        number = max(1, round(seconds))
        return ngettext("%(num)d second", "%(num)d seconds", number) % {"num": number}
    number = round(seconds / 60)
    return ngettext("%(num)d minute", "%(num)d minutes", number) % {"num": number}


def _share(part: float) -> str:
    return f"{100 * part:.0f}%" if part >= 0.01 else _("less than 1%")


@dataclass(frozen=True, slots=True)
class CaptionCue:
    """Words spoken from one second of a video to another, as plain text on one line."""

    start: float
    end: float
    text: str


@lru_cache(maxsize=256)
def caption_cues(webvtt: str) -> tuple[CaptionCue, ...]:
    """Return the cues of a caption track's WebVTT, in their order, without markup."""
    cues = ((cue, plain_text(cue.text)) for cue in parse_cues(webvtt))
    return tuple(CaptionCue(cue.begin, cue.end, text) for cue, text in cues if text)
