"""Read MicroDVD and MPL2, in which each line is a cue: its begin and end, then its text."""

from __future__ import annotations

import re

from .cue_drafts import CueDraft
from .cue_text import escape_text
from .cues import Findings

DEFAULT_FRAME_RATE = 25.0  # as VLC assumes
_MPL2_UNITS_PER_SECOND = 10.0
_LINES = {
    "microdvd": re.compile(r"\{(\d{1,9})\}[ ]?\{(\d{0,9})\}(.*)"),
    "mpl2": re.compile(r"\[(\d{1,9})\][ ]?\[(\d{0,9})\](.*)"),
}
_FRAME_RATE = re.compile(r"\d{1,3}(?:[.,]\d{1,6})?")
#: Formatting: {y:i} is that of a line, {Y:i} that of the cue; {c:$0000ff} is a color.
_CONTROL = re.compile(r"\{(?:[A-Za-z]:[^{}|]*|DEFAULT)\}")


def read_lines(text: str, form: str, findings: Findings) -> list[CueDraft]:
    """Read the cues of a file of the format ``form``, a key of `FORMAT_NAMES`."""
    rate = _MPL2_UNITS_PER_SECOND if form == "mpl2" else 0.0
    drafts: list[CueDraft] = []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        line = line.strip(" \t\ufeff")
        found = _LINES[form].fullmatch(line)
        if found is None:
            if line and drafts:
                drafts[-1].words.append(_plain(line, number, findings))
            if line:
                findings.add(number, "joined" if drafts else "dropped", line)
            continue
        begin, end, words = found.groups()
        if not rate and not drafts and _FRAME_RATE.fullmatch(words.strip()) and int(begin) <= 1:
            rate = float(words.strip().replace(",", "."))
            if rate:
                continue
        if not rate:
            rate = DEFAULT_FRAME_RATE
            findings.add(number, "repaired", line)
        lines = [_plain(each, number, findings) for each in words.split("|")]
        timing = line.removesuffix(words)
        drafts.append(CueDraft(number, timing, _time(begin, rate), _time(end, rate) if end else None, words=lines))
    return drafts


def _time(units: str, rate: float) -> float:
    return round(int(units) / rate, 3)


def _plain(line: str, number: int, findings: Findings) -> str:
    """The text of a line, without its formatting; a slash before it makes italics."""
    words = _CONTROL.sub("", line).strip()
    if words != line.strip():
        findings.add(number, "formatting", line)
    if words.startswith("/") and not words.startswith("//"):
        return f"<i>{escape_text(words[1:].strip())}</i>"
    return escape_text(words)
