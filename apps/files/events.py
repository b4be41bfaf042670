"""What happened to videos. Ids only; each may be told twice."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class VideoAnnounced(Event):
    """An upload began that will become this video. ``target`` is what the uploader named, e.g. a lesson's uid."""

    video_id: int
    owner_id: int
    target: str


@dataclass(frozen=True, kw_only=True)
class VideoAnalyzed(Event):
    """Length and size of the picture are known; nothing can be watched yet."""

    video_id: int


@dataclass(frozen=True, kw_only=True)
class VideoPlayable(Event):
    """At least one rendition can be watched."""

    video_id: int


@dataclass(frozen=True, kw_only=True)
class VideoCompleted(Event):
    """All renditions can be watched."""

    video_id: int


@dataclass(frozen=True, kw_only=True)
class ReplacementFailed(Event):
    """The new contents of a video were no good; it is what it was before. ``version``, ``filename``: theirs."""

    video_id: int
    version: str
    filename: str


@dataclass(frozen=True, kw_only=True)
class VideoFailed(Event):
    """Processing ended without a complete video; the asset says why."""

    video_id: int
