"""Reads of files: storage used, videos, uploads, captions."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.files import policies
from apps.files.counts import BIN, HELD, KINDS, LOOSE, ORIGINAL_IN_BIN, STORED, VIDEO, Count, counts_and_allowance
from apps.files.models import CaptionTrack, FileKind, Upload, VideoAsset
from apps.files.storage import free_space
from apps.files.video.cue_text import plain_text
from apps.files.video.webvtt import parse_cues
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce


def has_free_space() -> bool:
    """Whether the disk has free space for uploads and video processing, beyond the reserve."""
    return free_space(Path(settings.UPLOAD_ROOT)) > 0


@dataclass(frozen=True)
class Storage:
    """A user's storage in bytes by what it is used for, and the quota. The parts add up to ``used``.

    ``originals``: of videos. ``kinds``: contents of the library by kind. ``loose``: other files, such as those of
    lessons. ``held``: reserved for uploads. ``binned_originals``, ``binned_files``: what no file outside the bin has.
    """

    originals: int
    kinds: Mapping[FileKind, int]
    loose: int
    held: int
    binned_originals: int
    binned_files: int
    allowance: int

    @property
    def videos(self) -> int:
        """Originals of videos, with those in the bin."""
        return self.originals + self.binned_originals

    @property
    def files(self) -> int:
        """Other files, with those in the bin."""
        return sum(self.kinds.values()) + self.loose + self.binned_files

    @property
    def bin(self) -> int:
        """What emptying the bin frees at most: contents that something else uses, such as a lesson, stay."""
        return self.binned_originals + self.binned_files

    @property
    def used(self) -> int:
        return self.videos + self.files + self.held

    @property
    def free(self) -> int:
        return max(0, self.allowance - self.used)

    @property
    def warning(self) -> int:
        """The highest of ``STORAGE_WARNINGS`` (percent) that the storage used has reached; 0 for none."""
        return warning_at(self.used, self.allowance)


def warning_at(used: int, allowance: int) -> int:
    """The highest of ``STORAGE_WARNINGS`` that ``used`` has reached; 0 for none."""
    return max((each for each in settings.STORAGE_WARNINGS if used * 100 >= each * allowance), default=0)


def storage_of(user: User) -> Storage:
    """A user's storage used and quota. Uploaded files count; the renditions of videos do not.

    Originals in the bin count, and while a video is replaced, both its former and its new contents. One query:
    between two, an upload could turn into a video and be counted in neither.
    """
    counts, allowance = counts_and_allowance(user.pk, STORED)
    return storage_from(counts, allowance=allowance if allowance is not None else allowance_of_role(user))


def storage_from(counts: Mapping[str, Count], *, allowance: int) -> Storage:
    """The storage that these counts of `STORED` describe."""
    sizes = {key: counts[key].bytes if key in counts else 0 for key in STORED}
    return Storage(
        originals=sizes[VIDEO],
        kinds={kind: sizes[key] for kind, key in KINDS.items()},
        loose=sizes[LOOSE],
        held=sizes[HELD],
        binned_originals=sizes[ORIGINAL_IN_BIN],
        binned_files=sizes[BIN],
        allowance=allowance,
    )


def allowance_of_role(user: User) -> int:
    """How many bytes a user of this role may store, if no admin set anything else."""
    allowance: int = settings.STORAGE_ALLOWANCE[user.role]
    return allowance


def videos_of(user_id: int) -> QuerySet[VideoAsset]:
    """A user's videos, newest first, with what their cards show. Four queries."""
    return with_details(VideoAsset.objects.of(user_id)).order_by("-created_at", "-pk")


def with_details(videos: QuerySet[VideoAsset]) -> QuerySet[VideoAsset]:
    """Prefetch renditions, captions (without their text) and the unfinished upload."""
    return videos.defer("facts").prefetch_related(
        "renditions",
        Prefetch("captions", CaptionTrack.objects.defer("webvtt")),
        Prefetch("uploads", Upload.objects.open(), to_attr="open_uploads"),
    )


