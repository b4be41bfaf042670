"""Begin resumable uploads, which reserves their storage."""

from datetime import datetime, timedelta
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies, queries
from apps.files.events import VideoAnnounced
from apps.files.file_types import clean_name
from apps.files.models import Upload, VideoAsset
from apps.files.services.allowances import warn_about_storage
from apps.files.services.folders import lock_library
from apps.files.services.replacement import save_former_version
from apps.files.services.uploads import complete_upload, schedule_expiry
from apps.files.services.videos import check_replacement
from apps.files.storage import require_free_space
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.rate_limits import consume

MAX_OPEN_UPLOADS = 1_000  # of one user, begun and not finished; a browser sends a few files at a time
MAX_PARTIAL_UPLOADS = 256  # of one user, not counting those that belong to a final upload


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

    The purpose "partial" is for an upload that becomes a part of a final one (see `begin_final_upload`).
    For the purpose "video" this creates a video in the stage "uploading", or gives the video ``replaces`` new contents;
    its old contents stay playable until the new ones are processed. ``metadata``: the client's Upload-Metadata header.

    :raises FileTooLarge: ``length`` exceeds the limit of this purpose.
    :raises FormatUnsupported: the filename is not that of a video.
    :raises QuotaExceeded: the owner has less storage left.
    :raises StoreFull: the server's disk has less free space.
    :raises TooManyOpenUploads: the owner has as many unfinished uploads as one user may have.
    :raises TooManyPartialUploads: the owner has as many partial uploads as one user may have.
    :raises VideoBusy: the video to be replaced is still being uploaded or processed.
    :raises VideoWatched: learners watch the video to be replaced.
    :raises RateLimitExceeded: the owner has begun too many uploads.
    """
    enforce(policies.upload(owner, purpose))
    if replaces is not None:
        enforce(policies.edit_video(owner, replaces))
        check_replacement(replaces)
    filename = clean_name(filename)
    check_length(owner, purpose, length)
    check_name(purpose, filename)
    require_free_space(Path(settings.UPLOAD_ROOT), length)
    with transaction.atomic():
        fresh = lock_library(owner.pk)  # so that concurrent uploads are counted one after the other
        for limit in ("upload", "upload_per_day", *(["upload_video"] if purpose == Upload.Purpose.VIDEO else [])):
            consume(limit, str(owner.uid), now=now)
        if Upload.objects.of(owner.pk).open().count() >= MAX_OPEN_UPLOADS:
            raise errors.TooManyOpenUploads(most=MAX_OPEN_UPLOADS)
        storage = queries.storage_of(fresh)
        if refusal := _quota_refusal(storage, length):
            raise refusal
        if purpose == Upload.Purpose.PARTIAL:
            _limit_partial_uploads(owner)
        upload = create_upload(
            owner=owner,
            purpose=purpose,
            filename=filename,
            length=length,
            now=now,
            target=target,
            metadata=metadata,
            replaces=replaces,
        )
        warn_about_storage(owner, storage, added=length)
    if length == 0:
        complete_upload(upload=upload, now=now)
    return upload


def create_upload(
    *, owner: User, purpose: str, filename: str, length: int, now: datetime, replaces: VideoAsset | None, **more: Any
) -> Upload:
    """Create the row of an upload, and its video, in the caller's transaction. The caller has checked everything else.

    :raises VideoBusy: the video to be replaced is still being uploaded or processed.
    """
    video = None
    if purpose == Upload.Purpose.VIDEO:
        video = _new_video(owner, filename, now) if replaces is None else _prepare_replacement(replaces, filename)
    upload = Upload.objects.create(
        owner=owner,
        purpose=purpose,
        video=video,
        filename=filename,
        length=length,
        created_at=now,
        expires_at=now + timedelta(days=settings.UPLOAD_KEEP_DAYS),
        **more,
    )
    schedule_expiry(upload, now=now)
    if video is not None and replaces is None:
        publish(VideoAnnounced(video_id=video.pk, owner_id=owner.pk, target=upload.target))
    return upload


def check_length(owner: User, purpose: str, length: int) -> None:
    """A partial upload may be as long as the longest file that its owner may upload.

    :raises FileTooLarge: ``length`` exceeds the limit of this purpose.
    """
    limits = settings.UPLOAD_LIMITS
    if purpose == Upload.Purpose.PARTIAL:
        limit = max(size for name, size in limits.items() if policies.upload(owner, name) is None)
    else:
        limit = limits[purpose]
    if length > limit:
        raise errors.FileTooLarge(limit=as_size(limit))


def video_suffixes() -> list[str]:
    """Return the endings of names that may be videos, of the formats that all texts name, with their dots.

    The bytes decide later what a file is, also one whose name has no ending; checking the name before the upload saves
    its owner from uploading the wrong file for hours.
    """
    return [f".{name.lower()}" for name in settings.VIDEO_FORMATS]


def check_name(purpose: str, filename: str) -> None:
    """
    :raises FormatUnsupported: the filename is not that of a video.
    """
    if purpose == Upload.Purpose.VIDEO and PurePath(filename).suffix.lower() not in {"", *video_suffixes()}:
        raise errors.FormatUnsupported


def _limit_partial_uploads(owner: User) -> None:
    partial = Upload.objects.of(owner.pk).filter(purpose=Upload.Purpose.PARTIAL, part_of=None)
    if partial.count() >= MAX_PARTIAL_UPLOADS:
        raise errors.TooManyPartialUploads(most=MAX_PARTIAL_UPLOADS)


def check_quota(user: User, length: int) -> errors.QuotaExceeded | None:
    """The refusal of an upload of ``length`` bytes for which the user has no storage; None if there is enough.

    Reserves nothing: it saves a form whose files would be refused from being read.
    """
    return _quota_refusal(queries.storage_of(user), length)


def _quota_refusal(storage: queries.Storage, length: int) -> errors.QuotaExceeded | None:
    if length <= storage.free:
        return None
    return errors.QuotaExceeded(
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
