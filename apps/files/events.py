"""Events of videos. They hold ids only; each may be delivered twice."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class VideoAnnounced(Event):
    """An upload of this video began. ``target`` is what the client gave as its target, e.g. a lesson's uid."""

    video_id: int
    owner_id: int
    target: str


@dataclass(frozen=True, kw_only=True)
class VideoAnalyzed(Event):
    """Duration and picture size are known; the video is not playable yet."""

    video_id: int


@dataclass(frozen=True, kw_only=True)
class VideoPlayable(Event):
    """At least one rendition is playable."""

    video_id: int


@dataclass(frozen=True, kw_only=True)
class VideoCompleted(Event):
    """All renditions are playable."""

    video_id: int


@dataclass(frozen=True, kw_only=True)
class ReplacementFailed(Event):
    """A replacement failed, and the former contents were restored. ``version``, ``filename``: the replacement's."""

    video_id: int
    version: str
    filename: str


@dataclass(frozen=True, kw_only=True)
class VideoFailed(Event):
    """Processing failed; the video's row says why."""

    video_id: int
