"""Resumable uploads: room is reserved first, bytes arrive in pieces, the last one starts the processing."""

import contextlib
import fcntl
import hashlib
import logging
import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePath

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError, Q

from apps.accounts.models import User
from apps.files import errors, policies, queries
from apps.files.events import ReplacementFailed, VideoAnnounced, VideoFailed
from apps.files.kinds import clean_name
from apps.files.models import Upload, VideoAsset
from apps.files.services.replacing import bring_back, set_aside
from apps.files.services.videos import enqueue_processing, enqueue_removal, mark_failed
from apps.files.storage import require_room, upload_path
from apps.files.video.failures import CorruptFile, FormatUnsupported, VideoFailure
from apps.files.video.sniff import HEAD, sniff
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError, StoreFull
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.failures import is_full
from studyplatform.kit.web.rate_limits import spend

logger = logging.getLogger(__name__)

PIECE = 1 << 18
NOTED_EVERY = 1 << 23  # bytes of a long piece after which the offset is saved
ALGORITHMS = ("sha1", "sha256")
# Names that promise a video. What the file is, its bytes decide later; a name that promises
# something else spares the uploader hours.
VIDEO_SUFFIXES = {"", ".mp4", ".m4v", ".mov", ".qt", ".avi", ".webm", ".mkv"}


@dataclass(frozen=True)
class Checksum:
    """What the sender says the piece adds up to."""

    algorithm: str
    digest: bytes


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
    """Reserve room for a file and answer the upload that will fill it.

    A lecture video's asset exists from here on, in the stage "uploading". ``replaces`` gives an existing
    video new contents; what it showed before is watched until the new version is complete.

    :raises FileTooLarge: more than the limit of this purpose.
    :raises FormatUnsupported: the name promises something else than a video.
    :raises QuotaExceeded: not so much is free.
    :raises StoreFull: the server's disk has no room for it.
    :raises VideoBusy: the video that is to be replaced is still being uploaded or processed.
    :raises RateLimitExceeded: so many were begun that the next has to wait.
    """
    enforce(policies.upload(owner, purpose))
    if replaces is not None:
        enforce(policies.edit_video(owner, replaces))
    limit = settings.UPLOAD_LIMITS[purpose]
    if length > limit:
        raise errors.FileTooLarge(limit=as_size(limit))
    if purpose == Upload.Purpose.VIDEO and PurePath(filename).suffix.lower() not in VIDEO_SUFFIXES:
        raise errors.FormatUnsupported
    require_room(Path(settings.UPLOAD_ROOT), length)
    with transaction.atomic():
        spend("upload", str(owner.uid), now=now)
        _reserve(owner, length)
        video = None
        if purpose == Upload.Purpose.VIDEO:
            video = _new_video(owner, filename, now) if replaces is None else _vacate(replaces, filename)
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


def _reserve(owner: User, length: int) -> None:
    """Refuse what does not fit. The owner's row is locked, so that parallel uploads are counted one by one."""
    holder = User.objects.select_for_update().get(pk=owner.pk)
    storage = queries.storage_of(holder)
    if length > storage.free:
        raise errors.QuotaExceeded(
            needed=as_size(length), free=as_size(storage.free), allowance=as_size(storage.allowance)
        )


def _new_video(owner: User, filename: str, now: datetime) -> VideoAsset:
    return VideoAsset.objects.create(owner=owner, filename=filename, stage=VideoAsset.Stage.UPLOADING, created_at=now)


def _vacate(video: VideoAsset, filename: str) -> VideoAsset:
    """Make an ended video ready for new contents."""
    video = VideoAsset.objects.select_for_update().get(pk=video.pk)
    if video.stage not in {VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED}:
        raise errors.VideoBusy
    set_aside(video)
    video.filename = filename
    video.stage = VideoAsset.Stage.UPLOADING
    video.failure = video.failure_detail = video.step = ""
    video.percent = 0
    video.save()
    return video


def schedule_expiry(upload: Upload, *, now: datetime) -> None:
    """See to it that somebody looks whether the upload was finished in time."""
    key = f"{upload.uid.hex}-{int(upload.expires_at.timestamp())}"
    delay = max(upload.expires_at - now, timedelta(0)) + timedelta(seconds=1)
    jobs.enqueue("files.expire_upload", key=key, delay=delay, upload=upload.uid.hex)


