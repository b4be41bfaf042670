"""Captions of a video, uploaded as a file in any usual format and encoding."""

import contextlib
import re
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import global_settings
from django.db import transaction
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import CaptionDraft, CaptionTrack, VideoAsset
from apps.files.video.caption_reading import MAX_BYTES, CaptionReading, read_captions_in_subprocess
from apps.files.video.cue_text import plain_text
from apps.files.video.cues import FORMAT_NAMES, MAX_FINDING_LENGTH, MAX_FINDINGS, UnreadableCaptions
from studyplatform.kit import jobs
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

MAX_CAPTION_BYTES = MAX_BYTES
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}\Z")
MAX_TAG_LENGTH = 12  # characters
DRAFT_TTL = timedelta(days=1)
MAX_DRAFTS = 10  # of a user; the oldest go
_parsers = ConcurrencyLimit(2)  # each is a process that may need 150 MB for a few seconds


def read_captions(raw: bytes, *, language: str = "", encoding: str = "") -> CaptionReading:
    """Read a caption file. This may take seconds: call it before a transaction, not in one.

    :param language: the BCP 47 tag of what is said; it helps to recognize the encoding
    :param encoding: a key of ``caption_encodings``; without it, the encoding is recognized
    :raises CaptionsUnreadable: nothing in the file can be read as captions; the subclasses say why.
    :raises RateLimitExceeded: too many files are being parsed at the moment.
    """
    try:
        with _parsers.slot():
            return read_captions_in_subprocess(raw, language=language, encoding=encoding)
    except UnreadableCaptions as problem:
        raise _refusal(problem) from None


def _refusal(problem: UnreadableCaptions) -> errors.CaptionsUnreadable:
    if problem.reason in ("size", "cues", "time"):
        return errors.CaptionsTooLarge()
    if problem.reason == "format" and problem.format_name:
        return errors.CaptionFormatUnsupported(format=problem.format_name)
    if problem.reason == "damaged":
        return errors.CaptionsDamaged(format=problem.format_name)
    return errors.CaptionsUnreadable()


def add_captions(
    *, video: VideoAsset, by: User, raw: bytes, language: str, label: str, now: datetime, encoding: str = ""
) -> CaptionTrack:
    """Add captions in one language to a video; they replace earlier ones in that language.

    ``raw`` is a caption file, ``language`` a BCP 47 tag; an empty ``label`` becomes the language's name.

    :raises CaptionsUnreadable: nothing in ``raw`` can be read as captions, or ``language`` is no language tag.
    :raises CaptionEncodingUncertain: the encoding can only be guessed, and ``encoding`` doesn't name it.
    :raises RateLimitExceeded: too many files are being parsed at the moment.
    """
    enforce(policies.change_captions(by, video))
    reading = read_captions(raw, language=language, encoding=encoding)
    if reading.is_guess:
        raise errors.CaptionEncodingUncertain(encoding=reading.encoding)
    return save_captions(video=video, by=by, reading=reading, language=language, label=label, now=now)


def save_captions(
    *, video: VideoAsset, by: User, reading: CaptionReading, language: str, label: str, now: datetime
) -> CaptionTrack:
    """Save captions that :func:`read_captions` has read; otherwise like :func:`add_captions`.

    :raises CaptionsUnreadable: ``language`` is no language tag.
    """
    enforce(policies.change_captions(by, video))
    if not LANGUAGE.match(language):
        raise errors.CaptionsUnreadable
    with transaction.atomic():
        CaptionTrack.objects.filter(video=video, language__iexact=language).delete()
        return CaptionTrack.objects.create(
            video=video,
            language=language,
            label=label or language_name(language),
            origin=CaptionTrack.Origin.UPLOADED,
            webvtt=reading.webvtt,
            created_at=now,
            **report_fields(reading, video),
        )


def report_fields(reading: CaptionReading, video: VideoAsset) -> dict[str, object]:
    """The fields of a track that say how its file was read, and which captions are after the end of the video."""
    late = [cue for cue in reading.cues if cue.begin >= video.duration > 0]
    shown = late[: max(0, MAX_FINDINGS - len(reading.findings))]
    return {
        "source_format": reading.form,
        "source_encoding": reading.encoding,
        "findings": [
            *([each.line, each.kind, each.text] for each in reading.findings),
            *([0, "late", plain_text(cue.text)[:MAX_FINDING_LENGTH]] for cue in shown),
        ],
        "finding_counts": {**reading.counts, **({"late": len(late)} if late else {})},
    }


