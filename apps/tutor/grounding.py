"""Check an answer against the passages that it was given. It loads NumPy.

A statement counts as supported if a passage contains most of its words, or means nearly the same. That catches answers
from elsewhere and invented sources; it doesn't catch every wrong word in a sentence that is otherwise right. A sentence
that no passage supports at all loses its citations, and is marked as not from the course or left out.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from django.utils import translation
from django.utils.translation import gettext as _

from apps.tutor import answers, prompting
from apps.tutor.cleaning import RUN
from apps.tutor.models import Answer
from apps.tutor.providers.base import Prompt
from apps.tutor.queries.switches import demands_grounding
from apps.tutor.retrieval import encoder
from apps.tutor.retrieval.words import stems
from apps.tutor.sentences import (
    CITATIONS,
    CODE,
    SENTENCE,
    SPACED_CITATIONS,
    add_before_end,
    change_sentences,
    strip_signs,
    write_formulas_between_dollars,
)

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

SUPPORTED = 0.5
"""The part of an answer's statements that passages must support."""
WORDS = 0.6
"""A statement is supported if a passage contains this part of its words ..."""
MEANING, SOME_WORDS = 0.62, 0.2
"""... or if a sentence of a passage is so similar, and the passage contains some of the words."""
CITABLE = 0.25
"""A citation stays if its passage contains at least this part of the statement's words, or is similar."""
EXACT_WORDS = 0.85
"""A statement with a figure that stands in no passage is supported if a passage contains this part of its words."""
LEAST_WORDS = 3
"""Shorter sentences state nothing that could be checked."""
MOST_STATEMENTS = 24
MOST_SENTENCES = 40
"""Of passages, that are compared by meaning."""

NEAR = 400
"""Characters before a citation in which the end of its statement is looked for."""

_NUMBER = re.compile(r"\d{1,3}")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_UNOPENED_THOUGHTS = re.compile(r"\A.*?< ?/think(?:ing)?>\s*", re.DOTALL)
"""Some servers cut only the mark that opens them; ``cleaning`` puts a space into the other one."""
_FIRST_QUESTION = re.compile(r"^1\. ", re.MULTILINE)
_MARKED = {"ask", "explain", "hint", "summary"}
"""Modes whose sentences are marked one by one: questions and cards are not prose."""
_UNCHECKED = {"plan"}
"""Modes whose answers come from the learner's progress, not from passages."""

_Keep = Callable[[str, list[int]], list[int]]
"""Gets the text before some citations and their numbers, and returns the numbers that stay."""


@dataclass(frozen=True)
class Checked:
    """An answer as it is kept. ``citations`` are pairs of the number in the text and the passage."""

    text: str
    kind: str
    citations: "tuple[tuple[int, Found], ...]"
    only_cites: bool = False
    """All that the text says is from its citations."""


def check(text: str, prompt: Prompt, *, is_search: bool) -> Checked:
    """Return the answer with the passages that it cites. At most one query.

    Citations that don't exist or don't support what they stand after are removed. An answer that passages don't support
    is marked as not from the course, or replaced where the course demands it. ``is_search``: it
    quotes passages.
    """
    if is_search:
        cited = _cited(text, prompt)
        if prompt.reply or prompt.intent:
            return Checked(text, "", cited)
        is_declined = not cited and prompt.mode not in _UNCHECKED and answers.is_declined(prompt.passages)
        is_declined = is_declined and not (prompt.mode == "quiz" and _FIRST_QUESTION.search(text))
        return Checked(text, Answer.Kind.DECLINED if is_declined else "", cited)
    with translation.override(prompt.language):
        return _check_model(write_formulas_between_dollars(_UNOPENED_THOUGHTS.sub("", text)), prompt)


