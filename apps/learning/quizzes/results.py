"""What an attempt stores of each question, so that its result stays the same when the quiz is edited."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from apps.courses.models import Question
from apps.courses.queries.solutions import answers_of_question
from apps.learning.quizzes import marking
from studyplatform.kit.text.lists import list_names, quote
from studyplatform.kit.text.numbers import write_number
from studyplatform.kit.text.wildcards import show_pattern


def round_score(value: Fraction) -> Decimal:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def stored_result(
    question: Question, answer: marking.Answer | None, mark: marking.Mark, part: Fraction
) -> dict[str, Any]:
    """Return what an attempt stores of one question. Editing the quiz later doesn't change it."""
    rewatch = question.rewatch_lesson
    return {
        "uid": str(question.uid),
        "kind": question.kind,
        "prompt": question.prompt,
        "verdict": mark.verdict,
        "earned": plain_number(round_score(part)),
        "points": question.points,
        "lines": _lines(question, answer),
        "given": "" if question.kind == Question.Kind.SINGLE else _given(question, answer),
        "accepted": "" if question.kind == Question.Kind.SINGLE else _accepted(question),
        "explanation": question.explanation,
        "remarks": _remarks(question, answer, mark),
        "rewatch": {
            "number": rewatch.number,
            "title": rewatch.title,
            "slug": rewatch.slug,
            "at": question.rewatch_at,
        }
        if rewatch
        else None,
    }


def _line(
    text: str,
    *,
    chosen: str = "",
    right: str = "",
    is_chosen: bool = False,
    is_right: bool = False,
    place: int | None = None,
) -> dict[str, Any]:
    return {
        "text": text,
        "chosen": chosen,
        "right": right,
        "is_chosen": is_chosen,
        "is_right": is_right,
        "place": place,
    }


def _lines(question: Question, answer: marking.Answer | None) -> list[dict[str, Any]]:
    key, options = question.answer, question.options
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE | Question.Kind.MULTIPLE:
            right = _right_ids(key)
            chosen = set() if answer is None else ({answer["id"]} if "id" in answer else set(answer["ids"]))
            return [
                _line(option["text"], is_chosen=option["id"] in chosen, is_right=option["id"] in right)
                for option in options
            ]
        case Question.Kind.ORDERING:
            texts = {option["id"]: option["text"] for option in options}
            place = {one: number for number, one in enumerate(key["ids"], start=1)}
            order = answer["ids"] if answer else key["ids"]
            return [
                _line(
                    texts[one],
                    is_chosen=answer is not None,
                    is_right=answer is not None and place[one] == number,
                    place=place[one],
                )
                for number, one in enumerate(order, start=1)
            ]
        case Question.Kind.MATCHING:
            partners = {option["id"]: option["text"] for option in options["right"]}
            given = answer["pairs"] if answer else {}
            return [
                _line(
                    option["text"],
                    chosen=partners.get(given.get(option["id"], ""), ""),
                    right=partners[key["pairs"][option["id"]]],
                    is_chosen=option["id"] in given,
                    is_right=given.get(option["id"]) == key["pairs"][option["id"]],
                )
                for option in options["left"]
            ]
        case Question.Kind.GAPS:
            return _gap_lines(question, answer)
        case _:
            return []


def _right_ids(key: marking.Answer) -> set[str]:
    """Return the choices that earn all points by themselves, or those of a multiple choice that are right."""
    if "ids" in key:
        return set(key["ids"])
    return {key["id"], *(one for one, share in key.get("shares", {}).items() if Fraction(share) == 1)}


def _gap_lines(question: Question, answer: marking.Answer | None) -> list[dict[str, Any]]:
    """Return a line for each gap: ``text`` is the number of its mark, ``chosen`` and ``right`` are plain texts."""
    lines = []
    for gap in question.gaps:
        given = answer["gaps"].get(str(gap.position)) if answer else None
        lines.append(
            _line(
                str(gap.position),
                chosen=_given(gap, given),
                right=_accepted(gap),
                is_chosen=given is not None,
                is_right=marking.mark(gap, given).share == 1,
            )
            | {"points": gap.points, "is_choice": gap.kind == Question.Kind.SINGLE}
        )
    return lines


def _given(question: Question, answer: marking.Answer | None) -> str:
    if answer is None:
        return ""
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE:  # of a gap
            return next((str(one["text"]) for one in question.options if one["id"] == answer["id"]), "")
        case Question.Kind.TRUTH:
            return _("True") if answer["value"] else _("False")
        case Question.Kind.NUMERIC:
            text, read = str(answer["text"]), write_number(marking.value_of(answer))
            return text if text == read else _("%(text)s (read as %(number)s)") % {"text": text, "number": read}
        case Question.Kind.TEXT | Question.Kind.ESSAY:
            return str(answer["text"])
        case _:
            return ""


def _accepted(question: Question) -> str:
    key = question.answer
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE:  # of a gap
            right = _right_ids(key)
            return _(" or ").join(str(one["text"]) for one in question.options if one["id"] in right)
        case Question.Kind.TRUTH:
            return _("True") if key["value"] else _("False")
        case Question.Kind.NUMERIC:
            low, high = question.accepted_range
            number = f"{write_number(Fraction(str(key['value'])))} {question.unit}".strip()
            if low != high:
                return _("%(number)s (%(low)s to %(high)s accepted)") % {
                    "number": number,
                    "low": write_number(low),
                    "high": write_number(high),
                }
            return number
        case Question.Kind.TEXT:
            shown = show_pattern if question.strictness.has_wildcards else str
            accepted = _(" or ").join(quote(shown(text)) for text in key["accepted"])
            partly = answers_of_question(question).partly
            if not partly:
                return accepted
            others = list_names([f"{quote(shown(one.text))} ({one.share}%)" for one in partly])
            return _("%(right)s; for a part of the points %(others)s") % {"right": accepted, "others": others}
        case _:
            return ""


def _remarks(question: Question, answer: marking.Answer | None, mark: marking.Mark) -> list[str]:
    """Return the remarks on the wrong choices."""
    remarks = question.remarks or {}
    if answer is None or mark.share == 1 or not remarks:
        return []
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE:
            chosen = [answer["id"]]
        case Question.Kind.MULTIPLE:
            chosen = [one for one in answer["ids"] if one not in question.answer["ids"]]
        case Question.Kind.TRUTH:
            chosen = ["true" if answer["value"] else "false"]
        case Question.Kind.NUMERIC:
            given = marking.value_of(answer)
            chosen = [wrong for wrong in remarks if Fraction(wrong) == given]
        case _:
            chosen = []
    return [remarks[one] for one in chosen if remarks.get(one)]


def plain_number(value: Any) -> str:
    """Return a number without trailing zeros: 0.50 -> "0.5", 3.0 -> "3"."""
    text = f"{Decimal(str(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
