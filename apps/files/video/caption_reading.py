"""Read an uploaded caption file in a process of its own, which can be stopped.

While Python reads a long text, the other threads of a web server wait; and the libraries that recognize encodings and
formats take memory that a web server doesn't need.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .cues import Cue, Finding, UnreadableCaptions
from .webvtt import write_webvtt

MAX_BYTES = 2 * 2**20  # ten hours of speech, with three bytes per character
TIMEOUT_SECONDS = 20  # a file of 2 MB takes less than five


@dataclass(frozen=True, kw_only=True)
class CaptionReading:
    """What a file says. ``form``: a key of `FORMAT_NAMES`; ``encoding``: one of `cues.ENCODINGS`.

    ``is_guess``: the bytes make sense in other encodings too. ``counts``: how many findings there are of each kind, of
    which ``findings`` holds the first.
    """

    form: str
    encoding: str
    is_guess: bool
    cues: tuple[Cue, ...]
    findings: tuple[Finding, ...] = ()
    counts: dict[str, int] = dataclasses.field(default_factory=dict)

    @property
    def webvtt(self) -> str:
        return write_webvtt(self.cues)


def read_captions_in_subprocess(raw: bytes, *, language: str = "", encoding: str = "") -> CaptionReading:
    """`caption_files.read_captions` in a subprocess with limits on its time and memory.

    :raises UnreadableCaptions: as there, or reading took too long.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadableCaptions("size")
    command = [sys.executable, "-m", f"{__package__}.caption_files", language, encoding]
    root = Path(__file__).resolve().parents[3]
    try:
        done = subprocess.run(command, input=raw, stdout=subprocess.PIPE, timeout=TIMEOUT_SECONDS, cwd=root)  # noqa: S603
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):  # killed at a limit, it prints nothing
        raise UnreadableCaptions("time") from None
    if "reason" in answer:
        raise UnreadableCaptions(answer["reason"], answer["format_name"])
    answer["cues"] = tuple(Cue(**each) for each in answer["cues"])
    answer["findings"] = tuple(Finding(**each) for each in answer["findings"])
    return CaptionReading(**answer)
