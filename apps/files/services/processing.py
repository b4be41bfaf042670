"""A video's way from the uploaded bytes to its renditions, step by step, as the table sees it."""

import dataclasses
import json
import logging
import shutil
import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path, PurePath

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.files.events import ReplacementFailed, VideoAnalyzed, VideoCompleted, VideoFailed, VideoPlayable
from apps.files.models import CaptionTrack, Rendition, VideoAsset
from apps.files.services.captions import language_name
from apps.files.services.replacing import bring_back, settle
from apps.files.services.videos import enqueue_removal, mark_failed
from apps.files.storage import (
    facts_under,
    fetch,
    put,
    put_tree,
    remove,
    remove_local,
    room_left,
    upload_path,
    video_directory,
    work_folder,
)
from apps.files.video import pipeline
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.failures import CorruptFile, ProcessingFailed, VideoFailure
from apps.files.video.pipeline import STEPS, Published, Step, Work
from apps.files.video.playlist import MEDIA
from apps.files.video.recipe import Recipe
from studyplatform.kit.events import publish
from studyplatform.kit.jobs import Postpone
from studyplatform.kit.web.failures import is_full

logger = logging.getLogger(__name__)

TOLD_EVERY = 1.0  # seconds between two notes of the percentage
ROOM_EVERY = timedelta(minutes=1)  # between two looks whether the disk has room again


class Withdrawn(Exception):
    """The video was deleted or got other contents meanwhile: nobody wants this work any more."""


def process_video(*, video_id: int, version: uuid.UUID, keep: Callable[[], None], last_try: bool) -> None:
    """Take a video through all steps that are not done yet. Killed at any moment and called again, it repeats
    at most the step it was in.

    ``keep`` extends the worker's lease and raises when another worker has taken over. ``last_try``: a failure
    that might pass is not waited for any more.

    :raises ProcessingFailed: one that may pass; to be tried again.
    :raises Postpone: the disk has no room; it goes on when there is some.
    """
    video = VideoAsset.objects.filter(pk=video_id, version=version).first()
    if video is None or not _is_open(video):
        return
    try:
        _take_steps(video, version, keep)
    except Withdrawn:
        logger.info("%s was withdrawn while it was processed", video)
        _clear(video, version)
    except OSError as problem:  # while files are fetched or put into storage
        if not is_full(problem):
            raise
        _wait_for_room(video.pk, version)
        raise Postpone(ROOM_EVERY) from problem
    except VideoFailure as failure:
        logger.warning("Processing of %s: %r %s", video, failure, failure.note)
        if not VideoAsset.objects.filter(pk=video_id, version=version).exists():
            _clear(video, version)  # deleted under our hands: no wonder
            return
        if failure.reason == "no_space":
            _wait_for_room(video.pk, version)
            raise Postpone(ROOM_EVERY) from failure
        if failure.retry and not last_try:
            raise
        _fail(video.pk, version, failure)


def _wait_for_room(video_id: int, version: uuid.UUID) -> None:
    """Tell the owner why nothing moves."""
    VideoAsset.objects.filter(pk=video_id, version=version).update(step=VideoAsset.NO_ROOM, updated_at=timezone.now())


def give_up(*, video_id: int, version: uuid.UUID) -> None:
    """End a video whose processing was tried as often as it may be."""
    _fail(video_id, version, ProcessingFailed("crashed"))


def _is_open(video: VideoAsset) -> bool:
    return video.stage not in {VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED, VideoAsset.Stage.UPLOADING}


def _take_steps(video: VideoAsset, version: uuid.UUID, keep: Callable[[], None]) -> None:
    work = _work_on(video, version, keep)
    clerk = _Clerk(video.pk, version, keep)
    for step in STEPS:
        clerk.begin(step)
        pipeline.take(step, work, lambda done, step=step: clerk.note(step, done))  # type: ignore[misc]
        if step.name == "analyze":
            _note_facts(video.pk, version, work)
            if room_left(Path(settings.WORK_ROOT)) < pipeline.room_needed(work):
                raise ProcessingFailed("no_space", "before anything is encoded", retry=True)
        if step.name == "first" and work.plan.copied and not video.is_playable:
            _make_public(video, version, work, keep, is_final=False)
    _keep_source(video, version, keep)
    _make_public(video, version, work, keep, is_final=True)
    shutil.rmtree(work.folder, ignore_errors=True)