def video_for(user: AnyUser, uid: uuid.UUID) -> VideoAsset:
    """The video, if the user may see its processing.

    :raises NotFound: it does not exist, or the user may not see it.
    """
    video = with_details(VideoAsset.objects.filter(uid=uid)).first()
    if video is None:
        raise NotFound
    enforce(policies.see_video(user, video))
    return video


def stored_files(user_id: int) -> QuerySet[Upload]:
    """A user's complete files, newest first."""
    return (
        Upload.objects.of(user_id)
        .filter(purpose=Upload.Purpose.FILE, completed_at__isnull=False)
        .order_by("-completed_at", "-pk")
    )


def complete_file(uid: uuid.UUID) -> Upload:
    """A complete file, for a request with a signed link on the content host.

    :raises NotFound: it does not exist any longer.
    """
    found = Upload.objects.filter(uid=uid, purpose=Upload.Purpose.FILE, completed_at__isnull=False).first()
    if found is None:
        raise NotFound
    return found


def upload_for(user: AnyUser, uid: uuid.UUID) -> Upload:
    """The upload, if the user owns it.

    :raises NotFound: it does not exist, or belongs to another user.
    """
    upload = Upload.objects.select_related("video").filter(uid=uid).first()
    if upload is None:
        raise NotFound
    enforce(policies.continue_upload(user, upload))
    return upload


def notice_of(video: VideoAsset) -> str:
    """A notice for the owner of a video that has not failed: why processing waits, why a replacement was not used, what
    could not be decoded. Empty if there is none."""
    sentences = []
    if video.step == VideoAsset.SCANNING:
        sentences.append(_("The file is being checked for viruses. Processing will start automatically afterwards."))
    if video.step == VideoAsset.WAITING_FOR_SPACE:
        sentences.append(
            _("The server is out of disk space. Processing will continue automatically when there is enough.")
        )
    if video.replacement_failure:
        reason = _(video.replacement_failure)
        sentences.append(_("The new file wasn't used. %(reason)s This video is unchanged.") % {"reason": reason})
    lost_picture = _("About %(time)s of the picture (%(share)s) couldn't be read. Those moments may look distorted.")
    lost_sound = _(
        "About %(time)s of the sound (%(share)s) couldn't be read. Those moments may be silent or distorted."
    )
    for lost, sentence in ((video.picture_lost, lost_picture), (video.sound_lost, lost_sound)):
        if lost > 0 and video.duration > 0:
            sentences.append(sentence % {"time": _length(lost), "share": _share(lost / video.duration)})
    if video.picture_lost or video.sound_lost:
        sentences.append(_("If that is a problem, export the video again and upload it once more."))
    if video.pictured_captions:
        sentences.append(
            ngettext(
                "%(num)d caption track of the file consists of pictures, which can't become text. Add a caption file.",
                "%(num)d caption tracks of the file consist of pictures, which can't become text. Add caption files.",
                video.pictured_captions,
            )
            % {"num": video.pictured_captions}
        )
    return " ".join(sentences)


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
    """A cue as plain text on one line, with its start and end in seconds."""

    start: float
    end: float
    text: str


@lru_cache(maxsize=256)
def caption_chapters(webvtt: str) -> tuple[tuple[float, str], ...]:
    """Second and title of the chapters that comments of a caption track name, in their order."""
    if "NOTE Chapter:" not in webvtt:
        return ()
    return tuple((cue.begin, cue.chapter) for cue in parse_cues(webvtt) if cue.chapter)


def caption_lines(webvtt: str) -> list[tuple[float, str]]:
    """Begin in seconds and lines of the cues of a caption track, as plain text."""
    return [(cue.begin, plain_lines(cue.text)) for cue in parse_cues(webvtt)]


def plain_lines(text: str) -> str:
    """The lines of WebVTT cue text, without markup."""
    return "\n".join(plain_text(line) for line in text.split("\n"))


@lru_cache(maxsize=256)
def caption_cues(webvtt: str) -> tuple[CaptionCue, ...]:
    """The cues of a caption track's WebVTT, in their order, without markup."""
    cues = ((cue, plain_text(cue.text)) for cue in parse_cues(webvtt))
    return tuple(CaptionCue(cue.begin, cue.end, text) for cue, text in cues if text)