def receive(
    *,
    upload: Upload,
    offset: int,
    read: Callable[[int], bytes],
    now: datetime,
    expected: int | None = None,
    checksum: Checksum | None = None,
) -> Upload:
    """Append a piece of the file and answer the upload with its new offset.

    The offset in the table counts only bytes that are safely on disk; it is noted every `NOTED_EVERY` bytes, and what a
    killed server wrote beyond it is cut off. Whatever arrived before a connection broke, or before the disk was full,
    is kept, unless a checksum vouches for the whole piece.
    ``read`` answers up to so many bytes of the request; ``expected``: how many it announced.

    :raises UploadBusy: another request is writing to this upload.
    :raises UploadExpired: it was not finished in time.
    :raises UploadOffsetMismatch: the piece does not follow what is there.
    :raises UploadChecksumMismatch: the piece is not what the sender sent; nothing of it is kept.
    :raises FileTooLarge: the piece goes beyond the announced length; nothing of it is kept.
    :raises UploadNetworkError: the connection broke; what arrived is kept.
    :raises StoreFull: the disk has no room for more; what fitted is kept.
    :raises FormatUnsupported: the file is complete, and is no video.
    """
    path = upload_path(upload.uid)
    with _locked(path) as file:
        upload.refresh_from_db()  # inside the lock: it may have moved on since it was read
        if upload.is_expired(now):
            raise errors.UploadExpired
        there = min(upload.offset, os.fstat(file).st_size) if upload.completed_at is None else upload.offset
        if there < upload.offset:  # the disk lost something: go on from what is left
            _advance(upload, there, now)
        if offset != upload.offset:
            raise errors.UploadOffsetMismatch(offset=upload.offset)
        if upload.completed_at is None:
            _append(file, upload, read, now, expected, checksum)
    if upload.offset == upload.length:
        complete_upload(upload=upload, now=now)
    return upload


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o640)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise errors.UploadBusy from None
        yield file
    finally:
        os.close(file)


def _append(
    file: int,
    upload: Upload,
    read: Callable[[int], bytes],
    now: datetime,
    expected: int | None,
    checksum: Checksum | None,
) -> None:
    begin = upload.offset
    os.ftruncate(file, begin)
    os.lseek(file, begin, os.SEEK_SET)
    digest = hashlib.new(checksum.algorithm, usedforsecurity=False) if checksum else None
    position, end = _copy(file, upload, read, now, digest)
    if end is None and expected is not None and position - begin < expected:
        end = errors.UploadNetworkError()
    if end is None and digest and checksum and digest.digest() != checksum.digest:
        end = errors.UploadChecksumMismatch()
    if isinstance(end, errors.FileTooLarge) or (checksum and end):
        position = begin
    os.ftruncate(file, position)
    os.fsync(file)
    if position != upload.offset or end is None:
        _advance(upload, position, now)
    if end is not None:
        raise end


def _copy(
    file: int, upload: Upload, read: Callable[[int], bytes], now: datetime, digest: "hashlib._Hash | None"
) -> tuple[int, AppError | None]:
    """Write what arrives; answers up to where it is whole, and what ended it before its time."""
    position = upload.offset
    while True:
        try:
            piece = read(PIECE)
        except OSError:  # the connection's; servers and Django have kinds of their own
            return position, errors.UploadNetworkError()
        if not piece:
            return position, None
        if position + len(piece) > upload.length:
            return position, errors.FileTooLarge(limit=as_size(upload.length))
        if refusal := _write(file, piece):
            return position, refusal
        position += len(piece)
        if digest:
            digest.update(piece)
        elif position - upload.offset >= NOTED_EVERY:
            os.fsync(file)
            _advance(upload, position, now)


def _write(file: int, piece: bytes) -> StoreFull | None:
    """Append to the file; answers the refusal if the disk has no room. A part of the piece may have been written."""
    try:
        require_room(Path(settings.UPLOAD_ROOT), len(piece))
        view = memoryview(piece)
        while view:
            view = view[os.write(file, view) :]
    except StoreFull as refusal:
        return refusal
    except OSError as problem:
        if not is_full(problem):
            raise
        return StoreFull()
    return None


def _advance(upload: Upload, offset: int, now: datetime) -> None:
    upload.offset = offset
    upload.expires_at = now + timedelta(days=settings.UPLOAD_KEEP_DAYS)
    upload.save(update_fields=["offset", "expires_at"])
    if upload.video_id:
        percent = offset * 100 // upload.length
        VideoAsset.objects.filter(pk=upload.video_id, stage=VideoAsset.Stage.UPLOADING).update(
            percent=percent, updated_at=now
        )


