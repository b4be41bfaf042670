"""Videos as their owners handle them: try again, delete, bring in from disk."""

import shutil
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import VideoAsset
from apps.files.storage import remove, remove_local, upload_path
from apps.files.video.failures import VideoFailure
from studyplatform.kit import jobs
from studyplatform.kit.policies import Verdict, enforce

Check = Callable[[VideoAsset], Verdict]
_reasons_to_keep: list[Check] = []


def keep_while(check: Check) -> Check:
    """Register a reason against deleting a video. Apps to the right know who is watching it; files does not."""
    _reasons_to_keep.append(check)
    return check


def enqueue_processing(video: VideoAsset, *, priority: int = 0) -> None:
    """Put the processing of the video's present version on the table, once."""
    if video.version is not None:
        jobs.enqueue(
            "files.process_video",
            key=video.version.hex,
            priority=priority,
            video=video.pk,
            version=video.version.hex,
        )


def enqueue_removal(*, versions: Iterable[uuid.UUID] = (), names: Iterable[str] = ()) -> None:
    """Remove files once the surrounding transaction has committed; a job, so that a crash leaves no orphans."""
    local, kept = [each.hex for each in versions], list(names)
    if local or kept:
        jobs.enqueue("files.remove", versions=local, names=kept)


def remove_files(*, versions: Iterable[str], names: Iterable[str], keep: Callable[[], None] = lambda: None) -> None:
    """Remove local traces of uploads and kept files. What is gone already is no error.

    ``keep`` extends the worker's lease.
    """
    for version in versions:
        remove_local(uuid.UUID(version))
    for name in names:
        remove(name, keep)


def mark_failed(video: VideoAsset, failure: VideoFailure) -> None:
    """Note how a locked video ended. Damaged contents are of no use: they are removed with what was made of them,
    and count nothing against the owner."""
    video.stage = VideoAsset.Stage.FAILED
    video.failure = VideoAsset.Failure.CORRUPT if failure.state == "corrupt_file" else VideoAsset.Failure.PROCESSING
    video.failure_detail = str(failure)[:300]
    if video.failure == VideoAsset.Failure.CORRUPT:
        names = [name for name in (video.source, video.directory) if name]
        enqueue_removal(versions=[video.version] if video.version else [], names=names)
        video.source = video.directory = ""
        video.source_bytes = video.stored_bytes = 0
        video.picture_lost = video.sound_lost = 0
        video.is_playable = False
        video.renditions.all().delete()
    video.save()


def retry_video(*, video: VideoAsset, by: User) -> VideoAsset:
    """Process a video again whose processing failed. Steps that were done stay done.

    :raises VideoNotRetryable: it did not fail, or its file is damaged: trying again would not help.
    """
    enforce(policies.edit_video(by, video))
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().get(pk=video.pk)
        if not policies.video_abilities(by, video)["retry"] or video.version is None:
            raise errors.VideoNotRetryable
        _reopen(video)
        enqueue_processing(video)
    return video


def reopen_video(*, video_id: int, version: uuid.UUID) -> None:
    """Let the processing of this version begin again, if it was given up; its job is somebody else's to start."""
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().filter(pk=video_id, version=version).first()
        if video is not None and video.failure == VideoAsset.Failure.PROCESSING:
            _reopen(video)


def _reopen(video: VideoAsset) -> None:
    video.stage = VideoAsset.Stage.QUEUED
    video.failure = video.failure_detail = video.step = ""
    video.percent = 0
    video.save(update_fields=["stage", "failure", "failure_detail", "step", "percent", "updated_at"])


def delete_video(*, video: VideoAsset, by: User) -> None:
    """Delete a video with all that belongs to it. Its files go right after the commit.

    :raises VideoInUse: an app knows a reason to keep it (see `keep_while`).
    """
    enforce(policies.edit_video(by, video))
    for check in _reasons_to_keep:
        enforce(check(video))
    discard_video(video_id=video.pk)


def discard_video(*, video_id: int) -> None:
    """Remove a video that nobody is shown any more, with all that belongs to it. What is gone already is no error."""
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().filter(pk=video_id).first()
        if video is None:
            return
        versions = set(video.uploads.values_list("uid", flat=True)) | ({video.version} if video.version else set())
        names = [f"videos/{video.uid.hex}", *([video.source] if video.source else [])]
        if video.former is not None:
            versions |= {uuid.UUID(video.former["version"])} if video.former["version"] else set()
            names += [video.former["source"]] if video.former["source"] else []
        video.delete()
        enqueue_removal(versions=sorted(versions), names=names)


def import_video(*, owner: User, path: Path, now: datetime, filename: str = "", priority: int = 0) -> VideoAsset:
    """Take a video from this machine's disk, as the demo content does, and queue it. The file is copied.

    With a ``priority`` below 0 it waits for what people have uploaded themselves.
    """
    version = uuid.uuid4()
    shutil.copyfile(path, upload_path(version))
    with transaction.atomic():
        video = VideoAsset.objects.create(
            owner=owner,
            filename=filename or path.name,
            version=version,
            source_bytes=path.stat().st_size,
            stage=VideoAsset.Stage.QUEUED,
            created_at=now,
        )
        enqueue_processing(video, priority=priority)
    return video
