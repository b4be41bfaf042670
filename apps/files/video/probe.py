"""What is in a video file. The libraries that read it run in a process of their own, so that a
file made to crash or to hang them ends one probe and not the worker."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .failures import CorruptFile, FormatUnsupported, ProcessingFailed, VideoFailure
from .recipe import Recipe
from .sniff import Container, sniff_file

FAILURES: dict[str, type[VideoFailure]] = {
    kind.__name__: kind for kind in (CorruptFile, FormatUnsupported, ProcessingFailed)
}


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The video track. Sizes are pixels as they are to be seen: turned upright, square pixels."""

    index: int
    codec: str
    profile: str
    level: int
    pixel_format: str
    width: int
    height: int
    coded_width: int
    coded_height: int
    turns: tuple[str, ...]  # filters that bring the stored picture upright
    square_pixels: bool
    interlaced: bool
    transfer: str  # "sdr", "pq" or "hlg"
    matrix: str  # "bt709", "bt601" or "bt2020"
    frame_rate: str  # a fraction, "30000/1001"
    is_variable: bool
    starts_at: float
    ends_at: float
    frames: int
    bit_rate: int
    keyframes: tuple[float, ...]  # seconds
    keyframe_gap: float  # the longest way from one to the next, or to the end
    is_copyable_stream: bool  # closed groups of pictures, one configuration, nothing cut off

    @property
    def rate(self) -> Fraction:
        return Fraction(self.frame_rate)


@dataclass(frozen=True, kw_only=True)
class Sound:
    """The audio track that is used."""

    index: int
    codec: str
    channels: int
    sample_rate: int
    starts_at: float
    ends_at: float
    language: str


@dataclass(frozen=True, kw_only=True)
class Text:
    """A subtitle track whose cues are text."""

    index: int
    codec: str
    language: str  # as written in the file: ISO 639, or empty
    title: str
    is_default: bool


@dataclass(frozen=True, kw_only=True)
class Probe:
    """All that the pipeline wants to know of a source. Times are seconds from the file's start."""

    container: str
    duration: float
    size: int
    picture: Picture
    sound: Sound | None
    texts: tuple[Text, ...]

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Probe:
        """Rebuild a probe that `to_json` wrote."""
        raw: dict[str, Any] = json.loads(text)
        picture = raw.pop("picture")
        sound = raw.pop("sound")
        texts = raw.pop("texts")
        picture["keyframes"] = tuple(picture["keyframes"])
        picture["turns"] = tuple(picture["turns"])
        return cls(
            picture=Picture(**picture),
            sound=Sound(**sound) if sound else None,
            texts=tuple(Text(**each) for each in texts),
            **raw,
        )


def probe(path: Path, recipe: Recipe) -> Probe:
    """Look into a file, reading it once from end to end.

    :raises CorruptFile: empty, truncated, not a video, or damaged beyond decoding.
    :raises FormatUnsupported: a container or a codec that is not accepted; no picture; protected.
    :raises ProcessingFailed: the look took longer than `recipe.probe_limit`.
    """
    container = sniff_file(path)
    report = _examine_apart(path, container, recipe)
    if "failure" in report:
        raise FAILURES[report["failure"]](report["reason"], report["note"])
    found = Probe.from_json(json.dumps(report))
    if found.picture.width * found.picture.height > recipe.most_pixels:
        raise FormatUnsupported("too_large_picture")
    if found.duration > recipe.longest:
        raise FormatUnsupported("too_long", f"{found.duration:.0f} s")
    return found


def _examine_apart(path: Path, container: Container, recipe: Recipe) -> dict[str, Any]:
    root = Path(__file__).resolve().parents[3]
    module = f"{__package__}.examine"
    try:
        ran = subprocess.run(  # noqa: S603 (our own interpreter and module)
            [sys.executable, "-m", module, container.value, str(path.resolve())],
            cwd=root,
            stdin=subprocess.PIPE,
            capture_output=True,
            timeout=recipe.probe_limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProcessingFailed("stalled", "probe") from None
    try:
        report: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        # The reader itself fell over these bytes: a signal, a limit.
        note = f"exit {ran.returncode}: {ran.stderr[-500:].decode(errors='replace')}"
        raise CorruptFile("unreadable", note) from None
    return report
