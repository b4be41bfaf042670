"""The pictures around a video: its poster, and the storyboard for scrubbing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ffmpeg

from .cues import clock

COLUMNS = 10
ROWS = 10
SHEET = "storyboard-%d.jpg"


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A storyboard: one tile every `interval` seconds, a hundred tiles on a sheet."""

    width: int
    height: int
    interval: float
    count: int

    @classmethod
    def of(cls, width: int, height: int, duration: float, long_edge: int) -> Sheet:
        """Choose tiles for a picture of this shape: one sheet up to 1000 s, then more."""
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
        """Rows of a sheet; a short video gets a short sheet."""
        return min(ROWS, math.ceil(self.count / COLUMNS))

    @property
    def columns(self) -> int:
        return min(COLUMNS, self.count)

    def output(self, stream: Any, folder: Path) -> Any:
        """Make the sheets from a stream of frames that begins at 0."""
        stream = stream.filter("fps", fps=f"1/{self.interval:g}", start_time=0, round="up")
        stream = stream.filter("scale", self.width, self.height, flags="area")
        stream = stream.filter("tile", f"{self.columns}x{self.rows}")
        return ffmpeg.output(stream, str(folder / SHEET), f="image2", **{"q:v": 5})

    def to_vtt(self, duration: float) -> str:
        """Write which tile belongs to which seconds, as WebVTT with media fragments."""
        lines = ["WEBVTT", ""]
        per_sheet = self.columns * self.rows
        for tile in range(self.count):
            begin, end = tile * self.interval, min((tile + 1) * self.interval, duration)
            x = tile % per_sheet % self.columns * self.width
            y = tile % per_sheet // self.columns * self.height
            name = SHEET % (tile // per_sheet + 1)
            lines += [
                f"{clock(begin)} --> {clock(end)}",
                f"{name}#xywh={x},{y},{self.width},{self.height}",
                "",
            ]
        return "\n".join(lines)