def _work_on(video: VideoAsset, version: uuid.UUID, keep: Callable[[], None]) -> Work:
    source = upload_path(version)
    if not source.exists():
        if not video.source:
            raise CorruptFile("empty", "the uploaded file is gone")
        fetch(video.source, source, keep)
    recipe = Recipe(threads=settings.VIDEO_THREADS)
    return Work(source=source, folder=work_folder(version), ffmpeg=find_ffmpeg(settings.FFMPEG), recipe=recipe)


class _Clerk:
    """Keeps the lease and the row up to date while ffmpeg works; stops the work that nobody wants."""

    def __init__(self, video_id: int, version: uuid.UUID, keep: Callable[[], None]) -> None:
        self._rows = VideoAsset.objects.filter(pk=video_id, version=version)
        self._keep = keep
        self._told: tuple[str, int] = ("", -1)
        self._told_at = 0.0

    def begin(self, step: Step) -> None:
        self._tell(step, stage_percent(step, 0))

    def note(self, step: Step, done: float) -> None:
        """Called about once a second. May raise."""
        self._keep()
        if room_left(Path(settings.WORK_ROOT)) < 0:
            raise ProcessingFailed("no_space", "the reserve is reached", retry=True)
        percent = stage_percent(step, done)
        if (step.name, percent) != self._told and time.monotonic() - self._told_at >= TOLD_EVERY:
            self._tell(step, percent)
        elif time.monotonic() - self._told_at >= 5 * TOLD_EVERY:
            self._tell(step, percent)  # nothing moved; but is it wanted still?

    def _tell(self, step: Step, percent: int) -> None:
        self._told, self._told_at = (step.name, percent), time.monotonic()
        if not self._rows.update(stage=step.stage, step=step.name, percent=percent, updated_at=timezone.now()):
            raise Withdrawn


def stage_percent(step: Step, done: float) -> int:
    """How far the stage is that a step belongs to."""
    stage = [each for each in STEPS if each.stage == step.stage]
    before = sum(each.weight for each in stage[: stage.index(step)])
    return min(99, int(100 * (before + step.weight * done) / sum(each.weight for each in stage)))


def _note_facts(video_id: int, version: uuid.UUID, work: Work) -> None:
    """Tell what the probe found as soon as it is known: the lesson's length must not wait for the encoder."""
    source = work.probe
    facts = dataclasses.asdict(source)
    facts["picture"]["keyframes"] = len(source.picture.keyframes)
    facts["why_no_copy"] = work.plan.why_no_copy
    top = work.plan.pictures[0]
    with transaction.atomic():
        noted = VideoAsset.objects.filter(pk=video_id, version=version).update(
            facts=json.loads(json.dumps(facts)), updated_at=timezone.now()
        )
        # While a replacement is made, the row describes what is still being watched.
        fresh = VideoAsset.objects.filter(pk=video_id, version=version, is_playable=False).update(
            duration=source.duration,
            width=top.width,
            height=top.height,
            has_audio=source.sound is not None,
        )
        if noted and fresh:
            publish(VideoAnalyzed(video_id=video_id))


