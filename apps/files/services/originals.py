"""Originals of replaced and deleted videos go to the bin, as files do.

Only originals in storage do: those of videos that were processed. While a video is processed, its original is still
the upload, which is removed with the video. Binning and restoring only change rows, so a crash loses no file.
"""

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import User
from apps.files.models import BinnedOriginal, VideoAsset
from studyplatform.kit import jobs

_FACTS = ("filename", "source", "source_bytes", "source_sha256", "duration")


def original_name(video_uid: uuid.UUID, version: uuid.UUID, filename: str) -> str:
    """Where processing stores the original of this version of a video."""
    return f"originals/{video_uid.hex}/{version.hex}{PurePath(filename).suffix.lower()[:8]}"


def original_of(video: VideoAsset) -> dict[str, Any]:
    """What `bin_original` needs to know of the present contents of a video."""
    return {name: getattr(video, name) for name in _FACTS}


def bin_original(owner_id: int, original: Mapping[str, Any], *, why: str, video: VideoAsset | None = None) -> bool:
    """Move an original to its owner's bin, in the caller's transaction; the caller forgets where it is stored.

    ``original``: as `original_of`, or `VideoAsset.former`. Returns False if it is not in storage, or if the account was
    deleted: then the caller removes it.
    """
    if not original["source"] or not User.objects.filter(pk=owner_id, deleted_at=None).exists():
        return False
    now = timezone.now()
    BinnedOriginal.objects.create(
        owner_id=owner_id,
        video=video,
        why=why,
        filename=original["filename"],
        source=original["source"],
        size=original["source_bytes"],
        sha256=original.get("source_sha256", ""),  # a replacement that began before there were any has none
        duration=original["duration"],
        deleted_at=now,
    )
    schedule_purge(now=now)
    return True


def discard_original(video: VideoAsset, *, why: str, keep_link: bool) -> list[str]:
    """Move the present original of a locked video to the bin; return the names in storage that are to be removed.

    If it is not in storage, that is the name under which a killed worker may have left it, unless the bin or another
    video has the original of that name. ``keep_link``: the video stays.
    """
    if bin_original(video.owner_id, original_of(video), why=why, video=video if keep_link else None):
        return []
    if video.source or video.version is None:
        return [video.source] if video.source else []
    name = original_name(video.uid, video.version, video.filename)
    return [] if is_original_kept(name) else [name]


def is_original_kept(name: str) -> bool:
    """Whether the bin, a video or the former contents of a video have the original of this name."""
    return (
        BinnedOriginal.objects.filter(source=name).exists()
        or VideoAsset.objects.filter(Q(source=name) | Q(former__source=name)).exists()
    )


def schedule_purge(*, now: datetime) -> None:
    """Schedule when to delete what goes to the bin today. A day's deletions expire together, after the last of them."""
    jobs.enqueue("files.purge_bin", key=now.date().isoformat(), delay=timedelta(days=settings.BIN_DAYS + 1))
