"""Read the media playlists that ffmpeg wrote, and write the master playlist (HLS, RFC 8216).

ffmpeg omits CODECS for copied tracks and estimates bandwidths from the encoder's settings; here they are measured from
the finished files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from .failures import ProcessingFailed
from .mp4_boxes import children, codecs_of, find_all

MEDIA = "index.m3u8"
MASTER = "master.m3u8"


@dataclass(frozen=True, kw_only=True)
class Segment:
    """One segment of a rendition: file name, duration in seconds, size in bytes."""

    name: str
    duration: float
    size: int

    @property
    def rate(self) -> float:
        return self.size * 8 / self.duration


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The measurements of a finished rendition. Rates in bits per second, sizes in bytes."""

    name: str
    width: int
    height: int
    frame_rate: str  # a fraction; empty for sound alone
    codecs: str
    duration: float
    bandwidth: int
    average_bandwidth: int
    size: int
    segments: int
    is_copy: bool = False


def read_media(folder: Path) -> list[Segment]:
    """Read the media playlist of a rendition and the sizes of its segments.

    :raises ProcessingFailed: the playlist is incomplete, or a segment is missing.
    """
    lines = (folder / MEDIA).read_text().splitlines()
    if "#EXT-X-ENDLIST" not in lines:
        raise ProcessingFailed("incomplete", f"{folder.name}: no end", retry=True)
    segments = []
    duration = 0.0
    for line in lines:
        if line.startswith("#EXTINF:"):
            duration = float(line[8:].split(",")[0])
        elif line and not line.startswith("#"):
            file = folder / line
            if not file.is_file() or duration <= 0:
                raise ProcessingFailed("incomplete", f"{folder.name}: {line}", retry=True)
            segments.append(Segment(name=line, duration=duration, size=file.stat().st_size))
    if not segments:
        raise ProcessingFailed("incomplete", f"{folder.name}: empty", retry=True)
    return segments


def is_interleaved(folder: Path, tracks: int) -> bool:
    """Whether every segment contains every track. The last one may be too short for a frame of sound."""
    for segment in read_media(folder)[:-1]:
        with (folder / segment.name).open("rb") as file:
            head = file.read(64 * 1024)
        index = next((box for box in children(head, 0, len(head)) if box.kind == b"moof"), None)
        if index is None or sum(1 for _ in find_all(head, b"tfhd", index.start, index.end)) != tracks:
            return False
    return True


def peak_rate(segments: list[Segment]) -> int:
    """BANDWIDTH in bits per second as RFC 8216, section 4.1 defines the peak segment bit rate: the highest rate of any
    contiguous segments that last 0.5 to 1.5 times the target duration. A shorter video counts as a whole."""
    target = max(round(each.duration) or 1 for each in segments)
    peak = 0.0
    for first in range(len(segments)):
        seconds, size = 0.0, 0
        for segment in segments[first:]:
            seconds += segment.duration
            size += segment.size
            if seconds > 1.5 * target:
                break
            if seconds >= 0.5 * target:
                peak = max(peak, size * 8 / seconds)
    # A shorter last segment of at least a second counts too: the value may be slightly too high, never too low.
    peak = max([peak, *(each.rate for each in segments if each.duration >= 1)])
    return math.ceil(peak or sum(each.size for each in segments) * 8 / _length(segments))


def _length(segments: list[Segment]) -> float:
    return sum(each.duration for each in segments)


def measure(folder: Path, *, width: int, height: int, frame_rate: Fraction | None, is_copy: bool = False) -> Measured:
    """Measure a finished rendition from its files.

    :raises ProcessingFailed: the rendition is incomplete.
    """
    segments = read_media(folder)
    init = folder / "init.mp4"
    try:
        codecs = codecs_of(init.read_bytes())
    except (OSError, ValueError, IndexError) as problem:
        raise ProcessingFailed("incomplete", f"{folder.name}: {problem}", retry=True) from None
    total = sum(each.size for each in segments)
    return Measured(
        name=folder.name,
        width=width,
        height=height,
        frame_rate=str(frame_rate) if frame_rate else "",
        codecs=",".join(codecs),
        duration=round(_length(segments), 6),
        bandwidth=peak_rate(segments),
        average_bandwidth=math.ceil(total * 8 / _length(segments)),
        size=total + init.stat().st_size + (folder / MEDIA).stat().st_size,
        segments=len(segments),
        is_copy=is_copy,
    )


def write_master(renditions: list[Measured]) -> str:
    """Write the master playlist, in the order of the renditions given."""
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS", ""]
    for each in renditions:
        facts = [
            f"BANDWIDTH={each.bandwidth}",
            f"AVERAGE-BANDWIDTH={each.average_bandwidth}",
            f'CODECS="{each.codecs}"',
        ]
        if each.width:
            facts.append(f"RESOLUTION={each.width}x{each.height}")
            facts.append(f"FRAME-RATE={float(Fraction(each.frame_rate)):.3f}")
        facts.append(f'NAME="{each.name}"')
        lines += [f"#EXT-X-STREAM-INF:{','.join(facts)}", f"{each.name}/{MEDIA}"]
    return "\n".join(lines) + "\n"
