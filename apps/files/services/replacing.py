"""New contents for a video that has some: the former ones are kept until the new ones are proven."""

import uuid
from typing import Any

from apps.files.models import VideoAsset
from apps.files.services.videos import enqueue_removal

# What a replacement changes before it is proven.
KEPT = (
    "filename", "source", "source_bytes", "stage", "failure", "failure_detail", "step", "percent",
    "duration", "width", "height", "has_audio", "facts",
)  # fmt: skip


def set_aside(video: VideoAsset) -> None:
    """Note what a locked video is, before its replacement arrives. The caller saves it."""
    former: dict[str, Any] = {name: getattr(video, name) for name in KEPT}
    video.former = former | {"version": video.version.hex if video.version else None}
    video.replacement_failure = ""


def bring_back(video: VideoAsset, *, why: str) -> None:
    """Make a locked video what it was before its replacement, and save it. ``why``: what was wrong with that,
    for its owner; empty when it was called off."""
    former = video.former or {}
    for name in KEPT:
        setattr(video, name, former[name])
    video.version = uuid.UUID(former["version"]) if former["version"] else None
    video.former, video.former_bytes = None, 0
    video.replacement_failure = why[:300]
    video.save()


def settle(video: VideoAsset) -> None:
    """The new contents of a locked video are proven: remove the former ones. The caller saves it."""
    former = video.former
    if former is None:
        return
    video.former, video.former_bytes = None, 0
    enqueue_removal(
        versions=[uuid.UUID(former["version"])] if former["version"] else [],
        names=[former["source"]] if former["source"] else [],
    )