def _check_model(text: str, prompt: Prompt) -> Checked:
    if is_repeating_rules(text):
        return Checked(_("I can't talk about my instructions. Ask me about the course."), Answer.Kind.FILTERED, ())
    if len(text) < 2 * len(prompting.NOT_FOUND) and prompting.NOT_FOUND.rstrip(".").lower() in text.lower():
        return Checked(_("I couldn't find this in the course."), Answer.Kind.DECLINED, ())
    if prompt.mode in _UNCHECKED:
        return Checked(_cite(text, lambda _before, _numbers: []), "", ())
    evidence = _Evidence(text, prompt.passages, prompt.transcript)
    about = [prompt.course.pk] if prompt.course else [one.passage.course_id for one in prompt.passages]
    if not evidence.is_enough():
        if demands_grounding(about):
            return Checked(_("I couldn't find this in the course."), Answer.Kind.DECLINED, ())
        return Checked(_cite(text, lambda _before, _numbers: []), Answer.Kind.OUTSIDE, ())
    if prompt.mode in _MARKED and evidence.invented:
        text = _mark(text, evidence, is_left_out=demands_grounding(about))
    kept = _cite(text, evidence.citable)
    cited = _cited(kept, prompt)
    if not cited and evidence.best is not None:
        kept = _cite_supported(kept, evidence)
        cited = _cited(kept, prompt)
    return Checked(kept, "", cited)


def _mark(text: str, evidence: "_Evidence", *, is_left_out: bool) -> str:
    """Return the text, each sentence that no passage supports without citations and with a mark, or left out."""
    mark = _("(not from the course)")

    def change(sentence: str) -> str:
        if is_left_out:
            return ""
        return add_before_end(SPACED_CITATIONS.sub("", sentence), f"*{mark}*")

    return change_sentences(text, lambda bare: bare in evidence.invented, change)


def _cite_supported(text: str, evidence: "_Evidence") -> str:
    """Return the text with a citation of the best passage after the last sentence that it supports."""
    place = evidence.best
    row = evidence.last_supported_by(place) if place is not None else None
    if place is None or row is None:
        return text
    wanted = evidence.statements[row]

    def change(sentence: str) -> str:
        return add_before_end(sentence, f"[{place + 1}]")

    return change_sentences(text, lambda bare: bare == wanted, change)


def is_repeating_rules(text: str) -> bool:
    """Return whether an answer contains eight words in a row of what the model was told."""
    words = re.findall(r"\w+", text.lower())
    runs = (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))
    return any(run in prompting.secret() for run in runs)


class _Evidence:
    """Which passages support which statements of an answer."""

    def __init__(self, text: str, passages: "Sequence[Found]", transcript: str) -> None:
        sources = [one.text for one in passages]
        self._words = [set(stems(f"{one.passage.lesson.title} {one.passage.heading} {one.text}")) for one in passages]
        self._figures = {figure for source in (*sources, transcript) for figure in _FIGURE.findall(source)}
        self.statements = _statements(text)[:MOST_STATEMENTS]
        sentences = [(number, one) for number, source in enumerate(sources) for one in _statements(source)]
        if transcript:
            self._words.append(set(stems(transcript)))
            sentences += [(len(sources), one) for one in _statements(transcript)]
        self._sentences = sentences[:MOST_SENTENCES]
        self._coverage = [[_share(stems(one), words) for words in self._words] for one in self.statements]
        self._count = len(passages)

    @cached_property
    def _similar(self) -> list[list[float]]:
        """Slow, and often not needed: words decide first."""
        return _similarities(self.statements, self._sentences, len(self._words))

    def is_supported(self, row: int) -> bool:
        if not self._words:
            return False
        coverage = self._coverage[row]
        best = max(coverage)
        figures = set(_FIGURE.findall(self.statements[row]))
        if figures - self._figures and best < EXACT_WORDS:
            return False
        if best >= WORDS or best < SOME_WORDS:
            return best >= WORDS
        similar = self._similar[row]
        return any(alike >= MEANING and words >= SOME_WORDS for alike, words in zip(similar, coverage, strict=True))

    def is_enough(self) -> bool:
        if not self.statements:
            return bool(self._words)
        supported = sum(map(self.is_supported, range(len(self.statements))))
        return supported > 0 and supported >= SUPPORTED * len(self.statements)

    @cached_property
    def invented(self) -> frozenset[str]:
        """The statements that no passage supports enough to be cited for them."""
        return frozenset(one for row, one in enumerate(self.statements) if not self._sources_of(row))

    def _sources_of(self, row: int) -> list[int]:
        """The places of the passages, and the last one of the transcript, that may be cited for a statement."""
        coverage = self._coverage[row]
        if set(_FIGURE.findall(self.statements[row])) - self._figures and max(coverage, default=0.0) < EXACT_WORDS:
            return []
        near = [place for place, words in enumerate(coverage) if words >= CITABLE]
        return near or [place for place, one in enumerate(self._similar[row]) if one >= MEANING - SOME_WORDS]

    def last_supported_by(self, place: int) -> int | None:
        """Return the last statement that a passage supports."""
        rows = [row for row in range(len(self.statements)) if place in self._sources_of(row)]
        return rows[-1] if rows else None

    @property
    def best(self) -> int | None:
        """The passage that supports most, by its place."""
        if not self._count or not self.statements:
            return None
        rows = [row for row, one in enumerate(self.statements) if one not in self.invented]
        totals = [sum(self._coverage[row][place] for row in rows) for place in range(self._count)]
        return int(np.argmax(totals))

    def citable(self, before: str, numbers: list[int]) -> list[int]:
        """Return those of the cited numbers that exist and support the statement before them."""
        numbers = [one for one in dict.fromkeys(numbers) if 0 < one <= self._count]
        end = strip_signs(before)[-20:]
        found = [row for row, one in enumerate(self.statements) if end in one]
        if not found:
            return numbers
        row = found[-1]
        if self.statements[row] in self.invented:
            return []
        return [
            one
            for one in numbers
            if self._coverage[row][one - 1] >= CITABLE or self._similar[row][one - 1] >= MEANING - SOME_WORDS
        ]


