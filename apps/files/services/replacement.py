"""Replace the contents of a video: the former contents stay until the new ones have been processed."""

import uuid
from typing import Any

from apps.files.models import BinnedOriginal, VideoAsset
from apps.files.services.originals import bin_original
from apps.files.services.videos import enqueue_removal

# What an upload that replaces a video changes before it is processed.
FORMER_FIELDS = (
    "filename", "source", "source_bytes", "source_sha256", "stage", "failure", "failure_detail", "step", "percent",
    "duration", "width", "height", "has_audio", "facts",
)  # fmt: skip


def save_former_version(video: VideoAsset) -> None:
    """Record a locked video's current state before its replacement is uploaded. The caller saves the row."""
    former: dict[str, Any] = {name: getattr(video, name) for name in FORMER_FIELDS}
    video.former = former | {"version": video.version.hex if video.version else None}
    video.replacement_failure = ""


def restore_former_version(video: VideoAsset, *, reason: str) -> None:
    """Restore a locked video to its state before the replacement, and save it.

    ``reason`` tells the owner what was wrong with the replacement; empty if the owner canceled it.
    """
    former = video.former or {}
    for name in FORMER_FIELDS:
        setattr(video, name, former.get(name, ""))  # no checksum if the replacement began before there were any
    video.version = uuid.UUID(former["version"]) if former["version"] else None
    video.former, video.former_bytes = None, 0
    video.replacement_failure = reason[:300]
    video.save()


def remove_former_version(video: VideoAsset) -> None:
    """Remove the former contents of a locked video once the new ones are processed. The caller saves the row.

    The former original goes to the bin.
    """
    former = video.former
    if former is None:
        return
    video.former, video.former_bytes = None, 0
    is_left = False
    if former["source"] and former["source"] != video.source:  # else the same original was processed again
        is_left = not bin_original(video.owner_id, former, why=BinnedOriginal.Why.REPLACED, video=video)
    enqueue_removal(
        versions=[uuid.UUID(former["version"])] if former["version"] else [],
        names=[former["source"]] if is_left else [],
    )
