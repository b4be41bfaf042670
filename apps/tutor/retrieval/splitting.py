"""Split lessons into passages: a few sentences that answer a question by themselves. No database here."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from apps.files.queries import CaptionCue
from apps.tutor.retrieval.blocks import Block

TEXT_WORDS = 70
"""A passage of text ends before the sentence that would make it longer."""
SPOKEN_WORDS = 45
"""A passage of captions ends with the first sentence that makes it this long."""
MOST_SPOKEN_WORDS = 110
"""Captions without punctuation are cut here."""
MOST_SENTENCE_WORDS = 150
"""Longer sentences (a table, code, a list without stops) are cut."""
_SENTENCE_END = re.compile(r"(?<=[.!?;:…])[\"”’)]*\s+(?=\S)")


class Piece(NamedTuple):
    """A passage before it is stored. ``second`` of the video, None outside of captions."""

    heading: str
    text: str
    second: float | None = None


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, cut after :data:`MOST_SENTENCE_WORDS`."""
    for sentence in _SENTENCE_END.split(text):
        words = sentence.split()
        for start in range(0, len(words), MOST_SENTENCE_WORDS):
            yield " ".join(words[start : start + MOST_SENTENCE_WORDS])


def split_text(blocks: Iterable[Block]) -> Iterator[Piece]:
    """Yield passages of whole sentences that never cross a heading."""
    heading, parts, count = "", list[str](), 0
    for block in blocks:
        if block.heading != heading and parts:
            yield Piece(heading, " ".join(parts))
            parts, count = [], 0
        heading = block.heading
        for sentence in sentences(block.text):
            length = len(sentence.split())
            if parts and count + length > TEXT_WORDS:
                yield Piece(heading, " ".join(parts))
                parts, count = [], 0
            parts.append(sentence)
            count += length
    if parts:
        yield Piece(heading, " ".join(parts))


def split_captions(cues: Sequence[CaptionCue], chapters: Sequence[tuple[float, str]] = ()) -> Iterator[Piece]:
    """Yield passages of captions with the second at which they begin. A chapter begins a passage and is its heading.

    ``chapters``: start in seconds and title, ascending.
    """
    parts, count, start, heading = list[str](), 0, 0.0, ""
    coming = list(chapters)
    for cue in cues:
        begins_chapter = False
        while coming and cue.start >= coming[0][0] - 0.5:
            begins_chapter, next_heading = True, coming.pop(0)[1]
        if begins_chapter:
            if parts:
                yield Piece(heading, " ".join(parts), start)
                parts, count = [], 0
            heading = next_heading
        if not parts:
            start = cue.start
        parts.append(" ".join(cue.text.split()))
        count += len(parts[-1].split())
        if (count >= SPOKEN_WORDS and parts[-1].endswith((".", "?", "!"))) or count >= MOST_SPOKEN_WORDS:
            yield Piece(heading, " ".join(parts), start)
            parts, count = [], 0
    if parts:
        yield Piece(heading, " ".join(parts), start)
