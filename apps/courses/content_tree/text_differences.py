"""How two texts differ, by paragraphs and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

STEPS_TO_COMPARE = 300_000  # of a search, for one pair of texts: about a quarter of a second
STEPS_TO_COUNT = 50_000  # fewer, as all texts of a course are counted together
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Run:
    """Some characters that are in both texts (``kind`` "same"), or were "added" or "removed"."""

    kind: str
    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of either text: "same", "added", "removed", or "changed" with the runs of which it consists."""

    kind: str
    runs: tuple[Run, ...]


@dataclass
class _Steps:
    """How long the search for what two texts share may still take."""

    left: int


def compare_texts(before: str, after: str) -> list[Paragraph]:
    """Return the paragraphs of both texts in their order. A paragraph that changed is there once, with its runs.

    What differs too much to be compared within `STEPS_TO_COMPARE` is shown as replaced.
    """
    steps = _Steps(STEPS_TO_COMPARE)
    old, new = (text.strip().split("\n\n") if text.strip() else [] for text in (before, after))
    found: list[Paragraph] = []
    for is_same, i1, i2, j1, j2 in _find_parts(old, new, steps):
        if is_same:
            found += [Paragraph("same", (Run("same", one),)) for one in old[i1:i2]]
            continue
        pairs = min(i2 - i1, j2 - j1)
        found += [_compare_paragraphs(old[i1 + at], new[j1 + at], steps) for at in range(pairs)]
        found += [Paragraph("removed", (Run("removed", one),)) for one in old[i1 + pairs : i2]]
        found += [Paragraph("added", (Run("added", one),)) for one in new[j1 + pairs : j2]]
    return found


def count_changed_words(before: str, after: str) -> int:
    """Return how many words differ: of a replacement the longer side counts. Spaces and punctuation are no words.

    Of what differs too much to be compared within `STEPS_TO_COUNT`, all counts.
    """
    steps = _Steps(STEPS_TO_COUNT)
    old, new = before.split("\n\n"), after.split("\n\n")
    return sum(
        _count_in_part("\n\n".join(old[i1:i2]), "\n\n".join(new[j1:j2]), steps)
        for is_same, i1, i2, j1, j2 in _find_parts(old, new, steps)
        if not is_same
    )


def _count_in_part(before: str, after: str, steps: _Steps) -> int:
    old, new = _words(before), _words(after)
    parts = _find_parts(old, new, steps)
    return sum(max(_real(old[i1:i2]), _real(new[j1:j2])) or 1 for is_same, i1, i2, j1, j2 in parts if not is_same)


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text) if not word.isspace()]


def _real(words: Sequence[str]) -> int:
    return sum(word[0].isalnum() for word in words)


def _compare_paragraphs(before: str, after: str, steps: _Steps) -> Paragraph:
    if before == after:
        return Paragraph("same", (Run("same", before),))
    return Paragraph("changed", tuple(_runs(_WORDS.findall(before), _WORDS.findall(after), steps)))


def _runs(old: Sequence[str], new: Sequence[str], steps: _Steps) -> Iterator[Run]:
    """Yield what two paragraphs consist of."""
    for is_same, i1, i2, j1, j2 in _find_parts(old, new, steps):
        if is_same:
            yield Run("same", "".join(old[i1:i2]))
            continue
        if i1 != i2:
            yield Run("removed", "".join(old[i1:i2]))
        if j1 != j2:
            yield Run("added", "".join(new[j1:j2]))


_Part = tuple[bool, int, int, int, int]
"""Whether both sides are the same here, from and to where of the old one, from and to where of the new one."""
_Match = tuple[int, int, int]
"""Where something begins in the old and in the new one, and how long it is the same."""


def _find_parts(old: Sequence[str], new: Sequence[str], steps: _Steps) -> list[_Part]:
    """Return the parts of which two sequences consist, in their order: same and differing ones by turns."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    last_old, last_new = len(old) - end, len(new) - end
    inside = _find_matches(old[start:last_old], new[start:last_new], steps)
    matches = [(0, 0, 0), (0, 0, start), *((start + i, start + j, length) for i, j, length in inside)]
    matches += [(last_old, last_new, end)]
    parts: list[_Part] = []
    for (i0, j0, length0), (i1, j1, length) in pairwise(matches):
        if (i0 + length0, j0 + length0) != (i1, j1):
            parts.append((False, i0 + length0, i1, j0 + length0, j1))
        if length and parts and parts[-1][0]:
            parts[-1] = (True, parts[-1][1], i1 + length, parts[-1][3], j1 + length)
        elif length:
            parts.append((True, i1, i1 + length, j1, j1 + length))
    return parts


def _find_matches(old: Sequence[str], new: Sequence[str], steps: _Steps) -> list[_Match]:
    """Return what two sequences share with the fewest changes, none if finding it takes too long (Myers, 1986).

    For each number of changes it keeps how far one comes on each diagonal (place in old minus place in new), and by
    which matches. So the time grows with the changes rather than with the length.
    """
    furthest: dict[int, tuple[int, Any]] = {1: (0, None)}
    for changes in range(len(old) + len(new) + 1):
        for diagonal in range(-changes, changes + 1, 2):
            is_added = diagonal == -changes or (
                diagonal != changes and furthest[diagonal - 1][0] < furthest[diagonal + 1][0]
            )
            at, matches = furthest[diagonal + 1] if is_added else furthest[diagonal - 1]
            begin = at = at if is_added else at + 1
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            if at > begin:
                matches = ((begin, begin - diagonal, at - begin), matches)
            if at >= len(old) and at - diagonal >= len(new):
                return _in_order(matches)
            furthest[diagonal] = (at, matches)
            steps.left -= 1 + at - begin
        if steps.left <= 0:
            break
    return []


def _in_order(matches: Any) -> list[_Match]:
    found = []
    while matches is not None:
        match, matches = matches
        found.append(match)
    return found[::-1]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
