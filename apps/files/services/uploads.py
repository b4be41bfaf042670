"""Resumable uploads: begin (which reserves storage), complete, cancel, expire. `receiving` writes the bytes."""

import contextlib
import logging
import uuid
from datetime import datetime, timedelta
from pathlib import Path, PurePath

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError, Q

from apps.accounts.models import User
from apps.files import errors, policies, queries
from apps.files.events import ReplacementFailed, VideoAnnounced, VideoFailed
from apps.files.file_types import clean_name
from apps.files.models import Upload, VideoAsset
from apps.files.services.replacement import restore_former_version, save_former_version
from apps.files.services.videos import enqueue_processing, enqueue_removal, mark_failed
from apps.files.storage import require_free_space, upload_path
from apps.files.video.container import HEAD_BYTES, detect_container
from apps.files.video.failures import CorruptFile, FormatUnsupported, VideoFailure
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.rate_limits import consume

logger = logging.getLogger(__name__)

# Names that may be videos. The bytes decide later what a file is; checking the name before the upload saves its owner
# from uploading the wrong file for hours.
VIDEO_SUFFIXES = {"", ".mp4", ".m4v", ".mov", ".qt", ".avi", ".webm", ".mkv"}


def begin_upload(
    *,
    owner: User,
    purpose: str,
    filename: str,
    length: int,
    now: datetime,
    target: str = "",
    metadata: str = "",
    replaces: VideoAsset | None = None,
) -> Upload:
    """Reserve ``length`` bytes of the owner's storage and create the upload.

    For the purpose "video" this creates a video in the stage "uploading", or gives the video ``replaces`` new contents;
    its old contents stay playable until the new ones are processed. ``metadata``: the client's Upload-Metadata header.

    :raises FileTooLarge: ``length`` exceeds the limit of this purpose.
    :raises FormatUnsupported: the filename is not that of a video.
    :raises QuotaExceeded: the owner has less storage left.
    :raises StoreFull: the server's disk has less free space.
    :raises VideoBusy: the video to be replaced is still being uploaded or processed.
    :raises RateLimitExceeded: the owner has begun too many uploads.
    """
    enforce(policies.upload(owner, purpose))
    if replaces is not None:
        enforce(policies.edit_video(owner, replaces))
    limit = settings.UPLOAD_LIMITS[purpose]
    if length > limit:
        raise errors.FileTooLarge(limit=as_size(limit))
    if purpose == Upload.Purpose.VIDEO and PurePath(filename).suffix.lower() not in VIDEO_SUFFIXES:
        raise errors.FormatUnsupported
    require_free_space(Path(settings.UPLOAD_ROOT), length)
    with transaction.atomic():
        consume("upload", str(owner.uid), now=now)
        _reserve_quota(owner, length)
        video = None
        if purpose == Upload.Purpose.VIDEO:
            video = _new_video(owner, filename, now) if replaces is None else _prepare_replacement(replaces, filename)
        upload = Upload.objects.create(
            owner=owner,
            purpose=purpose,
            video=video,
            filename=clean_name(filename) if purpose == Upload.Purpose.FILE else filename,
            length=length,
            target=target,
            metadata=metadata,
            created_at=now,
            expires_at=now + timedelta(days=settings.UPLOAD_KEEP_DAYS),
        )
        schedule_expiry(upload, now=now)
        if video is not None and replaces is None:
            publish(VideoAnnounced(video_id=video.pk, owner_id=owner.pk, target=target))
    if length == 0:
        complete_upload(upload=upload, now=now)
    return upload


def _reserve_quota(owner: User, length: int) -> None:
    """Check the quota. The owner's row stays locked, so that concurrent uploads are counted one after the other."""
    owner = User.objects.select_for_update().get(pk=owner.pk)
    storage = queries.storage_of(owner)
    if length > storage.free:
        raise errors.QuotaExceeded(
            needed=as_size(length), free=as_size(storage.free), allowance=as_size(storage.allowance)
        )


def _new_video(owner: User, filename: str, now: datetime) -> VideoAsset:
    return VideoAsset.objects.create(owner=owner, filename=filename, stage=VideoAsset.Stage.UPLOADING, created_at=now)


def _prepare_replacement(video: VideoAsset, filename: str) -> VideoAsset:
    """Prepare a complete or failed video for new contents.

    :raises VideoBusy: it is still being uploaded or processed.
    """
    video = VideoAsset.objects.select_for_update().get(pk=video.pk)
    if video.stage not in {VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED}:
        raise errors.VideoBusy
    save_former_version(video)
    video.filename = filename
    video.stage = VideoAsset.Stage.UPLOADING
    video.failure = video.failure_detail = video.step = ""
    video.percent = 0
    video.save()
    return video