def keep_caption_draft(
    *, video: VideoAsset, by: User, raw: bytes, filename: str, language: str, now: datetime
) -> CaptionDraft:
    """Keep a caption file until its author has looked at it, a day at most."""
    enforce(policies.edit_video(by, video))
    with transaction.atomic():
        CaptionDraft.objects.filter(video=video, owner=by, language=language).delete()
        draft = CaptionDraft.objects.create(
            video=video, owner=by, raw=raw, filename=filename[-255:], language=language, created_at=now
        )
        newest = CaptionDraft.objects.filter(owner=by).order_by("-pk").values_list("pk", flat=True)[:MAX_DRAFTS]
        CaptionDraft.objects.filter(owner=by).exclude(pk__in=list(newest)).delete()
        jobs.enqueue("files.delete_caption_drafts", key=draft.uid.hex, delay=DRAFT_TTL + timedelta(seconds=1))
    return draft


def caption_draft(*, video: VideoAsset, by: User, uid: uuid.UUID, now: datetime) -> CaptionDraft:
    """Return a caption file that its author has not looked at yet.

    :raises NotFound: there is none for this video, or it is somebody else's or has expired.
    """
    draft = CaptionDraft.objects.filter(uid=uid, video=video, owner=by, created_at__gt=now - DRAFT_TTL).first()
    if draft is None:
        raise NotFound
    return draft


def discard_caption_draft(*, draft: CaptionDraft) -> None:
    """Delete a caption file whose author doesn't want to add it."""
    draft.delete()


def delete_expired_caption_drafts(*, now: datetime) -> int:
    """Delete the caption files that nobody looked at within a day; return how many."""
    return CaptionDraft.objects.filter(created_at__lte=now - DRAFT_TTL).delete()[0]


def caption_languages() -> list[tuple[str, str]]:
    """Tags and names of the languages that captions can be in, by name."""
    named = {tag: _(name) for tag, name in global_settings.LANGUAGES if "-" not in tag}
    named |= {"zh": _("Chinese"), "zh-Hans": _("Chinese (simplified)"), "zh-Hant": _("Chinese (traditional)")}
    return sorted(named.items(), key=lambda each: each[1])


def language_name(tag: str) -> str:
    """The name of a language: "English" for "en" or "en-GB". An unknown tag is returned unchanged."""
    if tag == "und":  # BCP 47: undetermined
        return _("Unknown language")
    for each in (tag, tag.partition("-")[0]):
        with contextlib.suppress(KeyError):
            return str(get_language_info(each.lower())["name"])
    return tag


def is_language(tag: str) -> bool:
    """Whether a text is a BCP 47 tag that captions can have."""
    return len(tag) <= MAX_TAG_LENGTH and LANGUAGE.match(tag) is not None


def remove_captions(*, track: CaptionTrack, by: User) -> None:
    """Delete captions."""
    enforce(policies.change_captions(by, track.video))
    track.delete()


@dataclass(frozen=True)
class CaptionReport:
    """What was changed to read a caption file, as sentences.

    ``lines``: line (0: the whole file), what was done, and what stands there. ``is_complete``: all of it is listed.
    """

    format: str
    encoding: str
    summary: list[str]
    lines: list[tuple[int, str, str]]
    is_complete: bool


def report_of_track(track: CaptionTrack) -> CaptionReport:
    """Describe how the file of a track was read."""
    return _report(track.source_format, track.source_encoding, track.findings, track.finding_counts)


def report_of_reading(reading: CaptionReading) -> CaptionReport:
    """Describe how a file was read that is not added yet."""
    findings = [[each.line, each.kind, each.text] for each in reading.findings]
    return _report(reading.form, reading.encoding, findings, reading.counts)


def _report(form: str, encoding: str, findings: list[list[Any]], counts: dict[str, int]) -> CaptionReport:
    names = finding_names()
    lines = [(line, names.get(kind, kind), text) for line, kind, text in findings]
    return CaptionReport(
        format=FORMAT_NAMES.get(form, form),
        encoding=caption_encodings().get(encoding, encoding),
        summary=[
            f"{names.get(kind, kind)}: {count}" for kind, count in sorted(counts.items(), key=lambda one: -one[1])
        ],
        lines=lines,
        is_complete=sum(counts.values()) <= len(lines),
    )


