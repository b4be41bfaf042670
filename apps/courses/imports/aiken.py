"""Aiken, a text format for questions with one correct choice (https://docs.moodle.org/en/Aiken_format).

A question, its choices ("A) Paris" or "A. Paris") and "ANSWER: A". The letters may be of any script, in any case, and
the word before the colon in any language: what counts is that the line names letters of choices.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from apps.courses.imports.entries import (
    MAX_ENTRIES,
    Entry,
    ParsedQuestion,
    RefusedEntry,
    UnreadableFile,
    check_answer_count,
)
from apps.courses.imports.texts import PLAIN, TextReader, excerpt_of
from apps.courses.models import Question
from apps.courses.question_parts import Answers, Choice

_CHOICE = re.compile(r"\s*([^\W\d_])\s?[).、]\s*(.*)")  # of a text in compatibility form
_ANSWER = re.compile(r"\s*([^\s:\d]{1,30}(?: [^\s:\d]{1,30})?)\s*:\s*((?:[^\W\d_][).]?\s*(?:[,;&]\s*|$)){1,12})")
# Letters that look the same in Latin, Greek and Cyrillic: an answer may be typed on another keyboard.
_LOOKALIKES = str.maketrans("АВСЕНКМОРТХΑΒΕΗΙΚΜΝΟΡΤΧ", "ABCEHKMOPTXABEHIKMNOPTX")


@dataclass
class _Draft:
    line: int = 0
    asked: list[str] = field(default_factory=list)
    choices: list[tuple[str, str]] = field(default_factory=list)


def is_answer_line(line: str) -> bool:
    """Return whether a line names the correct choice."""
    return _ANSWER.fullmatch(unicodedata.normalize("NFKC", line)) is not None


def is_choice_line(line: str) -> bool:
    """Return whether a line is a choice with its letter."""
    return _CHOICE.fullmatch(unicodedata.normalize("NFKC", line)) is not None


def read_aiken(text: str) -> Iterator[Entry]:
    """Yield the questions of a file.

    :raises UnreadableFile: it has too many.
    """
    draft, number = _Draft(), 0
    for place, line in enumerate([*text.split("\n"), ""], start=1):
        is_last = place > text.count("\n") + 1
        letters = _answers_in(line, draft)
        if letters is None and not is_last:
            _take(draft, line, place)
            continue
        if not draft.asked and not draft.choices:
            if letters is None:
                return
            draft.line = place
        number += 1
        if number > MAX_ENTRIES:
            raise UnreadableFile(_("The file has more than %d questions. Split it.") % MAX_ENTRIES)
        yield _entry(draft, letters, number)
        draft = _Draft()


def _answers_in(line: str, draft: _Draft) -> list[str] | None:
    """Return the letters of an answer line; None of any other line, such as one of a question with a colon."""
    match = _ANSWER.fullmatch(unicodedata.normalize("NFKC", line))
    if match is None or (not draft.choices and match[1].upper() != "ANSWER"):
        return None
    return [_letter(one) for one in re.findall(r"[^\W\d_]", match[2])]


def _take(draft: _Draft, line: str, place: int) -> None:
    if not line.strip():
        return
    seen = unicodedata.normalize("NFKC", line)
    match = _CHOICE.fullmatch(seen) if draft.asked else None
    if match is not None:
        # The text of the choice as it was typed, with its letter and the sign after it cut off.
        typed = re.sub(r"^\s*\S\s?\S\s*", "", line, count=1)
        draft.choices.append((_letter(match[1]), typed.strip()))
    elif draft.choices:
        letter, text = draft.choices[-1]
        draft.choices[-1] = (letter, f"{text} {line.strip()}")
    else:
        draft.line = draft.line or place
        draft.asked.append(line.strip())


def _letter(text: str) -> str:
    return unicodedata.normalize("NFKC", text).upper().translate(_LOOKALIKES)


def _entry(draft: _Draft, letters: list[str] | None, number: int) -> Entry:
    reader = TextReader()
    asked = "\n".join(draft.asked)
    entry = {"number": number, "line": draft.line, "source_type": "multichoice", "excerpt": excerpt_of(asked)}
    try:
        question = _question(draft, asked, letters, reader)
    except RefusedEntry as refusal:
        return Entry(**entry, problem=str(refusal), notes=tuple(reader.notes))  # type: ignore[arg-type]
    return Entry(**entry, question=question, notes=tuple(reader.notes))  # type: ignore[arg-type]


def _question(draft: _Draft, asked: str, letters: list[str] | None, reader: TextReader) -> ParsedQuestion:
    if not draft.choices:
        raise RefusedEntry(_("It has no choices: lines that begin with a letter, such as A) or A."))
    if letters is None:
        raise RefusedEntry(_("It has no line that names the correct answer, such as ANSWER: A."))
    check_answer_count(len(draft.choices))
    known = [letter for letter, _text in draft.choices]
    if len(set(known)) < len(known):
        raise RefusedEntry(_("Two choices have the same letter."))
    if missing := [letter for letter in letters if letter not in known]:
        raise RefusedEntry(_("The correct answer is “%s”, and no choice has this letter.") % missing[0])
    choices = [Choice(text=reader.phrase(text, PLAIN), is_right=letter in letters) for letter, text in draft.choices]
    kind = Question.Kind.SINGLE if len(set(letters)) == 1 else Question.Kind.MULTIPLE
    return ParsedQuestion(kind=kind, prompt=reader.block(asked, PLAIN), answers=Answers(choices=choices))
