"""A difference of texts as the lines that pages show."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import ngettext

from apps.courses.content_tree import Paragraph, Run

# A single line break is a space, unless a list, a table, a quotation or code begins after it.
_SOFT_BREAK = re.compile(r"(?<=[^\n])\n(?=[^\s\-*+>|#\d`~$])")
_MARKS = re.compile(r"\*\*|^#{1,6} ", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """A line of a difference: "same", "added", "removed", or "gap" for what is the same and left out."""

    kind: str
    runs: tuple[Run, ...]

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True)
class Block:
    """Lines that belong together, such as those of one text. ``is_key``: another answer is right by now."""

    title: str
    lines: tuple[Line, ...]
    is_key: bool = False


def lines_of(paragraphs: Sequence[Paragraph]) -> Iterator[Line]:
    """The paragraphs that differ, each with the one before it; the others are counted."""
    waiting: list[Paragraph] = []
    for paragraph in map(_readable, paragraphs):
        if paragraph.kind == "same":
            waiting.append(paragraph)
            continue
        yield from _gap(len(waiting) - 1)
        if waiting:
            yield Line("same", waiting[-1].runs)
        waiting = []
        yield from _sides(paragraph)
    yield from _gap(len(waiting))


def _readable(paragraph: Paragraph) -> Paragraph:
    """Return a paragraph of Markdown as people read it: without soft breaks, and marks that both versions have."""
    runs = [replace(run, text=_SOFT_BREAK.sub(" ", run.text)) for run in paragraph.runs]
    marks = [
        Counter(_MARKS.findall("".join(run.text for run in runs if run.kind != left_out)))
        for left_out in ("added", "removed")
    ]
    if paragraph.kind != "changed" or marks[0] == marks[1]:
        runs = [replace(run, text=_MARKS.sub("", run.text)) for run in runs]
    return replace(paragraph, runs=tuple(runs))


def _gap(count: int) -> Iterator[Line]:
    if count > 0:
        said = ngettext("%(num)d paragraph is the same", "%(num)d paragraphs are the same", count) % {"num": count}
        yield Line("gap", (Run("same", said),))


def _sides(paragraph: Paragraph) -> Iterator[Line]:
    if paragraph.kind != "added":
        yield Line("removed", tuple(run for run in paragraph.runs if run.kind != "added"))
    if paragraph.kind != "removed":
        yield Line("added", tuple(run for run in paragraph.runs if run.kind != "removed"))


def lines_of_values(before: Sequence[str], after: Sequence[str]) -> Iterator[Line]:
    for text in before:
        yield Line("same" if text in after else "removed", (Run("same", text),))
    for text in after:
        if text not in before:
            yield Line("added", (Run("added", text),))
