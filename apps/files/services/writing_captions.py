"""Do what `automatic_captions` was asked for, piece by piece. Called by a job."""

import shutil
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.conf.locale import LANG_INFO
from django.db import transaction
from django.utils import timezone

from apps.files.model_calls import CallFailed, call_model
from apps.files.models import AutomaticCaptions, CaptionSheet
from apps.files.services.automatic_captions import fail_automatic_captions
from apps.files.services.translating_captions import translate_piece
from apps.files.sound_queries import levels_of
from apps.files.storage import open_stored, work_folder
from apps.files.video import encode
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.cue_sheets import SHOWN, SheetCue
from apps.files.video.failures import VideoFailure
from apps.files.video.recipe import Recipe
from apps.files.video.sound_levels import Span
from apps.files.video.speech_pieces import parse_segments, piece_arguments
from apps.files.video.spoken_cues import NotSpeech, is_silent, language_of, plan_pieces, read_answer
from studyplatform.kit.jobs import Postpone

PIECE_SECONDS = 300.0
MIN_PIECE_SECONDS = 20.0
MAX_TRIES = 8
FIRST_PAUSE_SECONDS = 5.0
MAX_PAUSE_SECONDS = 900.0


class Ended(Exception):
    """Nobody waits for it any longer: it was canceled, or the video was deleted."""


def write_captions(*, uid: uuid.UUID, extend_lease: Callable[[], None], now: datetime) -> None:
    """Do the next piece of a request.

    :raises Postpone: there are more pieces, or the model has to be asked again later.
    """
    row = AutomaticCaptions.objects.select_related("video").filter(uid=uid).first()
    if row is None or row.state != AutomaticCaptions.State.WAITING:
        return
    is_speech = row.kind == AutomaticCaptions.Kind.SPEECH
    if is_speech and row.video.directory != row.directory:
        fail_automatic_captions(uid=uid, reason="replaced", now=now)
        return
    if is_speech and not row.pieces:
        _plan(row)

    def watch() -> None:
        extend_lease()
        if not AutomaticCaptions.objects.filter(pk=row.pk, state=AutomaticCaptions.State.WAITING).exists():
            raise Ended

    at = next((place for place, result in enumerate(row.results) if result is None), None)
    try:
        if at is not None:
            _save_piece(row, at, *(_hear if is_speech else translate_piece)(row, row.pieces[at], watch))
    except Ended:
        return
    except CallFailed as failure:
        _note_failure(row, at or 0, failure, now)
    except VideoFailure as failure:
        if not failure.retry:
            fail_automatic_captions(uid=uid, reason="crashed", now=now)
            return
        raise
    finally:
        shutil.rmtree(work_folder(row.uid), ignore_errors=True)
    if not _finish(row, now=timezone.now()):
        raise Postpone(timedelta(0), is_planned=True)


def _plan(row: AutomaticCaptions) -> None:
    levels = levels_of(row.video)
    pieces = plan_pieces(levels.silences if levels else (), row.video.duration, PIECE_SECONDS)
    row.pieces, row.results = [list(each) for each in pieces], [None] * len(pieces)
    row.save(update_fields=["pieces", "results"])


def _save_piece(row: AutomaticCaptions, at: int, result: list[Any], language: str) -> None:
    with transaction.atomic():
        locked = AutomaticCaptions.objects.select_for_update().filter(pk=row.pk, state=row.state).first()
        if locked is None:
            raise Ended
        locked.results[at] = result
        locked.failed_tries = 0
        if language and not locked.language and not _is_taken(locked, language):
            locked.language = language
        locked.save(update_fields=["results", "failed_tries", "language"])


def _is_taken(row: AutomaticCaptions, language: str) -> bool:
    """Whether another request for this language is open, which a constraint forbids."""
    others = AutomaticCaptions.objects.filter(video=row.video_id, kind=row.kind, language=language, state=row.state)
    return others.exists()


def _finish(row: AutomaticCaptions, *, now: datetime) -> bool:
    """End a request whose pieces are complete; return whether it has ended."""
    with transaction.atomic():
        locked = AutomaticCaptions.objects.select_for_update().filter(pk=row.pk, state=row.state).first()
        if locked is None:
            return True
        if any(result is None for result in locked.results):
            return False
        locked.state, locked.finished_at = AutomaticCaptions.State.DONE, now
        locked.save(update_fields=["state", "finished_at"])
        if locked.kind == AutomaticCaptions.Kind.SPEECH:
            _open_in_editor(locked, now)
    return True


