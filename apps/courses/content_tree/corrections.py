"""Small corrections: which changes of a next version are no more than corrected texts, and may go live by themselves.

They are texts of what is there already. Nothing is added, removed or moved, no answer, price, video or date changes.
A text leads to and shows what it did: it has other words, not other links, pictures or gaps. A choice reads as before.
"""

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from apps.courses.content_tree.shape import Tree, lessons_of, quizzes_of
from apps.courses.content_tree.text_differences import count_changed_words

MAX_WORDS_OF_TEXT = 12  # changed words of one text
MAX_WORDS_IN_ALL = 40  # changed words of all texts that are published together
MIN_LIKENESS_OF_CHOICE = 0.6  # of its letters: another word may make another choice right

_COURSE_TEXTS = ("title", "summary", "description", "before_you_begin")
_LESSON_TEXTS = ("title", "summary", "body")
_QUESTION_TEXTS = ("prompt", "explanation")
# What a text leads to, shows or asks: addresses, link targets, gaps, formulas and code.
_FIXED = re.compile(r"[a-z][a-z0-9+.-]*://[^\s)>\]]+|\]\([^)]*\)|\[\[\d+\]\]|<[^>]*>|\$[^$]*\$|`[^`]*`", re.IGNORECASE)

Place = tuple[str, str, str]
"""Where a text stands: "course", "section", "lesson", "quiz" (by its lesson) or "question"; a uid; a field.

A field of several texts has the way to the one behind a colon: "options:2", "chapters:0".
"""


@dataclass(frozen=True)
class Correction:
    """A text of the published course, and what becomes of it. ``title`` is that of its lesson, section or course."""

    place: Place
    title: str
    before: str
    after: str
    words: int

    @property
    def field(self) -> str:
        """The name of the field without the way into it."""
        return self.place[2].partition(":")[0]


@dataclass(frozen=True)
class Corrections:
    """What may go live at once. ``is_too_much``: each text would be small enough, but not all of them together."""

    chosen: tuple[Correction, ...]
    words: int
    is_too_much: bool = False


def select_corrections(base: Tree, live: Tree, following: Tree, *, words_left: int = MAX_WORDS_IN_ALL) -> Corrections:
    """Return the small corrections among what a working copy changes.

    :param base: what the copy was begun from. A text that the published course has otherwise by now isn't corrected.
    :param following: the tree of the working copy.
    :param words_left: how many words may change in all.
    """
    begun_from = _rows_by_place(base)
    found = [one for one in _corrected(live, following) if _text_at(begun_from, one.place) == one.before]
    words = sum(one.words for one in found)
    if words > words_left:
        return Corrections((), words, is_too_much=True)
    return Corrections(tuple(found), words)


def with_corrections(tree: Tree, corrections: Sequence[Correction], *, is_undo: bool = False) -> Tree:
    """Return the tree with the corrected texts, or with the former ones. A text that is neither stays as it is."""
    new = copy.deepcopy(tree)
    rows = _rows_by_place(new)
    for one in corrections:
        kind, uid, _field = one.place
        was, becomes = (one.after, one.before) if is_undo else (one.before, one.after)
        row = rows.get((kind, uid))
        if row is not None and _text_in(row, one.place[2]) == was:
            _set_text(row, one.place[2], becomes)
    return new


def _corrected(live: Tree, following: Tree) -> Iterator[Correction]:
    """Yield the texts that differ little in both trees, in the order of the course."""
    new = _rows_by_place(following)
    for (kind, uid), row in _rows_by_place(live).items():
        other = new.get((kind, uid))
        for field in _fields(kind, row, other) if other is not None else ():
            before, after = _text_in(row, field), _text_in(other or {}, field)
            if before == after or not isinstance(before, str) or not isinstance(after, str):
                continue
            words = count_changed_words(before, after)
            is_filled = bool(before.strip() and after.strip())
            if words > MAX_WORDS_OF_TEXT or not is_filled or _fixed(before) != _fixed(after):
                continue
            if not field.startswith("options") or _is_alike(before, after):
                yield Correction(
                    (kind, uid, field), str(row.get("title") or row.get("prompt") or ""), before, after, words
                )


def _is_alike(before: str, after: str) -> bool:
    return SequenceMatcher(None, before, after, autojunk=False).ratio() >= MIN_LIKENESS_OF_CHOICE


def _fixed(text: str) -> Counter[str]:
    return Counter(_FIXED.findall(text))


def _rows_by_place(tree: Tree) -> dict[tuple[str, str], dict[str, Any]]:
    rows: dict[tuple[str, str], dict[str, Any]] = {("course", ""): tree["course"]}
    for section in tree["sections"]:
        rows["section", section["uid"]] = section
    for lesson in lessons_of(tree):
        rows["lesson", lesson["uid"]] = lesson
    for uid, quiz in quizzes_of(tree):
        if uid is not None:
            rows["quiz", uid] = quiz
        for question in quiz["questions"]:
            rows["question", question["uid"]] = question
    return rows


def _fields(kind: str, row: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of a row whose texts may be corrected."""
    match kind:
        case "course":
            yield from _COURSE_TEXTS
        case "section":
            yield "title"
        case "lesson":
            yield from _LESSON_TEXTS
            starts = [[chapter[0] for chapter in one["chapters"]] for one in (row, other)]
            if starts[0] == starts[1]:
                yield from (f"chapters:{place}" for place in range(len(starts[0])))
        case "quiz":
            yield "intro"
        case "question":
            yield from _QUESTION_TEXTS
            yield from _option_fields(row, other)


def _option_fields(row: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of choices: of questions with the same ones in the same order, and the same answer."""
    if any(row[name] != other[name] for name in ("kind", "answer")):
        return
    for way in ("", "left.", "right."):
        lists = [_choices(one["options"], way) for one in (row, other)]
        if lists[0] and [one["id"] for one in lists[0]] == [one["id"] for one in lists[1]]:
            yield from (f"options:{way}{place}" for place in range(len(lists[0])))


def _choices(options: Any, way: str) -> list[dict[str, Any]]:
    found = options.get(way.rstrip("."), []) if isinstance(options, dict) and way else options
    is_list = isinstance(found, list) and all(isinstance(one, dict) and {"id", "text"} <= one.keys() for one in found)
    return found if is_list and (not way or isinstance(options, dict)) else []


def _slot(row: Mapping[str, Any], field: str) -> tuple[Any, Any] | None:
    """Return what holds a text and under which key; None if it isn't there."""
    name, _, way = field.partition(":")
    if not way:
        return (row, name) if name in row else None
    if name == "chapters":
        return (row["chapters"][int(way)], 1) if int(way) < len(row["chapters"]) else None
    side, _, place = way.rpartition(".")
    choices = _choices(row["options"], f"{side}." if side else "")
    return (choices[int(place)], "text") if int(place) < len(choices) else None


def _text_in(row: Mapping[str, Any], field: str) -> Any:
    slot = _slot(row, field)
    return slot[0][slot[1]] if slot is not None else None


def _set_text(row: Mapping[str, Any], field: str, text: str) -> None:
    slot = _slot(row, field)
    if slot is not None:
        slot[0][slot[1]] = text


def _text_at(rows: Mapping[tuple[str, str], dict[str, Any]], place: Place) -> Any:
    row = rows.get(place[:2])
    return _text_in(row, place[2]) if row is not None else None