def _statements(text: str) -> list[str]:
    """The sentences of a text that state something, without code, formulas and citations."""
    found = []
    for line in CODE.sub(" ", text).splitlines():
        bare = re.sub(r"^[\s>#*+-]+|^\s*\d+[.)]\s", "", line)
        for sentence in SENTENCE.finditer(bare):
            one = strip_signs(sentence.group())
            if len(stems(one)) >= LEAST_WORDS:
                found.append(one)
    return found


def _share(words: list[str], known: set[str]) -> float:
    return sum(word in known for word in words) / len(words) if words else 0.0


def _similarities(statements: list[str], sentences: list[tuple[int, str]], count: int) -> list[list[float]]:
    """For each statement, how similar the nearest sentence of each source is."""
    found = [[0.0] * count for _ in statements]
    if not statements or not sentences:
        return found
    vectors = encoder.encode([*statements, *(one for _, one in sentences)])
    alike = vectors[: len(statements)] @ vectors[len(statements) :].T
    for column, (source, _sentence) in enumerate(sentences):
        for row in range(len(statements)):
            found[row][source] = max(found[row][source], float(alike[row, column]))
    return found


def _cite(text: str, keep: _Keep) -> str:
    """Return the text with those citations that are kept; code and formulas stay as they are."""
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [_cite_prose(text[end : code.start()], keep), code.group()]
        end = code.end()
    return "".join([*parts, _cite_prose(text[end:], keep)]).strip()


def _cite_prose(text: str, keep: _Keep) -> str:
    parts, end = [], 0
    for found in CITATIONS.finditer(text):
        numbers = keep(text[max(0, found.start() - NEAR) : found.start()], _numbers(found.group()))
        before = text[end : found.start()]
        parts += [before if numbers else before.rstrip(" "), "".join(f"[{one}]" for one in numbers)]
        end = found.end()
    return "".join([*parts, text[end:]])


def _numbers(marks: str) -> list[int]:
    return [int(one) for one in _NUMBER.findall(marks)]


def _cited(text: str, prompt: Prompt) -> "tuple[tuple[int, Found], ...]":
    numbers = {one for found in CITATIONS.finditer(CODE.sub(" ", text)) for one in _numbers(found.group())}
    return tuple((one, prompt.passages[one - 1]) for one in sorted(numbers) if 0 < one <= len(prompt.passages))