def finding_names() -> dict[str, str]:
    """What was done to a line, by the kind of the finding."""
    return {
        "character": _("Unreadable characters replaced"),
        "dropped": _("Text outside captions left out"),
        "empty": _("Caption without text left out"),
        "joined": _("Text after a blank line added to the caption before"),
        "separated": _("Missing blank line added"),
        "placed": _("Unusable time replaced"),
        "repaired": _("Time repaired"),
        "late": _("After the end of the video"),
        "moved": _("Sorted by time"),
        "formatting": _("Fonts, colors or position left out"),
        "comment": _("Comment left out"),
        "style": _("Styles left out"),
        "header": _("Header left out"),
        "identifier": _("Name of the caption left out"),
    }


def caption_encodings() -> dict[str, str]:
    """The names of the encodings that an author can choose, by Python's names (``encodings.ENCODINGS``)."""
    return {
        "utf-8": "Unicode (UTF-8)",
        "utf-8-twice": _("Unicode (UTF-8), encoded twice"),
        "utf-16-le": "Unicode (UTF-16 LE)",
        "utf-16-be": "Unicode (UTF-16 BE)",
        "utf-32-le": "Unicode (UTF-32 LE)",
        "utf-32-be": "Unicode (UTF-32 BE)",
        "cp1256": _("Arabic (%s)") % "Windows-1256",
        "iso8859-6": _("Arabic (%s)") % "ISO-8859-6",
        "cp1257": _("Baltic (%s)") % "Windows-1257",
        "iso8859-13": _("Baltic (%s)") % "ISO-8859-13",
        "iso8859-4": _("Baltic (%s)") % "ISO-8859-4",
        "iso8859-14": _("Celtic (%s)") % "ISO-8859-14",
        "cp1250": _("Central European (%s)") % "Windows-1250",
        "iso8859-2": _("Central European (%s)") % "ISO-8859-2",
        "iso8859-16": _("Central European (%s)") % "ISO-8859-16",
        "cp852": _("Central European (%s)") % "DOS 852",
        "gb18030": _("Chinese, simplified (%s)") % "GB 18030, GBK",
        "big5hkscs": _("Chinese, traditional (%s)") % "Big5",
        "cp1251": _("Cyrillic (%s)") % "Windows-1251",
        "koi8-r": _("Cyrillic (%s)") % "KOI8-R",
        "koi8-u": _("Cyrillic (%s)") % "KOI8-U",
        "iso8859-5": _("Cyrillic (%s)") % "ISO-8859-5",
        "cp866": _("Cyrillic (%s)") % "DOS 866",
        "mac-cyrillic": _("Cyrillic (%s)") % "Mac",
        "cp1253": _("Greek (%s)") % "Windows-1253",
        "iso8859-7": _("Greek (%s)") % "ISO-8859-7",
        "cp1255": _("Hebrew (%s)") % "Windows-1255",
        "iso8859-8": _("Hebrew (%s)") % "ISO-8859-8",
        "cp932": _("Japanese (%s)") % "Shift JIS",
        "euc_jis_2004": _("Japanese (%s)") % "EUC-JP",
        "iso2022_jp_2": _("Japanese (%s)") % "ISO-2022-JP",
        "cp949": _("Korean (%s)") % "EUC-KR",
        "iso8859-10": _("Nordic (%s)") % "ISO-8859-10",
        "iso8859-3": _("South European (%s)") % "ISO-8859-3",
        "cp874": _("Thai (%s)") % "Windows-874",
        "cp1254": _("Turkish (%s)") % "Windows-1254",
        "iso8859-9": _("Turkish (%s)") % "ISO-8859-9",
        "cp1258": _("Vietnamese (%s)") % "Windows-1258",
        "cp1252": _("Western European (%s)") % "Windows-1252",
        "iso8859-15": _("Western European (%s)") % "ISO-8859-15",
        "mac-roman": _("Western European (%s)") % "Mac",
        "cp850": _("Western European (%s)") % "DOS 850",
        "cp437": _("Western European (%s)") % "DOS 437",
    }
