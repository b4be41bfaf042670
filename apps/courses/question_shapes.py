"""Whether the columns of a question have the shapes that `models.Question` describes.

Forms and imports build these columns, so theirs are right. Those of an archive were written elsewhere.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from apps.courses.models import Question
from studyplatform.kit.text.gaps import find_gaps
from studyplatform.kit.text.numbers import NotANumber, read_number

MAX_LINES = 100
"""Far above what a form allows (`question_fields.MAX_CHOICES`): former releases may have allowed more."""
MAX_TEXT = 20_000  # characters
_FIELD_KINDS = {Question.Kind.SINGLE, Question.Kind.NUMERIC, Question.Kind.TEXT}


def check_question(row: Mapping[str, Any]) -> None:
    """Check kind, prompt, options, answer, remarks and points of a question.

    :raises ValueError: one of them has another shape than its kind needs; it says which.
    """
    kind = row["kind"]
    _need(kind in Question.Kind.values, "kind")
    _need(_is_text(row["prompt"]), "prompt")
    _need(_is_whole(row["points"]) and 0 <= row["points"] <= 1000, "points")
    remarks = row["remarks"]
    _need(isinstance(remarks, dict) and all(_is_text(remark) for remark in remarks.values()), "remarks")
    if kind == Question.Kind.GAPS:
        _check_gaps(row["prompt"], row["options"], row["answer"])
    else:
        _check_answer(kind, row["options"], row["answer"])


def _check_answer(kind: str, options: Any, answer: Any) -> None:
    _need(isinstance(answer, dict), "answer")
    _CHECKS[Question.Kind(kind)](options, answer)


def _check_gaps(prompt: str, options: Any, answer: Any) -> None:
    _need(isinstance(options, dict) and isinstance(options.get("gaps"), list), "options")
    gaps, keys = options["gaps"], answer.get("gaps") if isinstance(answer, dict) else None
    if not isinstance(keys, dict):
        raise ValueError("answer")
    _need(all(isinstance(gap, dict) and _is_whole(gap.get("number")) for gap in gaps), "options")
    numbers = [gap["number"] for gap in gaps]
    _need(bool(numbers) and sorted(numbers) == sorted(find_gaps(prompt)) and len(set(numbers)) == len(numbers), "gaps")
    _need(set(keys) == {str(number) for number in numbers}, "answer")
    for gap in gaps:
        _need(gap.get("kind") in _FIELD_KINDS, "kind")
        _need(_is_whole(gap.get("points")) and gap["points"] >= 1, "points")
        _check_answer(gap["kind"], gap.get("options"), keys[str(gap["number"])])


def _check_single(options: Any, answer: dict[str, Any]) -> None:
    ids = _ids_of(options)
    _need(answer.get("id") in ids, "answer")
    shares = answer.get("shares", {})
    _need(isinstance(shares, dict) and set(shares) <= ids, "shares")
    for share in shares.values():
        _check_share(share)


def _check_multiple(options: Any, answer: dict[str, Any]) -> None:
    ids = _ids_of(options)
    right: Any = answer.get("ids")
    _need(isinstance(right, list) and len(right) > 0 and all(_is_text(one) for one in right), "answer")
    _need(set(right) <= ids and len(set(right)) == len(right), "answer")


def _check_truth(options: Any, answer: dict[str, Any]) -> None:
    _need(isinstance(answer.get("value"), bool), "answer")


def _check_numeric(options: Any, answer: dict[str, Any]) -> None:
    _need(options == [] or (isinstance(options, dict) and _is_text(options.get("unit", ""))), "options")
    for name, ending in (("value", ""), ("tolerance", "%")):
        number: Any = answer.get(name, "0" if name == "tolerance" else None)
        _need(_is_text(number), "answer")
        try:
            read_number(number.removesuffix(ending) if ending else number)
        except NotANumber:
            raise ValueError("answer") from None


def _check_text(options: Any, answer: dict[str, Any]) -> None:
    accepted: Any = answer.get("accepted")
    partly: Any = answer.get("partly", [])
    _need(isinstance(accepted, list) and 0 < len(accepted) <= MAX_LINES, "answer")
    _need(all(_is_text(text) and text.strip() for text in accepted), "answer")
    _need(isinstance(partly, list) and len(partly) <= MAX_LINES, "answer")
    for one in partly:
        _need(isinstance(one, dict) and _is_text(one.get("text")), "answer")
        _check_share(one.get("share"))
    flags = ("ignores_accents", "is_case_sensitive", "has_wildcards")
    _need(all(isinstance(answer.get(flag, False), bool) for flag in flags), "answer")
    _need(_is_text(answer.get("language", "")), "answer")


def _check_ordering(options: Any, answer: dict[str, Any]) -> None:
    ids = _ids_of(options)
    order: Any = answer.get("ids")
    _need(isinstance(order, list) and all(_is_text(one) for one in order), "answer")
    _need(len(order) == len(ids) and set(order) == ids, "answer")


def _check_matching(options: Any, answer: dict[str, Any]) -> None:
    _need(isinstance(options, dict), "options")
    left, right = _ids_of(options.get("left")), _ids_of(options.get("right"))
    pairs: Any = answer.get("pairs")
    _need(isinstance(pairs, dict) and all(_is_text(one) for one in pairs.values()), "answer")
    _need(set(pairs) == left and set(pairs.values()) <= right, "answer")


def _check_essay(options: Any, answer: dict[str, Any]) -> None:
    _need(isinstance(options, dict) and _is_whole(options.get("limit")) and options["limit"] > 0, "options")


_CHECKS: dict[Question.Kind, Callable[[Any, dict[str, Any]], None]] = {
    Question.Kind.SINGLE: _check_single,
    Question.Kind.MULTIPLE: _check_multiple,
    Question.Kind.TRUTH: _check_truth,
    Question.Kind.NUMERIC: _check_numeric,
    Question.Kind.TEXT: _check_text,
    Question.Kind.ORDERING: _check_ordering,
    Question.Kind.MATCHING: _check_matching,
    Question.Kind.ESSAY: _check_essay,
}


def _ids_of(options: Any) -> set[str]:
    """The ids of choices, each of which has a text."""
    _need(isinstance(options, list) and 0 < len(options) <= MAX_LINES, "options")
    _need(
        all(isinstance(one, dict) and _is_text(one.get("id")) and _is_text(one.get("text")) for one in options),
        "options",
    )
    ids = {one["id"] for one in options}
    _need(len(ids) == len(options), "options")
    return ids


def _check_share(share: Any) -> None:
    _need(_is_text(share) and len(share) < 40, "shares")
    try:
        value = Fraction(share)
    except (ValueError, ZeroDivisionError):
        raise ValueError("shares") from None
    _need(0 <= value <= 1, "shares")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT and "\0" not in value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _need(is_right: object, part: str) -> None:
    if not is_right:
        raise ValueError(part)
