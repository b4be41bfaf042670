"""Captions of a video, uploaded as WebVTT or SubRip (SRT)."""

import contextlib
import re
from datetime import datetime

from django.db import transaction
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.video import webvtt
from apps.files.video.webvtt import UnreadableCaptions, to_webvtt_in_subprocess
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.policies import enforce

MAX_CAPTION_BYTES = webvtt.MAX_BYTES
LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$")
_parsers = ConcurrencyLimit(2)  # each is a process that may need 150 MB for a few seconds


def add_captions(*, video: VideoAsset, by: User, raw: bytes, language: str, label: str, now: datetime) -> CaptionTrack:
    """Add captions in one language to a video; they replace earlier ones in that language.

    ``raw`` is a WebVTT or SRT file, ``language`` a BCP 47 tag; an empty ``label`` becomes the language's name.

    :raises CaptionsUnreadable: ``raw`` is neither WebVTT nor SRT, or ``language`` is no language tag.
    :raises RateLimitExceeded: too many files are being parsed at the moment.
    """
    enforce(policies.edit_video(by, video))
    return save_captions(video=video, by=by, text=parse_captions(raw), language=language, label=label, now=now)


def parse_captions(raw: bytes) -> str:
    """Convert a WebVTT or SRT file to clean WebVTT. This may take seconds: call it before a transaction, not in one.

    :raises CaptionsUnreadable: the file is neither WebVTT nor SRT.
    :raises RateLimitExceeded: too many files are being parsed at the moment.
    """
    try:
        with _parsers.slot():
            return to_webvtt_in_subprocess(raw)
    except UnreadableCaptions:
        raise errors.CaptionsUnreadable from None


def save_captions(*, video: VideoAsset, by: User, text: str, language: str, label: str, now: datetime) -> CaptionTrack:
    """Save captions whose file :func:`parse_captions` has converted; otherwise like :func:`add_captions`.

    :raises CaptionsUnreadable: ``language`` is no language tag.
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
            webvtt=text,
            created_at=now,
        )


def language_name(tag: str) -> str:
    """The name of a language: "English" for "en" or "en-GB". An unknown tag is returned unchanged."""
    if tag == "und":  # BCP 47: undetermined
        return _("Unknown language")
    for each in (tag, tag.partition("-")[0]):
        with contextlib.suppress(KeyError):
            return str(get_language_info(each.lower())["name"])
    return tag


def remove_captions(*, track: CaptionTrack, by: User) -> None:
    """Delete captions."""
    enforce(policies.edit_video(by, track.video))
    track.delete()
