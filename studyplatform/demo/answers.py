"""Answers to the questions of the demo, in the format that a learner sends."""

from collections.abc import Iterable
from typing import Any

from apps.courses.models import Question

ESSAY = (
    "My claim was that our town should close the high street to cars. The best objection is Mrs. Ward's: her customers "
    "are seventy, they carry coal and compost, and they will not walk from the station. She is right about them.\n\n"
    "What is left: close it from ten to four, when they do not come, and count her till for a year before the rest."
)


def right_answer(question: Question) -> dict[str, Any]:
    """The correct answer in the format that a learner sends."""
    key = question.answer
    match Question.Kind(question.kind):
        case Question.Kind.NUMERIC:
            return {"text": f"{key['value']:g}"}
        case Question.Kind.TEXT:
            return {"text": key["accepted"][0]}
        case Question.Kind.ESSAY:
            return {"text": ESSAY}
        case Question.Kind.GAPS:
            return {"gaps": {str(gap.position): _typed(right_answer(gap)) for gap in question.gaps}}
        case _:
            return dict(key)


def wrong_answer(question: Question) -> dict[str, Any]:
    """A plausible wrong answer."""
    key = question.answer
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE:
            return {"id": next(one for one in _ids(question.options) if one != key["id"])}
        case Question.Kind.MULTIPLE:
            return {"ids": [one for one in _ids(question.options) if one not in key["ids"]] or key["ids"][:1]}
        case Question.Kind.TRUTH:
            return {"value": not key["value"]}
        case Question.Kind.NUMERIC:
            return {"text": f"{key['value'] * 2 + 10 * key['tolerance'] + 1:g}"}
        case Question.Kind.TEXT:
            return {"text": "I am not sure"}
        case Question.Kind.ORDERING:
            return {"ids": key["ids"][::-1]}
        case Question.Kind.ESSAY:
            return {"text": ESSAY.partition("\n")[0]}
        case Question.Kind.GAPS:
            return {"gaps": {str(gap.position): _typed(wrong_answer(gap)) for gap in question.gaps}}
        case _:
            left, right = list(key["pairs"]), list(key["pairs"].values())
            return {"pairs": dict(zip(left, [*right[1:], right[0]], strict=True))}


def _typed(answer: dict[str, Any]) -> str:
    """What is chosen or typed into a gap."""
    return str(answer.get("id") or answer["text"])


def _ids(options: Iterable[dict[str, str]]) -> list[str]:
    return [option["id"] for option in options]
