"""Restore the original of a replaced or deleted video from the bin."""

import uuid
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.files import policies
from apps.files.models import BinnedOriginal, Upload, VideoAsset
from apps.files.services.folders import lock_library
from apps.files.services.replacement import save_former_version
from apps.files.services.videos import enqueue_processing
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

_ENDED = {VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED}


def restore_original(*, original: BinnedOriginal, by: User, now: datetime) -> VideoAsset:
    """Process a binned original again, as the contents of the video that it was replaced in.

    Until it is processed, the video keeps its present contents, whose original then goes to the bin. If the video was
    deleted, or is being processed, the original becomes a new video of its owner.

    :raises NotFound: it is no longer in the bin, or belongs to another user.
    :raises AppError: the owner may no longer upload videos.
    :raises RateLimitExceeded: the owner has begun too many uploads.
    """
    enforce(policies.edit_original(by, original))
    enforce(policies.upload(by, Upload.Purpose.VIDEO))
    with transaction.atomic():
        # In the order of a replacement: the library, then the video, then its originals.
        lock_library(by.pk)
        videos = VideoAsset.objects.select_for_update()
        video = videos.filter(pk=original.video_id, owner=by).first() if original.video_id is not None else None
        found = BinnedOriginal.objects.select_for_update().filter(pk=original.pk).first()
        if found is None:
            raise NotFound
        consume("upload", str(by.uid), now=now)
        if video is not None and video.stage in _ENDED:
            save_former_version(video)
            video.former_bytes = video.source_bytes  # both count until the restored contents are processed
        else:
            video = VideoAsset(owner=by, created_at=now)
        _take_over(video, found)
        found.delete()
        enqueue_processing(video)
    return video


def _take_over(video: VideoAsset, original: BinnedOriginal) -> None:
    # A version of its own: another processing of the same original may still be stopping.
    video.version = uuid.uuid4()
    video.filename, video.source, video.source_bytes = original.filename, original.source, original.size
    video.source_sha256 = original.sha256
    video.stage, video.percent = VideoAsset.Stage.QUEUED, 0
    video.failure = video.failure_detail = video.step = ""
    video.save()
