"""Write the chunks of a resumable upload to disk as they arrive."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from apps.files import errors
from apps.files.models import Upload, VideoAsset
from apps.files.services.uploads import complete_upload
from apps.files.storage import require_free_space, upload_path
from studyplatform.kit.errors import AppError, NotFound, StoreFull
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.failures import is_out_of_space

READ_SIZE = 1 << 18  # bytes
SAVE_OFFSET_EVERY = 1 << 23  # bytes
CHECKSUM_ALGORITHMS = ("sha1", "sha256")


@dataclass(frozen=True)
class Checksum:
    """The checksum of a chunk as the client computed it. ``algorithm`` is one of `CHECKSUM_ALGORITHMS`."""

    algorithm: str
    digest: bytes


def receive_chunk(
    *,
    upload: Upload,
    offset: int,
    read: Callable[[int], bytes],
    now: datetime,
    expected: int | None = None,
    checksum: Checksum | None = None,
) -> Upload:
    """Append a chunk to the upload and return the upload with its new offset.

    The saved offset counts only bytes that are safely on disk. It is saved every `SAVE_OFFSET_EVERY` bytes; what a
    killed server wrote beyond it is truncated. If the connection breaks or the disk fills up, the bytes that arrived
    are kept, unless the chunk has a checksum.

    ``read(n)`` returns up to ``n`` bytes of the request body, and b"" at its end. ``expected`` is the length that the
    request announced, in bytes.

    :raises NotFound: the upload was canceled.
    :raises UploadClosed: it is a final upload, which has the bytes of its parts.
    :raises UploadBusy: another request is writing to this upload.
    :raises UploadExpired: the upload was not finished in time.
    :raises UploadOffsetMismatch: ``offset`` is not the upload's current offset.
    :raises UploadChecksumMismatch: the checksum is wrong; nothing of the chunk is kept.
    :raises FileTooLarge: the chunk exceeds the announced length of the file; nothing of the chunk is kept.
    :raises UploadNetworkError: the connection broke; the bytes that arrived are kept.
    :raises StoreFull: the disk is full; the bytes that fit are kept.
    :raises FormatUnsupported: the file is complete, and not a video.
    """
    if upload.concat:
        raise errors.UploadClosed
    if upload.completed_at is not None:  # its file may have been moved
        _check_offset(upload, offset, now)
        return upload
    path = upload_path(upload.uid)
    with lock_file(path) as file:
        _refresh(upload, path)  # inside the lock: another request may have advanced it
        if upload.completed_at is None and (on_disk := os.fstat(file).st_size) < upload.offset:
            save_offset(upload, on_disk, now)  # the disk lost bytes: continue from what is left
        _check_offset(upload, offset, now)
        if upload.completed_at is None:
            _append(file, upload, read, now, expected, checksum)
    if upload.offset == upload.length:
        complete_upload(upload=upload, now=now)
    return upload


def _check_offset(upload: Upload, offset: int, now: datetime) -> None:
    if upload.is_expired(now):
        raise errors.UploadExpired
    if offset != upload.offset:
        raise errors.UploadOffsetMismatch(offset=upload.offset)


def _refresh(upload: Upload, path: Path) -> None:
    """Read the row again. If it was completed or deleted in the meantime, remove the file that locking created.

    :raises NotFound: it was deleted.
    """
    try:
        upload.refresh_from_db()
    except Upload.DoesNotExist:
        path.unlink(missing_ok=True)
        raise NotFound from None
    with contextlib.suppress(FileNotFoundError):
        if upload.completed_at is not None and path.stat().st_size == 0:
            path.unlink()


@contextlib.contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """Open the file of an upload for reading and writing, created if necessary, and lock it.

    :raises UploadBusy: it is locked.
    """
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
    position, error = _copy(file, upload, read, now, digest)
    if error is None and expected is not None and position - begin < expected:
        error = errors.UploadNetworkError()
    if error is None and digest and checksum and digest.digest() != checksum.digest:
        error = errors.UploadChecksumMismatch()
    if isinstance(error, errors.FileTooLarge) or (checksum and error):
        position = begin
    os.ftruncate(file, position)
    os.fsync(file)
    if position != upload.offset or error is None:
        save_offset(upload, position, now)
    if error is not None:
        raise error


def _copy(
    file: int, upload: Upload, read: Callable[[int], bytes], now: datetime, digest: "hashlib._Hash | None"
) -> tuple[int, AppError | None]:
    """Write the body to the file; return the position after the last complete write, and the error that ended it."""
    position = upload.offset
    while True:
        try:
            data = read(READ_SIZE)
        except OSError:  # of the connection; servers and Django raise different subclasses
            return position, errors.UploadNetworkError()
        if not data:
            return position, None
        if position + len(data) > upload.length:
            return position, errors.FileTooLarge(limit=as_size(upload.length))
        if refusal := _write(file, data):
            return position, refusal
        position += len(data)
        if digest:
            digest.update(data)
        elif position - upload.offset >= SAVE_OFFSET_EVERY:
            os.fsync(file)
            save_offset(upload, position, now)


def _write(file: int, data: bytes) -> StoreFull | None:
    """Append to the file; return the refusal if the disk is full. A part of the data may have been written."""
    try:
        require_free_space(Path(settings.UPLOAD_ROOT), len(data))
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
    except StoreFull as refusal:
        return refusal
    except OSError as problem:
        if not is_out_of_space(problem):
            raise
        return StoreFull()
    return None


def save_offset(upload: Upload, offset: int, now: datetime) -> None:
    """Save how many bytes are safely on disk. Extends the upload's expiry.

    :raises NotFound: the upload was canceled while its bytes arrived.
    """
    upload.offset = offset
    upload.expires_at = now + timedelta(days=settings.UPLOAD_KEEP_DAYS)
    saved = Upload.objects.filter(pk=upload.pk).update(offset=offset, expires_at=upload.expires_at)
    if not saved:
        raise NotFound
    if upload.video_id:
        percent = offset * 100 // upload.length
        VideoAsset.objects.filter(pk=upload.video_id, stage=VideoAsset.Stage.UPLOADING).update(
            percent=percent, updated_at=now
        )
