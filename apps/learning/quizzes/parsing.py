"""Parse a learner's answers.

The shape of an answer depends on the question's kind:

    single    {"id": "b"}
    multiple  {"ids": ["a", "c"]}
    truth     {"value": true}
    numeric   {"text": "3,2"}       as typed; stored with the number that was read: {"text": "3,2", "value": "16/5"}
    text      {"text": "Osmosis"}
    ordering  {"ids": ["c", "a", "b"]}
    matching  {"pairs": {"a": "2"}} left to right
    gaps      {"gaps": {"1": "b", "2": "Osmosis", "3": "3,2"}} by the number of the gap; stored as the answers of the
              kinds of the gaps: {"gaps": {"1": {"id": "b"}, "2": {"text": "Osmosis"}, ...}}
    essay     {"text": "In spring …"}
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from apps.courses.models import Question
from studyplatform.kit.text import numbers
from studyplatform.kit.text.blank import stripped

Answer = dict[str, Any]
MAX_LENGTH = 500  # characters of a typed answer
Kind = Question.Kind


class Malformed(Exception):
    """The answer doesn't have the shape of its question, or refers to an option that doesn't exist."""


def read(question: Question, raw: Answer | None) -> Answer | None:
    """Return the answer in normalized form, as it is stored and compared; None if it is empty.

    :raises Malformed: it isn't valid for this question.
    """
    if not raw:
        return None
    return _READERS[Kind(question.kind)](question, raw)


def read_all(questions: Iterable[Question], raw: dict[str, Answer]) -> tuple[dict[str, Answer], list[str]]:
    """Return all answers by question uid, without empty ones, and the uids of invalid or unknown ones."""
    asked = {str(question.uid): question for question in questions}
    answers: dict[str, Answer] = {}
    faults = [uid for uid in raw if uid not in asked]
    for uid, question in asked.items():
        try:
            answer = read(question, raw.get(uid))
        except Malformed:
            faults.append(uid)
            continue
        if answer is not None:
            answers[uid] = answer
    return answers, faults


def as_typed(answer: Answer) -> Answer:
    """Return a stored answer in the shape in which it is sent: what ``read`` made it from."""
    if "gaps" in answer:
        return {"gaps": {number: gap["id"] if "id" in gap else gap["text"] for number, gap in answer["gaps"].items()}}
    return {"text": answer["text"]} if "text" in answer else answer


def _only(raw: Answer, key: str) -> Any:
    if set(raw) != {key}:
        raise Malformed
    return raw[key]


def _read_single(question: Question, raw: Answer) -> Answer | None:
    chosen = _only(raw, "id")
    if not chosen:
        return None
    if chosen not in _ids(question.options):
        raise Malformed
    return {"id": chosen}


def _read_multiple(question: Question, raw: Answer) -> Answer | None:
    chosen = _only(raw, "ids")
    if (
        not isinstance(chosen, list)
        or len(set(chosen)) != len(chosen)
        or not set(chosen) <= set(_ids(question.options))
    ):
        raise Malformed
    return {"ids": sorted(chosen)} if chosen else None


def _read_truth(question: Question, raw: Answer) -> Answer | None:
    value = _only(raw, "value")
    if not isinstance(value, bool):
        raise Malformed
    return {"value": value}


def _read_numeric(question: Question, raw: Answer) -> Answer | None:
    text = _typed(raw)
    if not text:
        return None
    try:
        read = read_question_number(question, text)
    except numbers.NotANumber:
        raise Malformed from None
    return {"text": text, "value": str(read.value)}


def _read_text(question: Question, raw: Answer) -> Answer | None:
    text = _typed(raw)
    return {"text": text} if text else None


def _typed(raw: Answer, limit: int = MAX_LENGTH) -> str:
    text = _only(raw, "text")
    # PostgreSQL cannot store NUL, and the stored size must be limited.
    if not isinstance(text, str) or len(text) > limit or "\0" in text:
        raise Malformed
    return text.strip()


def _read_essay(question: Question, raw: Answer) -> Answer | None:
    # Forms end lines with two characters, of which the limit counts one.
    raw = {name: value.replace("\r\n", "\n") if isinstance(value, str) else value for name, value in raw.items()}
    text = stripped(_typed(raw, question.options["limit"]))
    return {"text": text} if text else None


def _read_ordering(question: Question, raw: Answer) -> Answer | None:
    order = _only(raw, "ids")
    if not isinstance(order, list) or sorted(order) != sorted(_ids(question.options)):
        raise Malformed
    return {"ids": order}


def _read_matching(question: Question, raw: Answer) -> Answer | None:
    pairs = _only(raw, "pairs")
    if not isinstance(pairs, dict):
        raise Malformed
    left, right = set(_ids(question.options["left"])), set(_ids(question.options["right"]))
    pairs = {key: value for key, value in pairs.items() if value}
    if not set(pairs) <= left or not set(pairs.values()) <= right:
        raise Malformed
    return {"pairs": dict(sorted(pairs.items()))} if pairs else None


def _read_gaps(question: Question, raw: Answer) -> Answer | None:
    given = _only(raw, "gaps")
    if not isinstance(given, dict):
        raise Malformed
    gaps = {str(gap.position): gap for gap in question.gaps}
    if len(given) > len(gaps) or not set(given) <= set(gaps):
        raise Malformed
    answers = {number: read(gap, _raw_of_gap(gap, given.get(number, ""))) for number, gap in gaps.items()}
    answers = {number: answer for number, answer in answers.items() if answer is not None}
    return {"gaps": answers} if answers else None


def _raw_of_gap(gap: Question, value: Any) -> Answer:
    if not isinstance(value, str):
        raise Malformed
    return {"id": value} if gap.kind == Kind.SINGLE else {"text": value}


_READERS: dict[Kind, Callable[[Question, Answer], Answer | None]] = {
    Kind.SINGLE: _read_single,
    Kind.MULTIPLE: _read_multiple,
    Kind.TRUTH: _read_truth,
    Kind.NUMERIC: _read_numeric,
    Kind.TEXT: _read_text,
    Kind.ORDERING: _read_ordering,
    Kind.MATCHING: _read_matching,
    Kind.GAPS: _read_gaps,
    Kind.ESSAY: _read_essay,
}


def read_question_number(question: Question, text: str) -> numbers.ReadNumber:
    """Read a number that answers this question, with or without its unit, in the learner's number format.

    :raises numbers.NotANumber: it cannot be read.
    """
    return numbers.read_number(text, unit=question.unit)


def value_of(answer: Answer) -> Fraction:
    """Return the number that was read from a numeric answer.

    :raises numbers.NotANumber: an answer of an earlier version, which stored only the text, cannot be read.
    """
    return Fraction(answer["value"]) if "value" in answer else numbers.read_number(answer["text"]).value


def _ids(options: Any) -> list[str]:
    return [str(option["id"]) for option in options] if isinstance(options, list) else []
