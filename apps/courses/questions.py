"""Build the columns of a question from an instructor's form, and validate them.

The shapes are those of ``models.Question``. Choices keep their ids when they are edited, so that earlier attempts stay
readable.
"""

import secrets
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.errors import QuestionInvalid
from apps.courses.models import Question
from studyplatform.kit.text.comparison import Strictness, is_duplicate
from studyplatform.kit.text.numbers import NotANumber, read_number, write_number

MOST_CHOICES = 12
MOST_WORDS = 20
TEXT_LIMIT = 500
MAX_NUMBER = 10**15
IDS = "abcdefghijklmnopqrstuvwxyz"
NO_PROMPT = gettext_lazy("Enter a question.")
_dice = secrets.SystemRandom()


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One line of the form: a choice, a step of an ordering, or a pair of a matching.

    ``id`` is empty for a new line. ``remark`` is the feedback for choosing it wrongly.
    """

    text: str
    id: str = ""
    is_right: bool = False
    partner: str = ""
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answer fields of the form for all kinds; each kind uses its part."""

    choices: Sequence[Choice] = ()
    truth: bool | None = None
    number: str = ""
    tolerance: str = ""
    unit: str = ""
    accepted: Sequence[str] = ()
    ignores_accents: bool = False
    is_case_sensitive: bool = False
    language: str = ""
    remarks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Columns:
    """The columns of a question that depend on its kind."""

    options: Any
    answer: dict[str, Any]
    remarks: dict[str, str]


def build(kind: str, answers: Answers) -> Columns:
    """Build options, answer and remarks.

    :raises QuestionInvalid: the question is incomplete; ``problem`` tells its author what is missing.
    """
    return _BUILDERS[Question.Kind(kind)](answers)


def number(text: str, *, unit: str = "", field_name: str = "number") -> Fraction:
    """Read a number in the author's number format, with or without its unit.

    :raises QuestionInvalid: it is not one number, or too large.
    """
    try:
        value = read_number(text.strip(), unit=unit).value
    except NotANumber:
        problem = _("“%s” is not a number.") % text.strip()[:40]
        raise QuestionInvalid(problem=problem, field=field_name) from None
    if abs(value) > MAX_NUMBER:
        raise QuestionInvalid(problem=_("The number is too large."), field=field_name)
    return value


def _tolerance(text: str, unit: str) -> str:
    """Return the tolerance as it is stored: "0.1", or "5%" of the value."""
    is_share = text.strip().endswith(("%", "٪", "％")) and unit != "%"
    value = number(text, unit="%" if is_share else unit, field_name="tolerance") if text.strip() else Fraction(0)
    if value < 0:
        raise QuestionInvalid(problem=_("The tolerance must be zero or more."), field="tolerance")
    return f"{write_number(value)}{'%' if is_share else ''}"


def shuffled(ids: Sequence[str]) -> list[str]:
    """Return the ids in a random order that differs from the given one, unless there is only one."""
    mixed = list(ids)
    _dice.shuffle(mixed)
    return mixed if mixed != list(ids) or len(mixed) < 2 else [*mixed[1:], mixed[0]]


def _lines(answers: Answers, least: int, *, mix: bool = False) -> list[Choice]:
    """Return the lines that are not empty, each with a unique id.

    With ``mix`` new ids are random: if the order is the answer, ids in order would reveal it.
    """
    filled = [choice for choice in answers.choices if choice.text.strip()]
    if len(filled) < least:
        raise QuestionInvalid(problem=_("Enter at least %d lines.") % least, field="choices")
    if len(filled) > MOST_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MOST_CHOICES, field="choices")
    texts = [_as_seen(choice.text) for choice in filled]
    if len(set(texts)) < len(texts):
        raise QuestionInvalid(problem=_("Two lines are the same."), field="choices")
    existing = {choice.id for choice in filled if _is_id(choice.id)}
    free = iter([letter for letter in (shuffled(IDS) if mix else IDS) if letter not in existing])
    used: set[str] = set()
    lines = []
    for choice in filled:
        key = choice.id if choice.id in existing and choice.id not in used else next(free)
        used.add(key)
        lines.append(
            Choice(
                id=key,
                text=choice.text.strip()[:TEXT_LIMIT],
                is_right=choice.is_right,
                partner=choice.partner.strip()[:TEXT_LIMIT],
                remark=choice.remark.strip()[:TEXT_LIMIT],
            )
        )
    return lines


