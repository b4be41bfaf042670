"""How loud the sound of a video is over time: peaks for a waveform, pauses, and its loudness (EBU R128).

ffmpeg writes the sound as plain samples and its loudness as text (`renditions.measure_arguments`); both are read here
in pieces, so that memory does not grow with the length of a lecture.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

Span = tuple[float, float]
"""Begin and end in seconds."""

SAMPLE_RATE = 8000  # of the samples that are measured; a waveform and pauses need no more
FRAME_SECONDS = 0.01
FRAME_SAMPLES = round(SAMPLE_RATE * FRAME_SECONDS)
FRAMES_AT_ONCE = 6000
#: Peaks per second of a video that is no longer than so many hours: a waveform needs half a megabyte at most.
PEAK_RATES = ((2, 50), (4, 25), (math.inf, 10))
PEAK_TOP = 255
MIN_PAUSE_SECONDS = 0.2
MAX_CLICK_SECONDS = 0.04  # a shorter sound does not end a pause
QUIETEST_DB = -90.0  # decibels relative to full scale; digital silence counts as this
SILENCE_DB = -60.0  # what is below is silent in every recording
#: Where the quietest and the loudest parts of a recording differ by less, it has no pauses: music, noise.
MIN_SPEECH_RANGE_DB = 12.0
#: A pause is at most this share of the way from the background noise to the speech.
PAUSE_SHARE = 0.3
UNMEASURABLE_LUFS = -69.0  # EBU R128 gates at -70: what is not above it has no loudness

_LINE = re.compile(r"lavfi\.r128\.(I|true_peaks?(?:_ch\d+)?)=(\S+)")


@dataclass(frozen=True, kw_only=True)
class SoundLevels:
    """What was measured of a sound.

    ``rate``: peaks per second; ``peaks``: one byte each, 0 for silence, 255 for the loudest of the recording.
    ``silences``: pauses of at least `MIN_PAUSE_SECONDS`. ``duration``: seconds. ``loudness``: integrated, in LUFS, None
    where it cannot be measured. ``true_peak``: in decibels relative to full scale, None for silence.
    """

    rate: int
    peaks: bytes
    silences: tuple[Span, ...]
    duration: float
    loudness: float | None
    true_peak: float | None

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self) | {"peaks": base64.b64encode(self.peaks).decode()})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Parse the output of `to_json`.

        :raises ValueError: it is something else.
        """
        try:
            raw: dict[str, Any] = json.loads(text)
            silences = tuple((float(begin), float(end)) for begin, end in raw.pop("silences"))
            return cls(peaks=base64.b64decode(raw.pop("peaks")), silences=silences, **raw)
        except (KeyError, TypeError) as problem:
            raise ValueError(str(problem)) from None


def measure_levels(samples: Path, loudness: Path, duration: float) -> SoundLevels:
    """Measure a sound. ``samples``: mono, 16 bits, `SAMPLE_RATE`. ``loudness``: ffmpeg's measurements as text."""
    rate = choose_peak_rate(duration)
    peaks, levels = [], []
    with samples.open("rb") as file:
        for frames in _read_frames(file):
            peaks.append(_peaks_of(frames, rate))
            levels.append(_decibels(np.sqrt(np.mean(np.square(frames, dtype=np.float32), axis=1))))
    with loudness.open() as text:
        integrated, top = read_loudness(text)
    return SoundLevels(
        rate=rate,
        peaks=scale_peaks(np.concatenate(peaks) if peaks else np.zeros(0, np.float32)),
        silences=find_silences(np.concatenate(levels) if levels else np.zeros(0, np.float32), duration),
        duration=round(duration, 3),
        loudness=integrated,
        true_peak=top,
    )


def choose_peak_rate(duration: float) -> int:
    """Peaks per second for a sound of this length in seconds."""
    return next(rate for hours, rate in PEAK_RATES if duration <= hours * 3600)


def _read_frames(file: IO[bytes]) -> Iterator[NDArray[np.float32]]:
    """The samples, -1 to 1, in arrays of whole seconds at most; a row is a frame of `FRAME_SECONDS`."""
    while data := file.read(FRAMES_AT_ONCE * FRAME_SAMPLES * 2):
        whole = np.frombuffer(data[: len(data) // 2 * 2], dtype="<i2").astype(np.float32) / 32768
        missing = -len(whole) % FRAME_SAMPLES
        padded: NDArray[np.float32] = np.pad(whole, (0, missing)).astype(np.float32)
        yield padded.reshape(-1, FRAME_SAMPLES)


def _peaks_of(frames: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    per_frame = np.max(np.abs(frames), axis=1)
    together = round(1 / FRAME_SECONDS / rate)
    padded = np.pad(per_frame, (0, -len(per_frame) % together))
    top: NDArray[np.float32] = padded.reshape(-1, together).max(axis=1)
    return top


def scale_peaks(peaks: NDArray[np.float32]) -> bytes:
    """One byte per peak. A single click does not make the rest look silent: the loudest thousandth is cut off."""
    if not len(peaks):
        return b""
    top = float(np.quantile(peaks, 0.999))
    if top <= 0:
        top = float(peaks.max()) or 1.0
    return bytes(np.clip(np.rint(peaks / top * PEAK_TOP), 0, PEAK_TOP).astype(np.uint8))


def _decibels(amplitudes: NDArray[np.float32]) -> NDArray[np.float32]:
    floor = 10 ** (QUIETEST_DB / 20)
    found: NDArray[np.float32] = (20 * np.log10(np.maximum(amplitudes, floor))).astype(np.float32)
    return found


def find_silences(levels: NDArray[np.float32], duration: float) -> tuple[Span, ...]:
    """The pauses in the level of each frame, in decibels. They do not overlap and are in order."""
    is_quiet = levels < pause_threshold(levels)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_quiet, [False])).astype(np.int8)))
    spans = edges.reshape(-1, 2) * FRAME_SECONDS
    joined: list[list[float]] = []
    for begin, end in spans.tolist():
        end = min(end, duration)
        # Two pauses that only a click separates are one.
        if joined and begin - joined[-1][1] <= MAX_CLICK_SECONDS and end - begin > MAX_CLICK_SECONDS:
            joined[-1][1] = end
        else:
            joined.append([begin, end])
    return tuple((round(begin, 3), round(end, 3)) for begin, end in joined if end - begin >= MIN_PAUSE_SECONDS - 1e-6)


def pause_threshold(levels: NDArray[np.float32]) -> float:
    """The level in decibels below which a frame belongs to a pause.

    It lies between the background noise and the speech of this recording: a fan is no speech, and a quiet voice is.
    """
    if not len(levels):
        return SILENCE_DB
    noise, speech = np.quantile(levels[levels > QUIETEST_DB] if np.any(levels > QUIETEST_DB) else levels, (0.05, 0.9))
    if speech - noise < MIN_SPEECH_RANGE_DB:
        return SILENCE_DB
    return max(SILENCE_DB, float(noise + PAUSE_SHARE * (speech - noise)))


def read_loudness(lines: IO[str]) -> tuple[float | None, float | None]:
    """The last integrated loudness in LUFS, and the highest true peak in decibels, of what `ebur128` has written."""
    last: float | None = None
    top = 0.0
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        try:
            value = float(found[2])
        except ValueError:
            continue
        if not math.isfinite(value):
            continue
        if found[1] == "I":
            last = value
        else:
            top = max(top, value)
    integrated = None if last is None or last <= UNMEASURABLE_LUFS else round(last, 2)
    return integrated, round(20 * math.log10(top), 2) if top > 0 else None