def schedule_expiry(upload: Upload, *, now: datetime) -> None:
    """Schedule the job that deletes the upload unless it is finished in time."""
    key = f"{upload.uid.hex}-{int(upload.expires_at.timestamp())}"
    delay = max(upload.expires_at - now, timedelta(0)) + timedelta(seconds=1)
    jobs.enqueue("files.expire_upload", key=key, delay=delay, upload=upload.uid.hex)


def complete_upload(*, upload: Upload, now: datetime) -> None:
    """Process an upload whose last byte has arrived: queue a video for processing, move another file into storage.

    Idempotent.

    :raises FormatUnsupported: the file is not a video of an accepted format.
    """
    failure: VideoFailure | None = None
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().get(pk=upload.pk)
        if fresh.completed_at is not None or fresh.offset < fresh.length:
            return
        fresh.completed_at = upload.completed_at = now
        fresh.save(update_fields=["completed_at"])
        if fresh.video_id:
            video = VideoAsset.objects.select_for_update().get(pk=fresh.video_id)
            failure = _check_contents(fresh)
            if failure is not None:
                _reject_contents(video, fresh, failure)
            else:
                _accept_contents(video, fresh)
        elif fresh.length:
            jobs.enqueue("files.store_file", key=fresh.uid.hex, upload=fresh.uid.hex)
    if isinstance(failure, FormatUnsupported):
        raise errors.FormatUnsupported


def _check_contents(upload: Upload) -> VideoFailure | None:
    """Check the first bytes of a video; the probe reads all of it later. None if they are those of a video."""
    try:
        with upload_path(upload.uid).open("rb") as file:
            detect_container(file.read(HEAD_BYTES))
    except FileNotFoundError:
        return CorruptFile("empty")
    except VideoFailure as failure:
        return failure
    return None


def _reject_contents(video: VideoAsset, upload: Upload, failure: VideoFailure) -> None:
    logger.info("%s was refused: %r", upload, failure)
    enqueue_removal(versions=[upload.uid])
    if video.former is not None:
        restore_former_version(video, reason=str(failure))
        publish(ReplacementFailed(video_id=video.pk, version=upload.uid.hex, filename=upload.filename))
    else:
        mark_failed(video, failure)
        publish(VideoFailed(video_id=video.pk))


def _accept_contents(video: VideoAsset, upload: Upload) -> None:
    if video.former is not None:
        video.former_bytes = video.source_bytes  # both count until the new contents are processed
    video.version = upload.uid
    video.source = ""
    video.source_bytes = upload.length
    video.stage = VideoAsset.Stage.QUEUED
    video.percent = 0
    video.save(update_fields=["version", "source", "source_bytes", "former_bytes", "stage", "percent", "updated_at"])
    enqueue_processing(video)


def cancel_upload(*, upload: Upload, by: User) -> None:
    """Delete an unfinished upload, or a stored file. Does nothing to a finished video: `delete_video` does.

    :raises FileInUse: a lesson offers this file.
    """
    enforce(policies.continue_upload(by, upload))
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().get(pk=upload.pk)
        if fresh.completed_at is None or fresh.purpose == Upload.Purpose.FILE:
            delete_upload(fresh)


def delete_uploads_of(*, user_id: int) -> None:
    """Delete a user's unfinished uploads and those of their files that no lesson offers."""
    uploads = Upload.objects.of(user_id).filter(Q(completed_at=None) | Q(purpose=Upload.Purpose.FILE))
    for pk in uploads.values_list("pk", flat=True):
        with contextlib.suppress(errors.FileInUse), transaction.atomic():
            fresh = uploads.select_for_update().filter(pk=pk).first()
            if fresh is not None:
                delete_upload(fresh)


def expire_upload(*, uid: uuid.UUID, now: datetime) -> None:
    """Delete an upload that was not finished in time. If it has progressed since, check again later.

    Also deletes a complete file that was uploaded for a target, such as a lesson, and never used: no page lists it.
    """
    with transaction.atomic():
        upload = Upload.objects.select_for_update().filter(uid=uid).first()
        if upload is None or (upload.completed_at is not None and not upload.is_for_target):
            return
        if upload.expires_at > now:
            schedule_expiry(upload, now=now)
            return
        if upload.completed_at is not None or upload.offset < upload.length:
            with contextlib.suppress(errors.FileInUse):
                delete_upload(upload)
            return
    complete_upload(upload=upload, now=now)  # the server was killed between the last byte and the job


def delete_upload(upload: Upload) -> None:
    """Delete a locked upload and its bytes, in the caller's transaction.

    :raises FileInUse: another app's row refers to it.
    """
    video, names = upload.video, [upload.stored_as] if upload.stored_as else []
    try:
        upload.delete()
    except ProtectedError:
        raise errors.FileInUse from None
    if video is not None:
        video = VideoAsset.objects.select_for_update().get(pk=video.pk)
        if video.former is not None:
            restore_former_version(video, reason="")
        else:
            video.delete()
    enqueue_removal(versions=[upload.uid], names=names)
