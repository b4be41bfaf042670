"""Resumable uploads: complete, cancel, expire. `creation` begins them, `receiving` writes their bytes."""

import contextlib
import logging
import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import ProtectedError

from apps.accounts.models import User
from apps.files import errors, policies, scanner
from apps.files.events import ReplacementFailed, VideoFailed
from apps.files.models import Upload, VideoAsset
from apps.files.services.library import add_uploaded_file, is_for_library
from apps.files.services.replacement import restore_former_version
from apps.files.services.videos import enqueue_processing, enqueue_removal, enqueue_scan, mark_failed
from apps.files.storage import upload_path
from apps.files.upload_metadata import read_metadata
from apps.files.video.container import HEAD_BYTES, detect_container
from apps.files.video.failures import CorruptFile, FormatUnsupported, VideoFailure
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

logger = logging.getLogger(__name__)


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
        failure = _check_contents(fresh) if fresh.video_id else None
        if _needs_scan(fresh) and failure is None:
            fresh.scan = upload.scan = Upload.Scan.PENDING
        fresh.save(update_fields=["completed_at", "scan"])
        if fresh.video_id:
            video = VideoAsset.objects.select_for_update().get(pk=fresh.video_id)
            if failure is not None:
                reject_contents(video, fresh, failure)
            else:
                _accept_contents(video, fresh)
        elif fresh.purpose == Upload.Purpose.FILE:
            if is_for_library(fresh):
                facts = read_metadata(fresh.metadata)
                replaces = facts.get("conflict") == "replace"
                add_uploaded_file(fresh, path=facts.get("path", ""), replaces=replaces, now=now)
            if fresh.length:
                jobs.enqueue("files.store_file", key=fresh.uid.hex, upload=fresh.uid.hex)
            if fresh.scan == Upload.Scan.PENDING:
                enqueue_scan(fresh.uid)
    if isinstance(failure, FormatUnsupported):
        raise errors.FormatUnsupported


def fail_upload(*, upload: Upload, now: datetime) -> None:
    """Give up an upload whose bytes were lost on the server's disk: its video fails, and another file is deleted."""
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().filter(pk=upload.pk, completed_at=None).first()
        if fresh is None:
            return
        if fresh.video_id is None:
            delete_upload(fresh)
            return
        Upload.objects.filter(pk=fresh.pk).update(completed_at=now)
        video = VideoAsset.objects.select_for_update().get(pk=fresh.video_id)
        reject_contents(video, fresh, CorruptFile("truncated"))


def _needs_scan(upload: Upload) -> bool:
    return scanner.is_enabled() and upload.length > 0 and upload.purpose != Upload.Purpose.PARTIAL


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


def reject_contents(video: VideoAsset, upload: Upload, failure: VideoFailure) -> None:
    """Delete the new contents of a locked video, which fails; contents that they would have replaced stay."""
    logger.info("%s was refused: %r", upload, failure)
    enqueue_removal(versions=[*upload.parts.values_list("uid", flat=True), upload.uid])
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
    video.step = VideoAsset.SCANNING if upload.scan == Upload.Scan.PENDING else ""
    video.save(
        update_fields=[
            "version", "source", "source_bytes", "former_bytes", "stage", "step", "percent", "updated_at",
        ]
    )  # fmt: skip
    enqueue_processing(video)


def cancel_upload(*, upload: Upload, by: User) -> None:
    """Delete an unfinished upload, or a stored file. Does nothing to a finished video: `delete_video` does.

    :raises FileInUse: a lesson offers this file.
    :raises UploadClosed: it is a part of a final upload, which can be canceled instead.
    """
    enforce(policies.continue_upload(by, upload))
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if fresh is None:  # it expired, or was canceled by another request
            return
        if fresh.part_of_id is not None:
            raise errors.UploadClosed
        if fresh.completed_at is None or fresh.purpose != Upload.Purpose.VIDEO:
            delete_upload(fresh)


def delete_uploads_of(*, user_id: int) -> None:
    """Delete a user's unfinished uploads and those of their files that no lesson offers."""
    uploads = Upload.objects.of(user_id).reserving() | Upload.objects.of(user_id).filter(purpose=Upload.Purpose.FILE)
    for pk in uploads.values_list("pk", flat=True):
        with contextlib.suppress(errors.FileInUse), transaction.atomic():
            fresh = uploads.select_for_update().filter(pk=pk).first()
            if fresh is not None:
                delete_upload(fresh)


def expire_upload(*, uid: uuid.UUID, now: datetime) -> None:
    """Delete an upload that was not finished in time. If it has progressed since, check again later.

    Also deletes a complete file that was uploaded for a target, such as a lesson, and never used: no page lists it, and
    a complete partial upload.
    """
    with transaction.atomic():
        upload = Upload.objects.select_for_update().filter(uid=uid).first()
        if upload is None or not upload.can_expire:
            return
        if upload.expires_at > now:
            schedule_expiry(upload, now=now)
            return
        if upload.part_of is not None:
            if upload.part_of.completed_at is not None:  # which has the bytes
                upload.delete()
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
    # The bytes of the parts first: what is being concatenated must not link to them after the removal.
    versions = [*upload.parts.values_list("uid", flat=True), upload.uid]
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
    enqueue_removal(versions=versions, names=names)
