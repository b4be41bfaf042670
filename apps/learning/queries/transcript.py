"""What is said in a video, read from its captions."""

import re
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

_TIMING = re.compile(r"(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})\s+-->\s+(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})")
_TAG = re.compile(r"<[^>]*>")
_SENTENCE_END = (".", "?", "!", "…", ".”", '."', "?”", "!”")
PARAGRAPH = 14.0  # seconds after which a paragraph ends with its sentence
PAUSE = 2.5  # a silence this long ends it as well


@dataclass(frozen=True, slots=True)
class Cue:
    """Words spoken from one second to another."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Cues that read as one thought."""

    cues: tuple[Cue, ...]

    @property
    def start(self) -> float:
        return self.cues[0].start


@lru_cache(maxsize=256)
def cues_of(webvtt: str) -> tuple[Cue, ...]:
    """The cues of a WebVTT text; markup is dropped, lines of one cue are joined."""
    cues = []
    for block in webvtt.replace("\r\n", "\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        at = next((number for number, line in enumerate(lines) if "-->" in line), None)
        found = _TIMING.search(lines[at]) if at is not None else None
        if at is None or found is None:
            continue
        text = " ".join(unescape(_TAG.sub("", " ".join(lines[at + 1 :]))).split())
        if text:
            cues.append(Cue(_seconds(found.groups()[:4]), _seconds(found.groups()[4:]), text))
    return tuple(cues)


@lru_cache(maxsize=256)
def paragraphs_of(webvtt: str) -> tuple[Paragraph, ...]:
    """The cues gathered to paragraphs that end with a sentence."""
    paragraphs: list[Paragraph] = []
    current: list[Cue] = []
    for cue in cues_of(webvtt):
        if current:
            last = current[-1]
            long_enough = last.end - current[0].start >= PARAGRAPH and last.text.endswith(_SENTENCE_END)
            if long_enough or cue.start - last.end >= PAUSE:
                paragraphs.append(Paragraph(tuple(current)))
                current = []
        current.append(cue)
    if current:
        paragraphs.append(Paragraph(tuple(current)))
    return tuple(paragraphs)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, whole, thousandths = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + whole + thousandths / 1000
