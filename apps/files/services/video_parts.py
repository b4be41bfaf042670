"""The stored files of a video in one quality, for browsers that keep them."""

import re
from dataclasses import dataclass

from apps.files.models import VideoAsset
from apps.files.services.video_sending import PUBLISHED
from apps.files.storage import files_under, media_type_of, open_stored
from apps.files.video.playlist import MEDIA
from studyplatform.kit.caching.lru import LruCache

MAX_PLAYLIST_BYTES = 2**20  # of 20 hours: 200 kB
_SHEET = re.compile(r"storyboard-\d{1,4}\.jpg", re.ASCII)
_MAP = re.compile(r'#EXT-X-MAP:URI="([^"]+)"')


@dataclass(frozen=True, slots=True)
class VideoPart:
    """A stored file of a video: its name within the video, its size in bytes, its media type."""

    name: str
    size: int
    media_type: str


_parts: LruCache[tuple[VideoPart, ...]] = LruCache(200)  # by directory and quality: what is settled never changes


def list_video_parts(video: VideoAsset, quality: str) -> tuple[VideoPart, ...] | None:
    """Return what plays the video in one quality: playlist, beginning, segments; then its poster and storyboard.

    None while the video is processed, and if it has no such quality or a file of it is missing.
    """
    if not video.is_playable or not video.is_settled:
        return None
    key = (video.directory, quality, video.poster, video.storyboard)
    return _parts.get(key) or _list(video, quality, key)


def _list(video: VideoAsset, quality: str, key: tuple[str, ...]) -> tuple[VideoPart, ...] | None:
    names = _names_in_playlist(f"{video.directory}/{quality}/{MEDIA}")
    if names is None:
        return None
    stored = files_under(video.directory)
    sheets = sorted(
        (name for path in stored if _SHEET.fullmatch(name := path.removeprefix(f"{video.directory}/"))), key=_sheet
    )
    stills = [video.poster, *([video.storyboard, *sheets] if video.storyboard else [])]
    wanted = [f"{quality}/{name}" for name in (MEDIA, *names)] + [name for name in stills if name]
    found = []
    for name in dict.fromkeys(wanted):
        info = stored.get(f"{video.directory}/{name}")
        if info is None or not PUBLISHED.fullmatch(name):
            if name in stills:
                continue  # a picture that is missing is no reason not to play the video
            return None
        found.append(VideoPart(name, info.size, media_type_of(name)))
    return _parts.put(key, tuple(found))


def _sheet(name: str) -> int:
    return int(name.removeprefix("storyboard-").removesuffix(".jpg"))


def _names_in_playlist(playlist: str) -> list[str] | None:
    """Return the files that a media playlist names; None if there is none, or it has no end yet."""
    try:
        with open_stored(playlist) as file:
            text = file.read(MAX_PLAYLIST_BYTES + 1).decode(errors="replace")
    except FileNotFoundError:
        return None
    lines = [line.strip() for line in text.splitlines()]
    if len(text) > MAX_PLAYLIST_BYTES or "#EXT-X-ENDLIST" not in lines:
        return None
    begin = [found[1] for line in lines if (found := _MAP.match(line))]
    return begin + [line for line in lines if line and not line.startswith("#")]