def complete_upload(*, upload: Upload, now: datetime) -> None:
    """Take a file that has arrived whole: queue a video for processing, put another file into storage.

    Doing it twice is harmless.

    :raises FormatUnsupported: it is well-formed, but no video of an accepted kind.
    """
    refused: VideoFailure | None = None
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().get(pk=upload.pk)
        if fresh.completed_at is not None or fresh.offset < fresh.length:
            return
        fresh.completed_at = upload.completed_at = now
        fresh.save(update_fields=["completed_at"])
        if fresh.video_id:
            video = VideoAsset.objects.select_for_update().get(pk=fresh.video_id)
            refused = _look_at(fresh)
            if refused is not None:
                _refuse_contents(video, fresh, refused, now)
            else:
                _take_contents(video, fresh)
        elif fresh.length:
            jobs.enqueue("files.store_file", key=fresh.uid.hex, upload=fresh.uid.hex)
    if isinstance(refused, FormatUnsupported):
        raise errors.FormatUnsupported


def _look_at(upload: Upload) -> VideoFailure | None:
    """Decide by the first bytes whether it is worth processing; `probe` will look at all of them."""
    try:
        with upload_path(upload.uid).open("rb") as file:
            sniff(file.read(HEAD))
    except FileNotFoundError:
        return CorruptFile("empty")
    except VideoFailure as failure:
        return failure
    return None


def _refuse_contents(video: VideoAsset, upload: Upload, refused: VideoFailure, now: datetime) -> None:
    logger.info("%s was refused: %r", upload, refused)
    enqueue_removal(versions=[upload.uid])
    if video.former is not None:
        bring_back(video, why=str(refused))
        publish(ReplacementFailed(video_id=video.pk, version=upload.uid.hex, filename=upload.filename))
    else:
        mark_failed(video, refused)
        publish(VideoFailed(video_id=video.pk))


def _take_contents(video: VideoAsset, upload: Upload) -> None:
    if video.former is not None:
        video.former_bytes = video.source_bytes  # until the new contents are proven, both take room
    video.version = upload.uid
    video.source = ""
    video.source_bytes = upload.length
    video.stage = VideoAsset.Stage.QUEUED
    video.percent = 0
    video.save(update_fields=["version", "source", "source_bytes", "former_bytes", "stage", "percent", "updated_at"])
    enqueue_processing(video)


def cancel_upload(*, upload: Upload, by: User) -> None:
    """Give up an unfinished upload, or a file that is kept: its bytes go and its room is free.

    A finished video stays: it is deleted as a video.

    :raises FileInUse: somebody is handed this file; it goes when it is taken away there.
    """
    enforce(policies.continue_upload(by, upload))
    with transaction.atomic():
        fresh = Upload.objects.select_for_update().get(pk=upload.pk)
        if fresh.completed_at is None or fresh.purpose == Upload.Purpose.FILE:
            drop(fresh)


def drop_uploads(*, user_id: int) -> None:
    """Give up what a person whose account is gone was uploading, and their files that nobody is handed."""
    theirs = Upload.objects.of(user_id).filter(Q(completed_at=None) | Q(purpose=Upload.Purpose.FILE))
    for pk in theirs.values_list("pk", flat=True):
        with contextlib.suppress(errors.FileInUse), transaction.atomic():
            fresh = theirs.select_for_update().filter(pk=pk).first()
            if fresh is not None:
                drop(fresh)


def expire_upload(*, uid: uuid.UUID, now: datetime) -> None:
    """End an upload that was not finished in time; look again later at one that has gone on since.

    A file that has arrived whole ends too if it was meant for something that never took it: nobody would find it.
    """
    with transaction.atomic():
        upload = Upload.objects.select_for_update().filter(uid=uid).first()
        if upload is None or (upload.completed_at is not None and not upload.is_meant):
            return
        if upload.expires_at > now:
            schedule_expiry(upload, now=now)
            return
        if upload.completed_at is not None or upload.offset < upload.length:
            with contextlib.suppress(errors.FileInUse):
                drop(upload)
            return
    complete_upload(upload=upload, now=now)  # killed between the last byte and the queue


def drop(upload: Upload) -> None:
    """Remove a locked upload with its bytes. Inside the caller's transaction.

    :raises FileInUse: another app's row holds on to it.
    """
    video, names = upload.video, [upload.stored_as] if upload.stored_as else []
    try:
        upload.delete()
    except ProtectedError:
        raise errors.FileInUse from None
    if video is not None:
        video = VideoAsset.objects.select_for_update().get(pk=video.pk)
        if video.former is not None:
            bring_back(video, why="")
        else:
            video.delete()
    enqueue_removal(versions=[upload.uid], names=names)
