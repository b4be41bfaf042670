"""Cut a piece out of the encoded sound of a video, small enough to be sent to a speech model."""

from __future__ import annotations

from pathlib import Path

import ffmpeg

from .filter_graph import compile_arguments
from .sound_levels import Span

SAMPLE_RATE = 16_000  # what speech models hear
BIT_RATE = 48_000


def parse_segments(playlist: str) -> list[tuple[str, float, float]]:
    """Name, begin and end in seconds of each segment of a media playlist."""
    found, at, length = [], 0.0, 0.0
    for line in playlist.splitlines():
        if line.startswith("#EXTINF:"):
            length = float(line[len("#EXTINF:") :].split(",", 1)[0])
        elif line and not line.startswith("#"):
            found.append((line.strip(), at, at + length))
            at += length
    return found


def piece_arguments(sound: Path, span: Span, target: Path) -> list[str]:
    """Cut ``span`` out of segments that have kept their times, as mono speech. Seconds of the video."""
    track = ffmpeg.input(f"file:{sound}", f="mov", copyts=None)["a:0"]
    track = track.filter("atrim", start=f"{span[0]:.3f}", end=f"{span[1]:.3f}").filter("asetpts", "PTS-STARTPTS")
    options = {"c:a": "aac", "b:a": BIT_RATE, "ac": 1, "ar": SAMPLE_RATE, "movflags": "faststart"}
    return compile_arguments(ffmpeg.output(track, f"file:{target}", f="mp4", **options))