def _make_public(
    video: VideoAsset, version: uuid.UUID, work: Work, keep: Callable[[], None], *, is_final: bool
) -> None:
    """Put what is ready where viewers find it, then say so."""
    directory = video_directory(video.uid, version)
    ready = pipeline.published(work)
    put_tree(work.public, directory, keep)
    if work.refusal.exists():
        _drop_former_copy(work, directory)
    with transaction.atomic():
        row = VideoAsset.objects.select_for_update().filter(pk=video.pk, version=version).first()
        if row is None:
            remove(directory)
            raise Withdrawn
        old = row.directory
        row.directory = directory
        row.is_playable = True
        row.stored_bytes = ready.size
        row.poster = "poster.jpg"
        row.duration, row.width, row.height = ready.duration, ready.width, ready.height
        row.has_audio = work.plan.has_sound
        row.picture_lost, row.sound_lost = ready.picture_lost, ready.sound_lost
        settle(row)
        if is_final:
            row.stage = VideoAsset.Stage.COMPLETE
            row.step, row.percent = "", 100
            row.storyboard = "storyboard.vtt"
            row.completed_at = timezone.now()
        row.save()
        _replace_renditions(row, ready)
        _take_captions(row, work, ready, now=timezone.now())
        if old and old != directory:
            enqueue_removal(names=[old])
        if is_final:
            enqueue_removal(versions=[version])
        publish(VideoCompleted(video_id=row.pk) if is_final else VideoPlayable(video_id=row.pk))


def _drop_former_copy(work: Work, directory: str) -> None:
    """A copy that was published before it proved damaged may have had more segments than what took its place."""
    made = {f"{directory}/{file.relative_to(work.public).as_posix()}" for file in work.public.rglob("*")}
    for name in facts_under(directory):
        if name not in made:
            remove(name)


def _replace_renditions(video: VideoAsset, ready: Published) -> None:
    video.renditions.all().delete()
    Rendition.objects.bulk_create(
        Rendition(
            video=video,
            name=each.name,
            playlist=f"{each.name}/{MEDIA}",
            width=each.width,
            height=each.height,
            bandwidth=each.bandwidth,
            average_bandwidth=each.average_bandwidth,
            codecs=each.codecs,
            frame_rate=float(Fraction(each.frame_rate)) if each.frame_rate else 0,
            stored_bytes=each.size,
        )
        for each in ready.renditions
    )


def _take_captions(video: VideoAsset, work: Work, ready: Published, *, now: datetime) -> None:
    """Keep the captions that came inside the file; what people uploaded themselves stands."""
    CaptionTrack.objects.filter(video=video, origin=CaptionTrack.Origin.EMBEDDED).delete()
    taken = set(video.captions.values_list("language", flat=True))
    for caption in sorted(ready.captions, key=lambda each: not each.is_default):
        language = caption.language or "und"
        if language in taken:
            continue
        taken.add(language)
        CaptionTrack.objects.create(
            video=video,
            language=language,
            label=caption.title[:60] or language_name(language),
            origin=CaptionTrack.Origin.EMBEDDED,
            webvtt=(work.public / caption.path).read_text(),
            created_at=now,
        )


def _keep_source(video: VideoAsset, version: uuid.UUID, keep: Callable[[], None]) -> None:
    """Move the original into storage, for a better ladder one day."""
    path = upload_path(version)
    if not settings.VIDEO_KEEP_ORIGINALS or not path.exists():
        return
    name = f"originals/{video.uid.hex}/{version.hex}{PurePath(video.filename).suffix.lower()[:8]}"
    put(path, name, keep)
    if not VideoAsset.objects.filter(pk=video.pk, version=version).update(source=name):
        remove(name)
        raise Withdrawn


def _fail(video_id: int, version: uuid.UUID, failure: VideoFailure) -> None:
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().filter(pk=video_id, version=version).first()
        if video is None or not _is_open(video):
            return
        if video.former is None:
            mark_failed(video, failure)
            publish(VideoFailed(video_id=video.pk))
            return
        names = [video_directory(video.uid, version), *([video.source] if video.source else [])]
        enqueue_removal(versions=[version], names=names)
        filename = video.filename
        bring_back(video, why=str(failure))
        publish(ReplacementFailed(video_id=video.pk, version=version.hex, filename=filename))


def _clear(video: VideoAsset, version: uuid.UUID) -> None:
    """Leave nothing behind of a version that is not wanted any more."""
    remove_local(version)
    row = VideoAsset.objects.filter(pk=video.pk).first()
    directory = video_directory(video.uid, version)
    if row is None or row.directory != directory:
        remove(directory)