def _open_in_editor(row: AutomaticCaptions, now: datetime) -> None:
    """Let the editor show what was heard, unchecked, unless an author has captions in that language already."""
    language = row.language or "und"
    found = [cue for piece in row.results for cue in piece]
    is_taken = row.video.captions.filter(language=language).exists()
    if not found or is_taken or row.video.caption_sheets.filter(language=language).exists():
        return
    cues = [
        SheetCue(
            id=f"{row.uid.hex[:8]}-{number}",
            begin=cue["begin"],
            end=cue["end"],
            text=cue["text"],
            settings="",
            chapter="",
            is_checked=False,
            state=SHOWN,
            revision=1,
            client="",
        )
        for number, cue in enumerate(found)
    ]
    CaptionSheet.objects.create(
        video=row.video, language=language, cues=cues, revision=1, is_changed=True, edited_at=now
    )


def _note_failure(row: AutomaticCaptions, at: int, failure: CallFailed, now: datetime) -> None:
    """Try again later, with smaller pieces, or not at all.

    :raises Postpone: later.
    """
    if failure.reason == "too_large" and row.kind == AutomaticCaptions.Kind.SPEECH:
        begin, end = row.pieces[at]
        if end - begin > 2 * MIN_PIECE_SECONDS:
            levels = levels_of(row.video)
            pauses = [(first - begin, last - begin) for first, last in (levels.silences if levels else ())]
            halves = plan_pieces(pauses, end - begin, (end - begin) * 0.6)
            row.pieces[at : at + 1] = [[begin + first, begin + last] for first, last in halves]
            row.results[at : at + 1] = [None] * len(halves)
            row.save(update_fields=["pieces", "results"])
            return
    tries = row.failed_tries + 1
    if not failure.may_repeat or tries >= MAX_TRIES:
        fail_automatic_captions(uid=row.uid, reason=failure.reason, now=now)
        return
    AutomaticCaptions.objects.filter(pk=row.pk).update(failed_tries=tries)
    pause = failure.rest or min(FIRST_PAUSE_SECONDS * 2**tries, MAX_PAUSE_SECONDS)
    raise Postpone(timedelta(seconds=pause), is_planned=True)


def _hear(row: AutomaticCaptions, piece: Sequence[float], watch: Callable[[], None]) -> tuple[list[Any], str]:
    span: Span = (float(piece[0]), float(piece[1]))
    levels = levels_of(row.video)
    silences = levels.silences if levels else ()
    if is_silent(span, silences):
        return [], ""
    folder = work_folder(row.uid)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sound = _cut_piece(row.directory, span, folder, watch)
    data = {"model": settings.TRANSCRIPTION_MODEL, "response_format": "verbose_json"}
    if row.language:
        data["language"] = row.language.partition("-")[0].lower()
    with sound.open("rb") as file:
        answer = call_model(
            f"{settings.TRANSCRIPTION_URL}/audio/transcriptions",
            key=settings.TRANSCRIPTION_KEY,
            seconds=settings.TRANSCRIPTION_TIMEOUT,
            watch=watch,
            data=data,
            files={"file": ("speech.m4a", file, "audio/mp4")},
        )
    try:
        return list(read_answer(answer, span, silences)), language_of(answer, _language_tags())
    except NotSpeech as problem:
        raise CallFailed("unreadable", str(problem)) from None


def _cut_piece(directory: str, span: Span, folder: Path, watch: Callable[[], None]) -> Path:
    """Cut a part out of the encoded sound. Only the segments that have it are read, wherever they are stored."""
    whole, piece = folder / "sound.mp4", folder / "speech.m4a"
    with open_stored(f"{directory}/audio/index.m3u8") as playlist:
        segments = parse_segments(playlist.read().decode())
    wanted = [name for name, begin, end in segments if begin < span[1] + 1 and end > span[0] - 1]
    with whole.open("wb") as target:
        for name in ["init.mp4", *wanted]:
            with open_stored(f"{directory}/audio/{name}") as part:
                shutil.copyfileobj(part, target, 1 << 20)
            watch()
    encode.run(
        piece_arguments(whole, span, piece),
        ffmpeg=find_ffmpeg(settings.FFMPEG),
        folder=folder,
        seconds=span[1] - span[0],
        recipe=Recipe(),
        report=lambda _: watch(),
    )
    return piece


@cache
def _language_tags() -> dict[str, str]:
    """Tags by English names, as speech models answer them."""
    named = {str(info["name"]).lower(): tag for tag, info in LANG_INFO.items() if "-" not in tag and "name" in info}
    return named | {"chinese": "zh", "norwegian": "nb"}
