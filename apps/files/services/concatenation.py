"""Concatenate partial uploads to a final one (the tus extension "concatenation", docs/adr/0017).

The final upload takes over the storage that its parts have reserved. Its bytes are assembled in the file of the first
part, to which the other parts are appended one by one: on disk there is never more than one part twice.
"""

import contextlib
import logging
import os
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.file_types import clean_name
from apps.files.models import Upload, VideoAsset
from apps.files.services.creation import check_length, check_name, create_upload
from apps.files.services.receiving import lock_file, save_offset
from apps.files.services.uploads import complete_upload, fail_upload
from apps.files.services.videos import check_replacement, enqueue_removal
from apps.files.storage import require_free_space, upload_path
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound, StoreFull
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.failures import is_out_of_space
from studyplatform.kit.web.rate_limits import consume

logger = logging.getLogger(__name__)

MAX_PARTS = 64  # their URLs fit into one header of a request
COPY_SIZE = 1 << 20  # bytes
# Up to so many bytes are appended in the request; more by a job. The first part costs nothing.
IN_REQUEST = 64 * 2**20


class _PartLost(Exception):
    """The bytes of a part are missing on disk."""


def begin_final_upload(
    *,
    owner: User,
    purpose: str,
    filename: str,
    parts: Sequence[uuid.UUID],
    concat: str,
    now: datetime,
    target: str = "",
    metadata: str = "",
    replaces: VideoAsset | None = None,
) -> Upload:
    """Create a final upload from complete partial uploads of the owner, in this order, and concatenate them.

    Many bytes are concatenated by a job: until then the final upload is not complete. Partial uploads can be used once;
    the same list again returns the final upload that they belong to, so a client that missed the answer can repeat its
    request. ``concat``: the client's Upload-Concat header; for the other arguments see `begin_upload`.

    :raises NotFound: a part does not exist, is not the owner's, not partial, or belongs to another final upload.
    :raises UploadPartUnfinished: a part is not complete.
    :raises UploadExpired: a part was not used in time.
    :raises FileTooLarge: all parts together exceed the limit of this purpose.
    :raises FormatUnsupported: the filename is not that of a video.
    :raises RateLimitExceeded: the owner has begun too many videos.
    :raises VideoBusy: the video to be replaced is still being uploaded or processed.
    :raises VideoWatched: learners watch the video to be replaced.
    """
    enforce(policies.upload(owner, purpose))
    if replaces is not None:
        enforce(policies.edit_video(owner, replaces))
        check_replacement(replaces)
    filename = clean_name(filename)
    check_name(purpose, filename)
    with transaction.atomic():
        found = _locked_parts(owner, parts)
        if (existing := _same_final_upload(found)) is not None:
            return existing
        _check_parts(found, now)
        if purpose == Upload.Purpose.VIDEO:  # its parts counted as uploads only
            consume("upload_video", str(owner.uid), now=now)
        length = sum(part.length for part in found)
        check_length(owner, purpose, length)
        final = create_upload(
            owner=owner,
            purpose=purpose,
            filename=filename,
            length=length,
            now=now,
            target=target,
            metadata=metadata,
            replaces=replaces,
            concat=concat,
        )
        for number, part in enumerate(found):
            part.part_of, part.part_number = final, number
            part.expires_at = final.expires_at + timedelta(days=1)  # its row, which answers repeated requests
        Upload.objects.bulk_update(found, ["part_of", "part_number", "expires_at"])
        is_short = length - found[0].length <= IN_REQUEST
        # Also if the request does it: the server may be killed before.
        delay = timedelta(minutes=1) if is_short else timedelta(0)
        jobs.enqueue("files.concatenate", key=final.uid.hex, delay=delay, upload=final.uid.hex)
    if is_short:
        with contextlib.suppress(StoreFull, errors.UploadBusy):  # the job tries again
            concatenate_parts(uid=final.uid, now=now)
            final.refresh_from_db()
    return final


def _locked_parts(owner: User, uids: Sequence[uuid.UUID]) -> list[Upload]:
    """The parts in the order of ``uids``. They are locked in the order of their keys, so that two requests with the
    same parts in a different order cannot wait for each other."""
    partial = Upload.objects.of(owner.pk).filter(purpose=Upload.Purpose.PARTIAL, uid__in=uids)
    rows = {part.uid: part for part in partial.order_by("pk").select_for_update()}
    if not uids or len(rows) < len(uids):
        raise NotFound
    return [rows[uid] for uid in uids]


