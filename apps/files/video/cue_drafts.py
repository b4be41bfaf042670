"""Make cues of what a reader of a format has found: each gets clean text and a time at which it can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .cue_text import clean_markup, plain_text
from .cues import Cue, Findings

MAX_CUE_TIME_SECONDS = 1000 * 3600.0  # a later time is a mistake
READING_SPEED = 15  # characters a second, for cues without a usable end
MIN_READING_SECONDS, MAX_READING_SECONDS = 1.0, 7.0


@dataclass
class CueDraft:
    """A cue while it is read. ``begin`` and ``end`` in seconds, None where they can't be read.

    ``line``: of its times, counted from 1; ``timing``: what stands there. ``words``: the lines of its text.
    """

    line: int
    timing: str
    begin: float | None
    end: float | None
    settings: str = ""
    chapter: str = ""
    words: list[str] = field(default_factory=list)


def in_order(cues: Iterable[Cue]) -> list[Cue]:
    """Sort cues as browsers do: by their begin; of those that begin together, the longest first."""
    return sorted(cues, key=lambda cue: (cue.begin, -cue.end))


def finish_cues(drafts: list[CueDraft], findings: Findings, *, is_webvtt: bool) -> list[Cue]:
    """Make cues of drafts in the order of the file, each with a time at which it can be read, and sort them."""
    cues = []
    last_begin = last_end = 0.0
    for draft in drafts:
        draft.begin = None if draft.begin is not None and draft.begin > MAX_CUE_TIME_SECONDS else draft.begin
    begins = [draft.begin for draft in drafts]
    for at, draft in enumerate(drafts):
        text, is_reduced = clean_markup("\n".join(draft.words), is_webvtt=is_webvtt)
        if not plain_text(text):
            findings.add(draft.line, "empty", draft.timing)
            continue
        if is_reduced:
            findings.add(draft.line + 1, "formatting", " ".join(draft.words))
        begin = last_end if draft.begin is None else draft.begin
        end = draft.end
        if draft.begin is None or end is None or end <= begin:
            following = begins[at + 1] if at + 1 < len(begins) else None
            end = _readable_end(begin, text, following)
            findings.add(draft.line, "placed", f"{draft.timing} {plain_text(text)}")
        if begin < last_begin:
            findings.add(draft.line, "moved", f"{draft.timing} {plain_text(text)}")
        last_begin, last_end = max(last_begin, begin), end
        cues.append(Cue(begin=begin, end=end, text=text, settings=draft.settings, chapter=draft.chapter))
    return in_order(cues)


def _readable_end(begin: float, text: str, following: float | None) -> float:
    """When a cue without a usable end ends: when it has been read, or when the following cue begins."""
    end = begin + min(max(len(text) / READING_SPEED, MIN_READING_SECONDS), MAX_READING_SECONDS)
    return round(min(end, following) if following is not None and following > begin else end, 3)
