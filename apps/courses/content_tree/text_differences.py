"""How two texts differ, by paragraphs and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_COMPARED_WORDS = 4_000  # of a paragraph, or of two that are compared; longer ones are replaced whole
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


def compare_texts(before: str, after: str) -> list[Paragraph]:
    """Return the paragraphs of both texts in their order. A paragraph that changed is there once, with its runs."""
    old, new = (text.strip().split("\n\n") if text.strip() else [] for text in (before, after))
    found: list[Paragraph] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Paragraph("same", (Run("same", one),)) for one in old[i1:i2]]
            continue
        pairs = min(i2 - i1, j2 - j1)
        found += [_compare_paragraphs(old[i1 + at], new[j1 + at]) for at in range(pairs)]
        found += [Paragraph("removed", (Run("removed", one),)) for one in old[i1 + pairs : i2]]
        found += [Paragraph("added", (Run("added", one),)) for one in new[j1 + pairs : j2]]
    return found


def count_changed_words(before: str, after: str) -> int:
    """Return how many words differ: of a replacement the longer side counts. Spaces and punctuation are no words.

    Paragraphs that are the same are left out first, so that long texts with few changes are compared quickly.
    """
    old, new = before.split("\n\n"), after.split("\n\n")
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(
        _count_in_part("\n\n".join(old[i1:i2]), "\n\n".join(new[j1:j2]))
        for kind, i1, i2, j1, j2 in codes
        if kind != "equal"
    )


def _count_in_part(before: str, after: str) -> int:
    old, new = _words(before), _words(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if len(old) + len(new) > MAX_COMPARED_WORDS:
        return max(len(old), len(new))
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(_real(old[i1:i2]), _real(new[j1:j2])) or 1 for kind, i1, i2, j1, j2 in codes if kind != "equal")


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text) if not word.isspace()]


def _real(words: Sequence[str]) -> int:
    return sum(word[0].isalnum() for word in words)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _compare_paragraphs(before: str, after: str) -> Paragraph:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > MAX_COMPARED_WORDS:
        return Paragraph("changed", (Run("removed", before), Run("added", after)))
    return Paragraph("changed", tuple(_runs(old, new)))


def _runs(old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    """Yield what two paragraphs consist of."""
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Run("same", "".join(old[i1:i2]))
            continue
        if i1 != i2:
            yield Run("removed", "".join(old[i1:i2]))
        if j1 != j2:
            yield Run("added", "".join(new[j1:j2]))
