"""Inspect a video file. The media libraries run in a process of their own (`probe_worker`), so that a file made to
crash or hang them ends that process and not the worker."""

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

from .container import Container, check_container
from .failures import CorruptFile, FormatUnsupported, ProcessingFailed, VideoFailure
from .recipe import Recipe

FAILURES: dict[str, type[VideoFailure]] = {
    kind.__name__: kind for kind in (CorruptFile, FormatUnsupported, ProcessingFailed)
}


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The video track. Width and height are those of the displayed picture: upright, with square pixels."""

    index: int
    codec: str
    profile: str
    level: int
    pixel_format: str
    width: int
    height: int
    coded_width: int
    coded_height: int
    turns: tuple[str, ...]  # ffmpeg filters that rotate the stored picture upright
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
    keyframe_gap: float  # the longest interval in seconds between two, or to the end
    is_copyable_stream: bool  # closed GOPs, one codec configuration, no discarded packets

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
    packets: int = 0  # 0 in results of earlier releases


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
    """What the pipeline needs to know about a source. Times are seconds from the start of the file."""

    container: str
    duration: float
    size: int
    picture: Picture
    sound: Sound | None
    texts: tuple[Text, ...]
    pictured_texts: int = 0  # subtitle tracks that are pictures; 0 in results of earlier releases

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Probe:
        """Parse the output of `to_json`."""
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
    """Inspect a file, reading it once. `report` is called about once a second with 0.0, and may raise to stop.

    :raises CorruptFile: the file is empty, truncated, not a video, or cannot be decoded.
    :raises FormatUnsupported: the container or a codec is not supported, there is no picture, or the file is protected.
    :raises ProcessingFailed: it took longer than `recipe.probe_limit`.
    """
    container = check_container(path)
    result = _run_worker(path, container, recipe, report)
    if "failure" in result:
        raise FAILURES[result["failure"]](result["reason"], result["note"])
    found = Probe.from_json(json.dumps(result))
    if found.picture.width * found.picture.height > recipe.most_pixels:
        raise FormatUnsupported("too_large_picture")
    if found.duration > recipe.longest:
        raise FormatUnsupported("too_long", f"{found.duration:.0f} s")
    return found


def _run_worker(path: Path, container: Container, recipe: Recipe, report: Callable[[float], None]) -> dict[str, Any]:
    worker = subprocess.Popen(  # noqa: S603 (our own interpreter and module)
        [sys.executable, "-m", f"{__package__}.probe_worker", container.value, str(path.resolve())],
        cwd=Path(__file__).resolve().parents[3],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        output, errors = _wait(worker, recipe.probe_limit, report)
    finally:
        if worker.poll() is None:
            worker.kill()
            worker.communicate()
    try:
        result: dict[str, Any] = json.loads(output)
    except ValueError:
        # The worker was ended by a signal or a limit.
        note = f"exit {worker.returncode}: {errors[-500:].decode(errors='replace')}"
        raise CorruptFile("unreadable", note) from None
    return result


def _wait(worker: subprocess.Popen[bytes], limit: float, report: Callable[[float], None]) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + limit
    while True:
        try:
            return worker.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            report(0.0)
            if time.monotonic() > deadline:
                raise ProcessingFailed("stalled", "probe") from None
