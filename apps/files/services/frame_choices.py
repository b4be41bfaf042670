"""Frames of a video to choose from: tiles of its storyboard, spread over its length."""

from dataclasses import dataclass

from apps.files.models import VideoAsset
from apps.files.services.media_links import Sources
from apps.files.video.recipe import Recipe
from apps.files.video.storyboard import SHEET_NAME, Storyboard

MAX_CHOICES = 8


@dataclass(frozen=True, kw_only=True)
class FrameChoice:
    """A tile of a sheet. ``second`` of the video; all else in pixels of the sheet at ``url``."""

    second: int
    url: str
    x: int
    y: int
    width: int
    height: int
    sheet_width: int
    sheet_height: int


def choose_frames(video: VideoAsset, sources: Sources | None) -> list[FrameChoice]:
    """Return tiles of the storyboard, the earliest first; none if the video has no storyboard or picture."""
    if sources is None or sources.storyboard is None or not video.width or not video.height or video.duration <= 0:
        return []
    board = Storyboard.of(video.width, video.height, video.duration, Recipe().tile_long_edge)
    count = min(MAX_CHOICES, board.count)
    # From the middle of each part: the very first frame is often black.
    tiles = sorted({int((part + 0.5) * board.count / count) for part in range(count)})
    base, per_sheet = sources.storyboard.rpartition("/")[0], board.columns * board.rows
    return [
        FrameChoice(
            second=int(tile * board.interval),
            url=f"{base}/{SHEET_NAME % (tile // per_sheet + 1)}",
            x=tile % per_sheet % board.columns * board.width,
            y=tile % per_sheet // board.columns * board.height,
            width=board.width,
            height=board.height,
            sheet_width=board.columns * board.width,
            sheet_height=board.rows * board.height,
        )
        for tile in tiles
    ]
