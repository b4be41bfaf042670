"""What a question says, part by part, so that it can be compared with what a file says of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from apps.courses.models import Question
from apps.courses.shares import FULL
from studyplatform.kit.text.gaps import find_gaps
from studyplatform.kit.text.wildcards import split_pattern

Kind = Question.Kind
FILE = re.compile(r"/course-files/[0-9a-f-]{36}")
GAP_MARK = re.compile(r"\[\[(\d{1,2})\]\]")


@dataclass(frozen=True)
class QuestionWithTags:
    """A question that will be written, and the names of its tags."""

    question: Question
    tags: Sequence[str] = ()


def name_parts() -> dict[str, str]:
    """Return the parts that a file may lack, in words for a list."""
    return {
        "points": _("points"),
        "explanation": _("explanation"),
        "remarks": _("feedback"),
        "whole": _("“All or nothing”"),
        "withdrawn": _("that it is withdrawn"),
        "tags": _("tags"),
        "units": _("unit"),
        "case": _("whether capital letters matter"),
        "accents": _("whether accents matter"),
        "limit": _("longest answer"),
        "rewatch": _("lesson to rewatch"),
        "files": _("pictures and files"),
    }


def renumber_gaps(prompt: str) -> str:
    """Return a text whose marks are 1, 2, 3 in their order."""
    numbers = {number: place for place, number in enumerate(find_gaps(prompt), start=1)}
    return GAP_MARK.sub(lambda mark: f"[[{numbers[int(mark[1])]}]]" if int(mark[1]) in numbers else mark[0], prompt)


def describe_question(question: Question) -> Any:
    """Return what a question asks and what is right, comparable: without it, the question would be another one."""
    prompt = renumber_gaps(question.prompt) if question.kind == Kind.GAPS else question.prompt
    return [question.kind, normalize_text(prompt), _answers(question)]


def describe_other_parts(one: QuestionWithTags) -> dict[str, Any]:
    """Return everything else that a question says, by the keys of ``name_parts``."""
    question = one.question
    fields = question.gaps or [question]
    texts = [field for field in fields if field.kind == Kind.TEXT]
    return {
        "points": question.points,
        "explanation": normalize_text(question.explanation),
        "remarks": _remarks(question),
        "whole": question.all_or_nothing,
        "withdrawn": question.is_withdrawn,
        "tags": sorted({tag.casefold() for tag in one.tags}),
        "units": [field.unit for field in fields],
        "case": [field.strictness.is_case_sensitive for field in texts],
        "accents": [field.strictness.ignores_accents for field in texts],
        "limit": question.options["limit"] if question.kind == Kind.ESSAY else 0,
        "rewatch": question.rewatch_lesson_id,
    }


def normalize_text(text: str) -> str:
    """Return a text in a form in which two that say the same are equal. Files have other addresses elsewhere."""
    return " ".join(FILE.sub("/course-files/", text).split())


def _answers(question: Question) -> Any:
    options, answer = question.options, question.answer
    match question.kind:
        case Kind.SINGLE:
            return [[normalize_text(one["text"]), str(share_of(question, one["id"]))] for one in options]
        case Kind.MULTIPLE:
            return [[normalize_text(one["text"]), one["id"] in answer["ids"]] for one in options]
        case Kind.TRUTH:
            return bool(answer["value"])
        case Kind.NUMERIC:
            return list(map(str, question.accepted_range))
        case Kind.TEXT:
            given = [
                *((text, "1") for text in answer["accepted"]),
                *((one["text"], one["share"]) for one in answer.get("partly", [])),
            ]
            return sorted([_pattern(question, text), share] for text, share in given)
        case Kind.ORDERING:
            texts = {one["id"]: normalize_text(one["text"]) for one in options}
            return [texts[one] for one in answer["ids"]]
        case Kind.MATCHING:
            rights = {one["id"]: normalize_text(one["text"]) for one in options["right"]}
            pairs = [[normalize_text(one["text"]), rights[answer["pairs"][one["id"]]]] for one in options["left"]]
            return [pairs, sorted(rights.values())]
        case Kind.GAPS:
            return [[gap.kind, gap.points, _without_order(gap, _answers(gap))] for gap in question.gaps]
    return []


def _without_order(gap: Question, answers: Any) -> Any:
    """The choices of a gap are shown in random order."""
    return sorted(answers) if gap.kind == Kind.SINGLE else answers


def share_of(question: Question, key: str) -> Fraction:
    """Return the share of the points that a choice of a single choice earns."""
    if question.answer["id"] == key:
        return FULL
    return Fraction(question.answer.get("shares", {}).get(key, 0))


def _pattern(question: Question, text: str) -> list[str]:
    return split_pattern(text) if question.strictness.has_wildcards else [text]


def _remarks(question: Question) -> list[list[str]]:
    remarks = question.remarks or {}
    if question.kind in {Kind.SINGLE, Kind.MULTIPLE}:
        texts = {one["id"]: one["text"] for one in question.options}
        return sorted([normalize_text(texts.get(key, "")), normalize_text(remark)] for key, remark in remarks.items())
    if question.kind == Kind.NUMERIC:
        low, high = question.accepted_range
        shown = {Fraction(key): remark for key, remark in remarks.items() if not low <= Fraction(key) <= high}
        return sorted([str(key), normalize_text(remark)] for key, remark in shown.items())
    return sorted([key, normalize_text(remark)] for key, remark in remarks.items())
