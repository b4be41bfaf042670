"""Process a video from its upload to its renditions, and keep its row up to date on the way."""

import dataclasses
import json
import logging
import shutil
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.files.events import ReplacementFailed, VideoAnalyzed, VideoFailed
from apps.files.models import BinnedOriginal, VideoAsset
from apps.files.services.originals import discard_original
from apps.files.services.publishing import Superseded, publish_video, store_source
from apps.files.services.replacement import restore_former_version
from apps.files.services.videos import enqueue_removal, mark_failed
from apps.files.storage import fetch, free_space, remove, remove_local, upload_path, video_directory, work_folder
from apps.files.video import pipeline
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.failures import CorruptFile, ProcessingFailed, VideoFailure
from apps.files.video.recipe import Recipe
from apps.files.video.steps import STEPS
from apps.files.video.work import Step, Work
from studyplatform.kit.events import publish
from studyplatform.kit.jobs import Postpone
from studyplatform.kit.web.failures import is_out_of_space

logger = logging.getLogger(__name__)

SAVE_EVERY = 1.0  # seconds between two updates of the percentage
DISK_FULL_DELAY = timedelta(minutes=1)  # until the next attempt


def process_video(
    *, video_id: int, version: uuid.UUID, extend_lease: Callable[[], None], is_last_attempt: bool
) -> None:
    """Take a video through all steps that are not complete. If it is killed and called again, at most one step repeats.

    ``extend_lease`` extends the worker's lease, and raises if another worker has taken over. ``is_last_attempt``: fail
    the video even if the failure may be temporary.

    :raises ProcessingFailed: a failure that may be temporary; try again.
    :raises Postpone: the disk is full.
    """
    video = VideoAsset.objects.filter(pk=video_id, version=version).first()
    if video is None or not _is_open(video):
        return
    try:
        _run_steps(video, version, extend_lease)
    except Superseded:
        logger.info("The processing of %s was superseded", video)
        _remove_version(video, version)
    except OSError as problem:  # while files are fetched or put into storage
        if not is_out_of_space(problem):
            raise
        _mark_waiting_for_space(video.pk, version)
        raise Postpone(DISK_FULL_DELAY) from problem
    except VideoFailure as failure:
        logger.warning("Processing of %s: %r %s", video, failure, failure.note)
        if not VideoAsset.objects.filter(pk=video_id, version=version).exists():
            _remove_version(video, version)  # deleted while it was processed, which explains the failure
            return
        if failure.reason == "no_space":
            _mark_waiting_for_space(video.pk, version)
            raise Postpone(DISK_FULL_DELAY) from failure
        if failure.retry and not is_last_attempt:
            raise
        _fail(video.pk, version, failure)


def give_up(*, video_id: int, version: uuid.UUID) -> None:
    """Fail a video whose processing has used up its attempts."""
    _fail(video_id, version, ProcessingFailed("crashed"))


def _mark_waiting_for_space(video_id: int, version: uuid.UUID) -> None:
    """Record why the processing makes no progress; the owner sees it."""
    VideoAsset.objects.filter(pk=video_id, version=version).update(
        step=VideoAsset.WAITING_FOR_SPACE, updated_at=timezone.now()
    )


def _is_open(video: VideoAsset) -> bool:
    return video.stage not in {VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED, VideoAsset.Stage.UPLOADING}


def _run_steps(video: VideoAsset, version: uuid.UUID, extend_lease: Callable[[], None]) -> None:
    work = _open_work(video, version, extend_lease)
    reporter = _ProgressReporter(video.pk, version, extend_lease)
    for step in STEPS:
        reporter.begin(step)
        pipeline.run_step(step, work, lambda done, step=step: reporter.note(step, done))  # type: ignore[misc]
        if step.name == "analyze":
            _save_probe_result(video.pk, version, work)
            if free_space(Path(settings.WORK_ROOT)) < pipeline.disk_space_needed(work):
                raise ProcessingFailed("no_space", "before anything is encoded", retry=True)
        if step.name == "first" and (work.plan.copied or work.plan.early) and not video.is_playable:
            publish_video(video, version, work, extend_lease, is_final=False)
    store_source(video, version, extend_lease)
    publish_video(video, version, work, extend_lease, is_final=True)
    shutil.rmtree(work.folder, ignore_errors=True)


