"""Captions of a video: uploaded as WebVTT or SRT."""

import contextlib
import re
from datetime import datetime

from django.db import transaction
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.video import cues
from apps.files.video.cues import UnreadableCaptions, read_apart
from studyplatform.kit.concurrency import Turns
from studyplatform.kit.policies import enforce

MOST_CAPTION_BYTES = cues.MOST_BYTES
LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$")
_reading = Turns(2)  # each is a process that may take 150 MB for a few seconds


def add_captions(*, video: VideoAsset, by: User, raw: bytes, language: str, label: str, now: datetime) -> CaptionTrack:
    """Give a video captions in one language, in place of those it had in that language.

    :raises CaptionsUnreadable: neither WebVTT nor SRT, or no language.
    """
    enforce(policies.edit_video(by, video))
    words = read_captions(raw)
    return keep_captions(video=video, by=by, words=words, language=language, label=label, now=now)


def read_captions(raw: bytes) -> str:
    """Clean WebVTT of a file. It may take seconds, so ask for it before a transaction, not in one.

    :raises CaptionsUnreadable: neither WebVTT nor SRT.
    :raises RateLimitExceeded: too many files are being read at this moment.
    """
    try:
        with _reading.turn():
            return read_apart(raw)
    except UnreadableCaptions:
        raise errors.CaptionsUnreadable from None


def keep_captions(*, video: VideoAsset, by: User, words: str, language: str, label: str, now: datetime) -> CaptionTrack:
    """:func:`add_captions` with what :func:`read_captions` made of the file.

    :raises CaptionsUnreadable: this is no language.
    """
    enforce(policies.edit_video(by, video))
    if not LANGUAGE.match(language):
        raise errors.CaptionsUnreadable
    with transaction.atomic():
        CaptionTrack.objects.filter(video=video, language__iexact=language).delete()
        return CaptionTrack.objects.create(
            video=video,
            language=language,
            label=label or language_name(language),
            origin=CaptionTrack.Origin.UPLOADED,
            webvtt=words,
            created_at=now,
        )


def language_name(tag: str) -> str:
    """What people call a language: "English" for "en" or "en-GB". A tag that nobody knows stays as it is."""
    if tag == "und":  # BCP 47: undetermined
        return _("Unknown language")
    for each in (tag, tag.partition("-")[0]):
        with contextlib.suppress(KeyError):
            return str(get_language_info(each.lower())["name"])
    return tag


def remove_captions(*, track: CaptionTrack, by: User) -> None:
    """Take captions away."""
    enforce(policies.edit_video(by, track.video))
    track.delete()
