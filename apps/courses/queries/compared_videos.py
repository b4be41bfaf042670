"""A page of what differs between two versions, with the videos side by side, for those who may read both."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from apps.courses.queries.version_differences import Entry, VersionDifference, page_of_changes
from apps.files.services import Audience, Sources, sign_link


def shown_changes(
    asked: Mapping[str, str], difference: VersionDifference, *, now: datetime, audience: Audience
) -> dict[str, Any]:
    """Return what pages show of a difference, as ``page_of_changes`` does, and addresses of its videos by their uids.

    The caller has checked that the audience may read both versions.
    """
    shown = page_of_changes(asked, difference)
    return {**shown, "players": _sign_videos(shown["changes"], now=now, audience=audience)}


def _sign_videos(entries: Iterable[Entry], *, now: datetime, audience: Audience) -> dict[Any, Sources]:
    """Return the addresses of each playable video. No query: videos were read with their captions."""
    videos = {video.uid: video for entry in entries for video in entry.videos or () if video is not None}
    signed = {
        uid: sign_link(video=video, now=now, audience=audience, captions=video.captions.all())
        for uid, video in videos.items()
    }
    return {uid: sources for uid, sources in signed.items() if sources is not None}
