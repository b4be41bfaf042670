"""Questions shown to their authors and reviewers: the form's fields filled from a question, and its solution."""

from dataclasses import asdict, dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.models import Question
from apps.courses.questions import Answers, Choice, Gap, PartAnswer
from apps.courses.shares import join_share, write_share
from studyplatform.kit.text.numbers import number_format, write_number
from studyplatform.kit.text.wildcards import show_pattern


def answers_of_question(question: Question) -> Answers:
    """Return the form's fields of an existing question: the reverse of ``questions.build``."""
    options, answer = question.options, question.answer
    match question.kind:
        case Question.Kind.SINGLE | Question.Kind.MULTIPLE:
            right = set(answer.get("ids", [])) | ({answer["id"]} if "id" in answer else set())
            shares = answer.get("shares", {})
            return Answers(
                choices=[
                    Choice(
                        id=one["id"],
                        text=one["text"],
                        is_right=one["id"] in right,
                        remark=question.remarks.get(one["id"], ""),
                        share=_percent(shares.get(one["id"], "")),
                    )
                    for one in options
                ]
            )
        case Question.Kind.TRUTH:
            return Answers(truth=bool(answer.get("value")), remarks=dict(question.remarks))
        case Question.Kind.NUMERIC:
            return Answers(
                number=_typed(answer.get("value", "")),
                tolerance=_typed(question.tolerance),
                unit=question.unit,
                remarks={_typed(wrong): remark for wrong, remark in question.remarks.items()},
            )
        case Question.Kind.TEXT:
            partly = [PartAnswer(text=one["text"], share=_percent(one["share"])) for one in answer.get("partly", [])]
            return Answers(accepted=answer.get("accepted", []), partly=partly, **asdict(question.strictness))
        case Question.Kind.ORDERING:
            texts = {one["id"]: one["text"] for one in options}
            return Answers(choices=[Choice(id=one, text=texts[one]) for one in answer["ids"] if one in texts])
        case Question.Kind.MATCHING:
            right_texts = {one["id"]: one["text"] for one in options["right"]}
            used = set(answer["pairs"].values())
            pairs = [
                Choice(id=one["id"], text=one["text"], partner=right_texts.get(answer["pairs"].get(one["id"]), ""))
                for one in options["left"]
            ]
            extra = [Choice(text="", partner=one["text"]) for one in options["right"] if one["id"] not in used]
            return Answers(choices=[*pairs, *extra])
        case Question.Kind.GAPS:
            by_number = {one.position: _gap_of(one) for one in question.gaps}
            return Answers(gaps=[by_number.get(number, Gap()) for number in range(1, max(by_number, default=0) + 1)])
        case Question.Kind.ESSAY:
            return Answers(essay_limit=question.options["limit"])
    return Answers()


def _gap_of(field: Question) -> Gap:
    """Return the form's fields of one gap: the reverse of how it is built."""
    given = answers_of_question(field)
    match field.kind:
        case Question.Kind.SINGLE:
            right_first = sorted(given.choices, key=lambda one: not one.is_right)
            return Gap(
                kind=field.kind,
                points=field.points,
                lines=[join_share("" if one.is_right else one.share, one.text) for one in right_first],
            )
        case Question.Kind.NUMERIC:
            return Gap(
                kind=field.kind,
                points=field.points,
                lines=[given.number],
                tolerance=given.tolerance,
                unit=given.unit,
            )
    return Gap(
        kind=field.kind,
        points=field.points,
        lines=[
            *(join_share("", text) for text in given.accepted),
            *(join_share(one.share, one.text) for one in given.partly),
        ],
        ignores_accents=given.ignores_accents,
        is_case_sensitive=given.is_case_sensitive,
        has_wildcards=given.has_wildcards,
    )


def _percent(share: str) -> str:
    return write_share(Fraction(share), number_format().decimal) if share else ""


def _typed(value: float | str) -> str:
    """Return a number as its author would type it: exact, with the decimal sign of their language, and no other."""
    text, percent, _rest = str(value).partition("%")
    return f"{write_number(Fraction(text), number_format().decimal)}{percent}" if text else ""


@dataclass(frozen=True, kw_only=True)
class SolutionLine:
    """One line of a question with its solution, for reviewers."""

    text: str
    is_right: bool
    remark: str = ""
    percent: str = ""
    """Of the points that it earns, if it is not right and not wrong either."""


def solution(question: Question) -> list[SolutionLine]:
    """Return the question's lines, each marked as right or wrong."""
    answers = answers_of_question(question)
    match question.kind:
        case Question.Kind.SINGLE | Question.Kind.MULTIPLE:
            return [
                SolutionLine(text=one.text, is_right=one.is_right, remark=one.remark, percent=one.share)
                for one in answers.choices
            ]
        case Question.Kind.TRUTH:
            return [
                SolutionLine(text=_("True"), is_right=bool(answers.truth)),
                SolutionLine(text=_("False"), is_right=not answers.truth),
            ]
        case Question.Kind.NUMERIC:
            within = _(" (± %s)") % answers.tolerance if answers.tolerance not in {"", "0"} else ""
            right = SolutionLine(text=f"{answers.number} {answers.unit}".strip() + within, is_right=True)
            return [
                right,
                *(SolutionLine(text=text, is_right=False, remark=word) for text, word in answers.remarks.items()),
            ]
        case Question.Kind.TEXT:
            shown = show_pattern if answers.has_wildcards else str
            return [
                *(SolutionLine(text=shown(text), is_right=True) for text in answers.accepted),
                *(SolutionLine(text=shown(one.text), is_right=False, percent=one.share) for one in answers.partly),
            ]
        case Question.Kind.ORDERING:
            steps = enumerate(answers.choices, start=1)
            return [SolutionLine(text=f"{place}. {one.text}", is_right=True) for place, one in steps]
        case Question.Kind.ESSAY:
            return []
        case Question.Kind.GAPS:
            return [
                SolutionLine(text=f"[[{field.position}]] {line.text}", is_right=line.is_right, percent=line.percent)
                for field in question.gaps
                for line in solution(field)
            ]
    return [
        SolutionLine(text=f"{one.text} – {one.partner}", is_right=True)
        if one.text
        else SolutionLine(text=one.partner, is_right=False)
        for one in answers.choices
    ]
