"""Captions while their authors edit them: open, save changes, publish, discard.

The caller has checked that its user may edit what shows the video; those who edit a lesson edit its captions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files import errors
from apps.files.models import CaptionSheet, CaptionTrack, VideoAsset
from apps.files.services.captions import is_language, language_name, report_of_reading
from apps.files.video import cue_sheets
from apps.files.video.caption_reading import CaptionReading
from apps.files.video.cue_drafts import MAX_CUE_TIME_SECONDS
from apps.files.video.cue_sheets import MAX_CUE_CHARACTERS, STATES, SheetCue
from apps.files.video.webvtt import MAX_CHAPTER_LENGTH, MAX_CUES, write_webvtt
from studyplatform.kit.errors import NotFound

__all__ = [
    "MAX_CHAPTER_LENGTH",
    "MAX_CUE_CHARACTERS",
    "MAX_CUE_TIME_SECONDS",
    "STATES",
    "OpenSheet",
    "SavedCues",
    "SheetCue",
    "cues_of_file",
    "discard_sheet",
    "edited_webvtt",
    "export_captions",
    "open_captions",
    "publish_sheet",
    "save_cues",
    "sheets_of",
    "summary_of_file",
]


@dataclass(frozen=True, kw_only=True)
class OpenSheet:
    """The captions of a language as their author finds them; ``track``: what is published."""

    language: str
    cues: list[SheetCue]
    revision: int
    base: str
    is_changed: bool
    source_encoding: str
    track: CaptionTrack | None
    edited_by: User | None = None
    edited_at: datetime | None = None

    @property
    def is_replaced(self) -> bool:
        """Other captions were published since these were begun, by a file or by the video's own."""
        return self.is_changed and self.base != cue_sheets.digest_of(self.track.webvtt if self.track else "")


@dataclass(frozen=True)
class SavedCues:
    """``cues``: those that others have changed since; ``conflicts``: those of them that were not saved for that."""

    revision: int
    cues: list[SheetCue]
    conflicts: list[SheetCue]
    edited_by: User | None
    edited_at: datetime


def open_captions(*, video: VideoAsset, language: str) -> OpenSheet:
    """Return the cues of a language: those that are being edited, else the published ones, else none."""
    track = CaptionTrack.objects.filter(video=video, language=language).first()
    sheet = CaptionSheet.objects.select_related("edited_by").filter(video=video, language=language).first()
    return _opened(sheet, track, language)


def _opened(sheet: CaptionSheet | None, track: CaptionTrack | None, language: str) -> OpenSheet:
    published = cue_sheets.digest_of(track.webvtt if track else "")
    if sheet is not None and (sheet.is_changed or sheet.base == published):
        return OpenSheet(
            language=language,
            cues=sheet.cues,
            revision=sheet.revision,
            base=sheet.base,
            is_changed=sheet.is_changed,
            source_encoding=sheet.source_encoding,
            track=track,
            edited_by=sheet.edited_by,
            edited_at=sheet.edited_at,
        )
    encoding = track.source_encoding if track else ""
    return OpenSheet(
        language=language,
        cues=_published_cues(track),
        revision=sheet.revision if sheet else 0,
        base=published,
        is_changed=False,
        source_encoding=encoding,
        track=track,
    )


def save_cues(
    *,
    video: VideoAsset,
    by: User,
    language: str,
    changes: Sequence[SheetCue],
    since: int,
    base: str,
    client: str,
    now: datetime,
    source_encoding: str = "",
) -> SavedCues:
    """Save the cues that an author has changed, since the revision that the author has seen.

    :param base: digest of the published captions that the author began with
    :param client: the browser's tab; ``source_encoding``: of the file that the cues were imported from, if any
    :raises CaptionsReplaced: other captions were published meanwhile, and these are unchanged.
    :raises CaptionsTooLarge: there would be too many cues.
    :raises CaptionsUnreadable: ``language`` is no language tag.
    """
    if not is_language(language):
        raise errors.CaptionsUnreadable
    with transaction.atomic():
        sheet = _locked(video, language, now)
        track = CaptionTrack.objects.filter(video=video, language=language).first()
        opened = _opened(sheet, track, language)
        if opened.base != base:
            raise errors.CaptionsReplaced
        revision = sheet.revision + 1
        merged = cue_sheets.merge_changes(opened.cues, changes, since=since, revision=revision, client=client)
        if len(merged.cues) > MAX_CUES:
            raise errors.CaptionsTooLarge
        theirs = cue_sheets.changed_since(merged.cues, since, by_others_than=client)
        before, before_at = opened.edited_by, opened.edited_at or now
        if merged.cues != opened.cues:
            sheet.cues, sheet.base, sheet.is_changed, sheet.revision = merged.cues, base, True, revision
            sheet.source_encoding = source_encoding or opened.source_encoding
            sheet.edited_by, sheet.edited_at = by, now
            sheet.save()
    return SavedCues(sheet.revision, theirs, merged.conflicts, before, before_at)


