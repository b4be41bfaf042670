"""Narration, synthesized sentence by sentence, so that the drawing can follow it.

The voice is SVOX Pico (Debian's libttspico-utils), the most natural of the voices that Debian packages
include completely. Its synthesis is deterministic, so redrawing a video moves no caption.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import NDArray

RATE = 16_000
Sound = NDArray[numpy.float32]

_SAID = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")


def shown(text: str) -> str:
    """The text of the caption: the written half of ``{written|spoken}``."""
    return _SAID.sub(r"\1", text)


def spoken(text: str) -> str:
    """The text for the voice: the spoken half of ``{written|spoken}``."""
    return _SAID.sub(r"\2", text)


@dataclass(frozen=True)
class Voice:
    language: str = "en-GB"
    speed: int = 92
    pitch: int = 98


def say(text: str, voice: Voice) -> Sound:
    """The samples of one sentence at 16 kHz, silence before and after trimmed."""
    order = f'<speed level="{voice.speed}"><pitch level="{voice.pitch}">{spoken(text)}</pitch></speed>'
    key = hashlib.sha256(f"{voice.language} {order}".encode()).hexdigest()[:20]
    path = Path(tempfile.gettempdir()) / "study-demo-voice" / f"{key}.wav"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        subprocess.run(["pico2wave", "-l", voice.language, "-w", path, order], check=True)
    with wave.open(str(path)) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    sound = (samples / 32768).astype(numpy.float32)
    loud = numpy.flatnonzero(numpy.abs(sound) > 0.008)
    start = max(0, int(loud[0]) - RATE // 50)
    return sound[start : int(loud[-1]) + RATE // 12]


def pauses(sound: Sound, shortest: float = 0.07) -> list[tuple[float, float]]:
    """The quiet stretches inside a sentence as (start, end) in seconds."""
    frame = RATE // 100
    count = len(sound) // frame
    level = numpy.sqrt(numpy.mean(sound[: count * frame].reshape(count, frame) ** 2, axis=1))
    out: list[tuple[float, float]] = []
    begin: int | None = None
    for index, quiet in enumerate([*(level < 0.012), False]):
        if quiet and begin is None:
            begin = index
        elif not quiet and begin is not None:
            if (index - begin) / 100 >= shortest and begin > 0:
                out.append((begin / 100, index / 100))
            begin = None
    return out


def clauses(text: str, sound: Sound, longest: int = 80) -> list[tuple[str, float, float]]:
    """Cut a sentence into captions of at most ``longest`` characters, at its pauses.

    Returns (caption, start, end) in seconds from the sentence's beginning. A comma is looked for in
    the sound where the share of the text before it says it should be.
    """
    total = len(sound) / RATE
    words = shown(text)
    if len(words) <= longest:
        return [(words, 0.0, total)]
    said = spoken(text)
    marks = [match.end() for match in re.finditer(r"[,;:.?]\s", words)]
    parts = max(2, -(-len(words) // longest))
    cuts: list[int] = []
    for number in range(1, parts):
        ideal = len(words) * number / parts
        options = [m for m in marks if m not in cuts] or [m.end() for m in re.finditer(r"\s", words)]
        cuts.append(min(options, key=lambda mark: abs(mark - ideal)))
    cuts = sorted(set(cuts))
    quiet = pauses(sound)
    times = [0.0]
    for cut in cuts:
        guess = total * (cut / len(words)) * (len(said) / len(said))
        near = [gap for gap in quiet if abs(sum(gap) / 2 - guess) < total * 0.15]
        gap = min(near, key=lambda gap: abs(sum(gap) / 2 - guess)) if near else (guess, guess)
        times.append(sum(gap) / 2)
    times.append(total)
    edges = [0, *cuts, len(words)]
    return [(words[edges[i] : edges[i + 1]].strip(), times[i], times[i + 1]) for i in range(len(edges) - 1)]