def _single(answers: Answers) -> Columns:
    lines = _lines(answers, 2)
    right = [line.id for line in lines if line.is_right]
    if len(right) != 1:
        raise QuestionInvalid(problem=_("Select the correct answer."), field="choices")
    return Columns(_shown(lines), {"id": right[0]}, _remarks(lines))


def _multiple(answers: Answers) -> Columns:
    lines = _lines(answers, 2)
    right = [line.id for line in lines if line.is_right]
    if not right:
        raise QuestionInvalid(problem=_("Select at least one correct answer."), field="choices")
    return Columns(_shown(lines), {"ids": right}, _remarks(lines))


def _truth(answers: Answers) -> Columns:
    if answers.truth is None:
        raise QuestionInvalid(problem=_("Choose true or false."), field="truth")
    return Columns([], {"value": answers.truth}, {})


def _numeric(answers: Answers) -> Columns:
    if not answers.number.strip():
        raise QuestionInvalid(problem=_("Enter the correct number."), field="number")
    unit = answers.unit.strip()[:20]
    value, tolerance = number(answers.number, unit=unit), _tolerance(answers.tolerance, unit)
    remarks = {
        write_number(number(wrong, unit=unit)): remark.strip()[:TEXT_LIMIT]
        for wrong, remark in answers.remarks.items()
        if wrong.strip() and remark.strip()
    }
    return Columns({"unit": unit}, {"value": write_number(value), "tolerance": tolerance}, remarks)


def _text(answers: Answers) -> Columns:
    strictness = Strictness(answers.ignores_accents, answers.is_case_sensitive, answers.language)
    accepted: list[str] = []
    for text in answers.accepted:
        plain = " ".join(text.split())[:TEXT_LIMIT]
        if plain and len(accepted) < MOST_WORDS and not is_duplicate(plain, accepted, strictness):
            accepted.append(plain)
    if not accepted:
        raise QuestionInvalid(problem=_("Enter at least one accepted answer."), field="accepted")
    return Columns([], {"accepted": accepted, **asdict(strictness)}, {})


def _ordering(answers: Answers) -> Columns:
    lines = _lines(answers, 2, mix=True)
    ids = [line.id for line in lines]
    texts = {line.id: line.text for line in lines}
    shown = shuffled(ids)
    return Columns([{"id": one, "text": texts[one]} for one in shown], {"ids": ids}, {})


def _matching(answers: Answers) -> Columns:
    lines = _lines(answers, 2, mix=True)
    if any(not line.partner for line in lines):
        raise QuestionInvalid(problem=_("Enter the right side of every pair."), field="choices")
    partners = [_as_seen(line.partner) for line in lines]
    if len(set(partners)) < len(partners):
        raise QuestionInvalid(problem=_("Two pairs have the same right side."), field="choices")
    places = shuffled([str(place) for place in range(1, len(lines) + 1)])
    pairs = {line.id: place for line, place in zip(lines, places, strict=True)}
    texts = {pairs[line.id]: line.partner for line in lines}
    options = {"left": _shown(lines), "right": [{"id": one, "text": texts[one]} for one in sorted(texts, key=int)]}
    return Columns(options, {"pairs": pairs}, {})


def _shown(lines: Sequence[Choice]) -> list[dict[str, str]]:
    return [{"id": line.id, "text": line.text} for line in lines]


def _remarks(lines: Sequence[Choice]) -> dict[str, str]:
    return {line.id: line.remark for line in lines if line.remark and not line.is_right}


def _is_id(text: str) -> bool:
    return len(text) == 1 and text in IDS


def _as_seen(text: str) -> str:
    """The text as learners see it: "m" and "M", or x² and x2, are different choices."""
    return " ".join(unicodedata.normalize("NFC", text).split())


_BUILDERS: dict[str, Callable[[Answers], Columns]] = {
    Question.Kind.SINGLE: _single,
    Question.Kind.MULTIPLE: _multiple,
    Question.Kind.TRUTH: _truth,
    Question.Kind.NUMERIC: _numeric,
    Question.Kind.TEXT: _text,
    Question.Kind.ORDERING: _ordering,
    Question.Kind.MATCHING: _matching,
}