def publish_sheet(
    *, video: VideoAsset, by: User, language: str, revision: int, now: datetime, replaces: bool = False
) -> CaptionTrack:
    """Make the captions that learners see of the edited ones. Cues without a text and those set aside are left out.

    :param revision: what the author has seen
    :param replaces: whether captions that were published meanwhile by others give way
    :raises CaptionsChangedMeanwhile: others have changed cues since.
    :raises CaptionsReplaced: others have published captions since, and ``replaces`` doesn't say that they may go.
    :raises CaptionsEmpty: no cue has a text.
    """
    with transaction.atomic():
        sheet = _locked(video, language, now)
        track = CaptionTrack.objects.select_for_update().filter(video=video, language=language).first()
        opened = _opened(sheet, track, language)
        if opened.revision != revision:
            raise errors.CaptionsChangedMeanwhile
        if opened.is_replaced and not replaces:
            raise errors.CaptionsReplaced
        webvtt = cue_sheets.webvtt_of(opened.cues)
        if not webvtt:
            raise errors.CaptionsEmpty
        if track is not None:
            track.delete()
        published = CaptionTrack.objects.create(
            video=video,
            language=language,
            label=track.label if track else language_name(language),
            origin=CaptionTrack.Origin.EDITED,
            webvtt=webvtt,
            source_format=track.source_format if track else "",
            source_encoding=opened.source_encoding,
            created_at=now,
        )
        kept = [cue for cue in opened.cues if cue["state"] != cue_sheets.REMOVED]
        sheet.cues = [{**cue, "is_checked": True} for cue in kept]
        sheet.base, sheet.is_changed = cue_sheets.digest_of(webvtt), False
        sheet.source_encoding = opened.source_encoding
        sheet.edited_by, sheet.edited_at = by, now
        sheet.revision += 1
        sheet.save()
    return published


def edited_webvtt(sheet: CaptionSheet) -> str:
    """Return what publishing the edited captions would show; "" if no cue has a text."""
    return cue_sheets.webvtt_of(sheet.cues)


def discard_sheet(*, video: VideoAsset, by: User, language: str, now: datetime) -> None:
    """Forget what was changed since the captions were published. Idempotent.

    It counts as a change of all that differs, so authors who have the captions open learn of it when they save.
    """
    with transaction.atomic():
        sheet = CaptionSheet.objects.select_for_update().filter(video=video, language=language).first()
        if sheet is None or not sheet.is_changed:
            return
        track = CaptionTrack.objects.filter(video=video, language=language).first()
        sheet.revision += 1
        sheet.cues = cue_sheets.replace_cues(sheet.cues, _published_cues(track), revision=sheet.revision)
        sheet.base, sheet.is_changed = cue_sheets.digest_of(track.webvtt if track else ""), False
        sheet.source_encoding = track.source_encoding if track else ""
        sheet.edited_by, sheet.edited_at = by, now
        sheet.save()


def _published_cues(track: CaptionTrack | None) -> list[SheetCue]:
    if track is None:
        return []
    return cue_sheets.cues_of_webvtt(track.webvtt, is_checked=track.origin != CaptionTrack.Origin.AUTOMATIC)


def _locked(video: VideoAsset, language: str, now: datetime) -> CaptionSheet:
    CaptionSheet.objects.get_or_create(video=video, language=language, defaults={"edited_at": now})
    return CaptionSheet.objects.select_for_update().get(video=video, language=language)


def cues_of_file(reading: CaptionReading, *, video: VideoAsset, now: datetime) -> list[SheetCue]:
    """Return what a file says as cues to edit; those after the end of the video are set aside, long ones divided."""
    prefix = f"f{now:%H%M%S%f}"
    return cue_sheets.cues_of_reading(reading.cues, prefix=prefix, is_checked=True, duration=video.duration)


def summary_of_file(reading: CaptionReading) -> list[str]:
    """Return what was changed to read a file and to make cues of it that can be edited."""
    divided = cue_sheets.count_long(reading.cues)
    told = [_("Long captions divided: %d") % divided] if divided else []
    return [*report_of_reading(reading).summary, *told]


def sheets_of(video: VideoAsset) -> dict[str, str]:
    """Return where the published captions of each language come from; empty if they aren't published yet."""
    found = dict.fromkeys(video.caption_sheets.filter(is_changed=True).values_list("language", flat=True), "")
    return found | dict(video.captions.order_by("pk").values_list("language", "origin"))


def export_captions(sheet: OpenSheet, *, form: str, encoding: str = "utf-8") -> bytes:
    """Return the captions as a file, also before they are published.

    :param form: "vtt", which is always UTF-8, or "srt"
    :param encoding: of a SubRip file, one of `cues.ENCODINGS`; those of Unicode begin with a byte order mark
    :raises NotFound: there is no caption with a text.
    :raises CaptionEncodingTooSmall: a character isn't in the encoding.
    """
    cues = cue_sheets.published_cues(sheet.cues)
    if not cues:
        raise NotFound
    if form == "vtt":
        return write_webvtt(cues).encode()
    try:
        return cue_sheets.encode(cue_sheets.write_srt(cues), encoding)
    except UnicodeEncodeError as problem:
        raise errors.CaptionEncodingTooSmall(character=problem.object[problem.start]) from None
