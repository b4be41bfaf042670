"""Retry, delete and import videos."""

import shutil
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies, scanner
from apps.files.models import BinnedOriginal, Upload, VideoAsset
from apps.files.services.originals import bin_original, discard_original, is_original_kept
from apps.files.storage import remove, remove_local, upload_path
from apps.files.video.failures import VideoFailure
from studyplatform.kit import jobs
from studyplatform.kit.policies import Verdict, enforce

VideoCheck = Callable[[VideoAsset], Verdict]
_deletion_checks: list[VideoCheck] = []
_replacement_checks: list[VideoCheck] = []


def register_deletion_check(check: VideoCheck) -> VideoCheck:
    """Register a policy that may refuse the deletion of a video. Only the apps that show videos know where."""
    _deletion_checks.append(check)
    return check


def register_replacement_check(check: VideoCheck) -> VideoCheck:
    """Register a policy that may refuse new contents for a video. Only the apps that show it know who watches."""
    _replacement_checks.append(check)
    return check


def check_replacement(video: VideoAsset) -> None:
    """
    :raises VideoWatched: learners watch the video.
    """
    for check in _replacement_checks:
        enforce(check(video))


def enqueue_processing(video: VideoAsset, *, priority: int = 0) -> None:
    """Enqueue the processing of the video's current version, at most once; before it, the virus scan if it waits."""
    if video.version is None:
        return
    if scanner.is_enabled() and Upload.objects.filter(uid=video.version, scan=Upload.Scan.PENDING).exists():
        enqueue_scan(video.version)
    else:
        jobs.enqueue(
            "files.process_video",
            key=video.version.hex,
            priority=priority,
            video=video.pk,
            version=video.version.hex,
        )


def set_upload_target(*, video_id: int, target: str, was: str | None = None) -> None:
    """Change what the uploads of a video are for, e.g. a lesson's uid; with ``was`` only those that were for that."""
    uploads = Upload.objects.filter(video=video_id)
    if was is not None:
        uploads = uploads.filter(target=was)
    uploads.exclude(target=target).update(target=target)


def clear_upload_targets(*, target: str, except_video: int) -> None:
    """Let no unfinished video but this one be for the target from now on."""
    unfinished = Upload.objects.filter(target=target).exclude(video__stage=VideoAsset.Stage.COMPLETE)
    unfinished.exclude(video=None).exclude(video=except_video).update(target="")


def enqueue_scan(version: uuid.UUID) -> None:
    """Enqueue the virus scan of an upload, at most once."""
    jobs.enqueue("files.scan", key=version.hex, upload=version.hex)


def enqueue_removal(*, versions: Iterable[uuid.UUID] = (), names: Iterable[str] = ()) -> None:
    """Remove files after the surrounding transaction has committed. A job does so: a crash leaves no orphans."""
    local, stored = [each.hex for each in versions], list(names)
    if local or stored:
        jobs.enqueue("files.remove", versions=local, names=stored)


def remove_files(
    *, versions: Iterable[str], names: Iterable[str], extend_lease: Callable[[], None] = lambda: None
) -> None:
    """Remove local files by version (hex) and stored files by name. A file that does not exist is ignored.

    An original that is in the bin, or that a video has, stays: it may have been put there since the job was enqueued.
    """
    for version in versions:
        remove_local(uuid.UUID(version))
    for name in names:
        if not (name.startswith("originals/") and is_original_kept(name)):
            remove(name, extend_lease)


def mark_failed(video: VideoAsset, failure: VideoFailure) -> None:
    """Record the failure of a locked video. Damaged contents are removed with their renditions, which frees storage.

    An original that was restored from the bin goes back there.
    """
    video.stage = VideoAsset.Stage.FAILED
    video.failure = VideoAsset.Failure.CORRUPT if failure.state == "corrupt_file" else VideoAsset.Failure.PROCESSING
    video.failure_detail = str(failure)[:300]
    if video.failure == VideoAsset.Failure.CORRUPT:
        names = discard_original(video, why=BinnedOriginal.Why.FAILED, keep_link=True)
        names += [video.directory] if video.directory else []
        enqueue_removal(versions=[video.version] if video.version else [], names=names)
        video.source = video.directory = ""
        video.source_bytes = video.stored_bytes = 0
        video.picture_lost = video.sound_lost = 0
        video.is_playable = False
        video.renditions.all().delete()
    video.save()


def retry_video(*, video: VideoAsset, by: User) -> VideoAsset:
    """Process a failed video again. Completed steps are not repeated.

    :raises VideoNotRetryable: it did not fail, or its file is damaged.
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
    """Return a failed video to the queue if this is still its version. The caller starts the job."""
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
    """Delete a video with its files, which are removed after the commit. Its original goes to the owner's bin.

    :raises VideoInUse: an app still shows it (see `register_deletion_check`).
    """
    enforce(policies.edit_video(by, video))
    for check in _deletion_checks:
        enforce(check(video))
    discard_video(video_id=video.pk)


def discard_video(*, video_id: int) -> None:
    """Delete a video that no app shows any longer, with its files. A video that does not exist is ignored.

    Its originals go to the bin, unless its owner's account was deleted.
    """
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().filter(pk=video_id).first()
        if video is None:
            return
        versions = set(video.uploads.values_list("uid", flat=True)) | ({video.version} if video.version else set())
        names = [f"videos/{video.uid.hex}"]
        is_same = video.former is not None and bool(video.source) and video.former["source"] == video.source
        if video.former is not None:
            versions |= {uuid.UUID(video.former["version"])} if video.former["version"] else set()
            if not bin_original(video.owner_id, video.former, why=BinnedOriginal.Why.DELETED):
                names += [video.former["source"]] if video.former["source"] else []
        # Until its replacement has arrived, and while it is processed again, a video still has its former original.
        is_former = is_same or (
            video.former is not None and video.former["version"] == (video.version.hex if video.version else None)
        )
        if not is_former:
            names += discard_original(video, why=BinnedOriginal.Why.DELETED, keep_link=False)
        video.delete()
        enqueue_removal(versions=sorted(versions), names=names)


def import_video(*, owner: User, path: Path, now: datetime, filename: str = "", priority: int = 0) -> VideoAsset:
    """Copy a video from this machine's disk and enqueue its processing; used by the demo content.

    A ``priority`` below 0 lets uploads of users go first.
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