def _same_final_upload(parts: list[Upload]) -> Upload | None:
    """The final upload that consists of exactly these parts in this order."""
    final = parts[0].part_of
    if final is None:
        return None
    same = list(final.parts.order_by("part_number").values_list("pk", flat=True))
    return final if same == [part.pk for part in parts] else None


def _check_parts(parts: list[Upload], now: datetime) -> None:
    for part in parts:
        if part.part_of_id is not None:
            raise NotFound
        if part.is_expired(now):
            raise errors.UploadExpired
        if part.completed_at is None:
            raise errors.UploadPartUnfinished


def concatenate_parts(*, uid: uuid.UUID, now: datetime, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Assemble the bytes of a final upload, then complete it. Idempotent; continues where a killed server stopped.

    The offset of the final upload counts the parts that are safely in its file. A part's own file is removed only after
    that. If the bytes of a part are missing, the upload fails.

    :raises UploadBusy: another process is doing it.
    :raises StoreFull: the disk has no space for the next part; those before it stay concatenated.
    """
    final = Upload.objects.filter(uid=uid, completed_at=None).first()
    if final is None or not final.concat:
        return
    try:
        if final.length:
            _assemble(final, now, extend_lease)
    except NotFound:  # canceled in the meantime
        return
    except _PartLost as lost:
        logger.error("Bytes of %s are missing on disk, so %s was given up", lost, final)
        fail_upload(upload=final, now=now)
        return
    with contextlib.suppress(errors.FormatUnsupported):  # the video says so
        complete_upload(upload=final, now=now)


def _assemble(final: Upload, now: datetime, extend_lease: Callable[[], None]) -> None:
    """
    :raises _PartLost, NotFound: bytes are missing, the final upload was canceled.
    """
    path, parts = upload_path(final.uid), list(final.parts.order_by("part_number"))
    if final.offset == 0 and parts[0].length:
        with contextlib.suppress(OSError):  # it is linked already, or this file system has no hard links
            os.link(upload_path(parts[0].uid), path)
    with lock_file(path) as file:
        _append_parts(file, final, parts, now, extend_lease)


def _append_parts(
    file: int, final: Upload, parts: list[Upload], now: datetime, extend_lease: Callable[[], None]
) -> None:
    path, end = upload_path(final.uid), 0
    offset = Upload.objects.filter(pk=final.pk, completed_at=None).values_list("offset", flat=True).first()
    if offset is None:  # completed or canceled since it was read
        if os.fstat(file).st_size == 0 or not Upload.objects.filter(pk=final.pk).exists():
            path.unlink(missing_ok=True)
        return
    for part in parts:
        begin, end = end, end + part.length
        if end <= offset or not part.length:
            continue
        source = upload_path(part.uid)
        if not _is_same_file(source, file):
            _append_file(file, begin, source, part, extend_lease)
        elif os.fstat(file).st_size < part.length:
            raise _PartLost(part)
        os.fsync(file)
        with transaction.atomic():
            save_offset(final, end, now)
            enqueue_removal(versions=[part.uid])
        source.unlink(missing_ok=True)


def _is_same_file(source: Path, file: int) -> bool:
    """Whether the final upload's file is that of its first part, which needs no copying."""
    try:
        return os.path.samestat(source.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _append_file(file: int, begin: int, source: Path, part: Upload, extend_lease: Callable[[], None]) -> None:
    """Write the bytes of a part from ``begin`` on.

    :raises _PartLost: there are fewer than the part's length.
    :raises StoreFull: they do not fit on the disk.
    """
    os.ftruncate(file, begin)
    os.lseek(file, begin, os.SEEK_SET)
    require_free_space(Path(settings.UPLOAD_ROOT), part.length)
    try:
        with source.open("rb") as bytes_of_part:
            while data := bytes_of_part.read(COPY_SIZE):
                view = memoryview(data)
                while view:
                    view = view[os.write(file, view) :]
                extend_lease()
    except FileNotFoundError:
        raise _PartLost(part) from None
    except OSError as problem:
        if is_out_of_space(problem):
            raise StoreFull from None
        raise
    if os.lseek(file, 0, os.SEEK_CUR) != begin + part.length:
        raise _PartLost(part)
