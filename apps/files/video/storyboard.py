"""The storyboard of a video: small frames that the player shows while a viewer drags its slider."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ffmpeg

from .webvtt import format_timestamp

COLUMNS = 10
ROWS = 10
SHEET_NAME = "storyboard-%d.jpg"


@dataclass(frozen=True, kw_only=True)
class Storyboard:
    """One tile every `interval` seconds, at most a hundred per sheet. `width` and `height`: a tile's, in pixels."""

    width: int
    height: int
    interval: float
    count: int

    @classmethod
    def of(cls, width: int, height: int, duration: float, long_edge: int) -> Storyboard:
        """Choose the tiles for a picture of this shape: one sheet up to 1000 s, then several."""
        factor = long_edge / max(width, height)
        interval = float(min(max(math.ceil(duration / (COLUMNS * ROWS)), 1), 10))
        return cls(
            width=max(2, round(width * factor / 2) * 2),
            height=max(2, round(height * factor / 2) * 2),
            interval=interval,
            count=max(1, math.ceil(duration / interval - 1e-6)),
        )

    @property
    def rows(self) -> int:
        """Rows of a sheet; fewer for a short video."""
        return min(ROWS, math.ceil(self.count / COLUMNS))

    @property
    def columns(self) -> int:
        return min(COLUMNS, self.count)

    def output(self, stream: Any, folder: Path) -> Any:
        """The ffmpeg output that writes the sheets from a stream of frames that begins at 0."""
        stream = stream.filter("fps", fps=f"1/{self.interval:g}", start_time=0, round="up")
        stream = stream.filter("scale", self.width, self.height, flags="area")
        stream = stream.filter("tile", f"{self.columns}x{self.rows}")
        pattern = f"{str(folder).replace('%', '%%')}/{SHEET_NAME}"
        return ffmpeg.output(stream, pattern, f="image2", **{"q:v": 5})

    def to_webvtt(self, duration: float) -> str:
        """Write the tile of each interval as WebVTT with spatial media fragments (W3C Media Fragments URI 1.0)."""
        lines = ["WEBVTT", ""]
        per_sheet = self.columns * self.rows
        for tile in range(self.count):
            begin, end = tile * self.interval, min((tile + 1) * self.interval, duration)
            x = tile % per_sheet % self.columns * self.width
            y = tile % per_sheet // self.columns * self.height
            name = SHEET_NAME % (tile // per_sheet + 1)
            lines += [
                f"{format_timestamp(begin)} --> {format_timestamp(end)}",
                f"{name}#xywh={x},{y},{self.width},{self.height}",
                "",
            ]
        return "\n".join(lines)
