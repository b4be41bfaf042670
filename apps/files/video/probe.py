"""What is in a video file. The libraries that read it run in a process of their own, so that a
file made to crash or to hang them ends one probe and not the worker."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import time
from collections.abc import Callable
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
    packets: int = 0  # notes of an earlier release do not say


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


def probe(path: Path, recipe: Recipe, report: Callable[[float], None] = lambda _: None) -> Probe:
    """Look into a file, reading it once from end to end. `report` hears about once a second that we
    are at it, and may raise to stop the look.

    :raises CorruptFile: empty, truncated, not a video, or damaged beyond decoding.
    :raises FormatUnsupported: a container or a codec that is not accepted; no picture; protected.
    :raises ProcessingFailed: the look took longer than `recipe.probe_limit`.
    """
    container = sniff_file(path)
    answer = _examine_apart(path, container, recipe, report)
    if "failure" in answer:
        raise FAILURES[answer["failure"]](answer["reason"], answer["note"])
    found = Probe.from_json(json.dumps(answer))
    if found.picture.width * found.picture.height > recipe.most_pixels:
        raise FormatUnsupported("too_large_picture")
    if found.duration > recipe.longest:
        raise FormatUnsupported("too_long", f"{found.duration:.0f} s")
    return found


def _examine_apart(path: Path, container: Container, recipe: Recipe, report: Callable[[float], None]) -> dict[str, Any]:
    reader = subprocess.Popen(  # noqa: S603 (our own interpreter and module)
        [sys.executable, "-m", f"{__package__}.examine", container.value, str(path.resolve())],
        cwd=Path(__file__).resolve().parents[3],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        said, complaints = _wait(reader, recipe.probe_limit, report)
    finally:
        if reader.poll() is None:
            reader.kill()
            reader.communicate()
    try:
        answer: dict[str, Any] = json.loads(said)
    except ValueError:
        # The reader itself fell over these bytes: a signal, a limit.
        note = f"exit {reader.returncode}: {complaints[-500:].decode(errors='replace')}"
        raise CorruptFile("unreadable", note) from None
    return answer


def _wait(reader: subprocess.Popen[bytes], limit: float, report: Callable[[float], None]) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + limit
    while True:
        try:
            return reader.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            report(0.0)
            if time.monotonic() > deadline:
                raise ProcessingFailed("stalled", "probe") from None