def _open_work(video: VideoAsset, version: uuid.UUID, extend_lease: Callable[[], None]) -> Work:
    source = upload_path(version)
    if not source.exists():
        if not video.source:
            raise CorruptFile("empty", "the uploaded file is missing")
        fetch(video.source, source, extend_lease)
    recipe = Recipe(threads=settings.VIDEO_THREADS, loudness=settings.VIDEO_LOUDNESS)
    return Work(source=source, folder=work_folder(version), ffmpeg=find_ffmpeg(settings.FFMPEG), recipe=recipe)


class _ProgressReporter:
    """Extends the lease and updates the row while ffmpeg runs; stops work that is no longer needed."""

    def __init__(self, video_id: int, version: uuid.UUID, extend_lease: Callable[[], None]) -> None:
        self._rows = VideoAsset.objects.filter(pk=video_id, version=version)
        self._extend_lease = extend_lease
        self._saved: tuple[str, int] = ("", -1)
        self._saved_at = 0.0

    def begin(self, step: Step) -> None:
        """Record that a step begins.

        :raises Superseded: the video has another version, or was deleted.
        """
        self._save(step, stage_percent(step, 0))

    def note(self, step: Step, done: float) -> None:
        """Record how much of a step is done, 0 to 1; called about once a second.

        :raises Superseded: the video has another version, or was deleted.
        :raises ProcessingFailed: the disk is full.
        """
        self._extend_lease()
        if free_space(Path(settings.WORK_ROOT)) < 0:
            raise ProcessingFailed("no_space", "the reserve is reached", retry=True)
        percent = stage_percent(step, done)
        if (step.name, percent) != self._saved and time.monotonic() - self._saved_at >= SAVE_EVERY:
            self._save(step, percent)
        elif time.monotonic() - self._saved_at >= 5 * SAVE_EVERY:
            self._save(step, percent)  # no progress, but the video may have been deleted

    def _save(self, step: Step, percent: int) -> None:
        self._saved, self._saved_at = (step.name, percent), time.monotonic()
        if not self._rows.update(stage=step.stage, step=step.name, percent=percent, updated_at=timezone.now()):
            raise Superseded


def stage_percent(step: Step, done: float) -> int:
    """Progress of the stage to which a step belongs, in percent. ``done``: the part of the step, 0 to 1."""
    stage = [each for each in STEPS if each.stage == step.stage]
    before = sum(each.weight for each in stage[: stage.index(step)])
    return min(99, int(100 * (before + step.weight * done) / sum(each.weight for each in stage)))


def _save_probe_result(video_id: int, version: uuid.UUID, work: Work) -> None:
    """Save length and size as soon as they are known: a lesson's duration should not wait for the encoder."""
    source = work.probe
    facts = dataclasses.asdict(source)
    facts["picture"]["keyframes"] = len(source.picture.keyframes)
    facts["why_no_copy"] = work.plan.why_no_copy
    top = work.plan.pictures[0]
    with transaction.atomic():
        is_current = VideoAsset.objects.filter(pk=video_id, version=version).update(
            facts=json.loads(json.dumps(facts)), updated_at=timezone.now()
        )
        # While a replacement is processed, the row still describes the former contents, which are playable.
        is_first = VideoAsset.objects.filter(pk=video_id, version=version, is_playable=False).update(
            duration=source.duration,
            width=top.width,
            height=top.height,
            has_audio=source.sound is not None,
        )
        if is_current and is_first:
            publish(VideoAnalyzed(video_id=video_id))


def _fail(video_id: int, version: uuid.UUID, failure: VideoFailure) -> None:
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().filter(pk=video_id, version=version).first()
        if video is None or not _is_open(video):
            return
        if video.former is None:
            mark_failed(video, failure)
            publish(VideoFailed(video_id=video.pk))
            return
        is_same = bool(video.source) and video.former["source"] == video.source  # it was processed again
        names = [] if is_same else discard_original(video, why=BinnedOriginal.Why.FAILED, keep_link=True)
        names.append(video_directory(video.uid, version))
        enqueue_removal(versions=[version], names=names)
        filename = video.filename
        restore_former_version(video, reason=str(failure))
        publish(ReplacementFailed(video_id=video.pk, version=version.hex, filename=filename))


def _remove_version(video: VideoAsset, version: uuid.UUID) -> None:
    """Remove all files of a version that is no longer needed."""
    remove_local(version)
    row = VideoAsset.objects.filter(pk=video.pk).first()
    directory = video_directory(video.uid, version)
    if row is None or row.directory != directory:
        remove(directory)
