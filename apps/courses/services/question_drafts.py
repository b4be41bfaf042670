"""What a form of the question builder says, complete or not: as answers, and as a question to preview."""

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.core import signing
from django.http import QueryDict

from apps.courses import questions
from apps.courses.errors import QuestionInvalid
from apps.courses.models import Course, Question
from apps.courses.questions import MAX_GAPS, USUAL_ESSAY_LENGTH, Answers, Choice, Columns, Gap, PartAnswer
from apps.courses.shares import FULL, read_share
from studyplatform.kit.text.blank import written

PREVIEW_SECONDS = 24 * 3600  # how long a preview can be answered
_SALT = "question-preview"
_KEPT = ("kind", "prompt", "options", "answer", "remarks", "points", "explanation", "all_or_nothing")
_NOBODY = UUID(int=0)
Kind = Question.Kind


def preview_question(course: Course, data: QueryDict) -> tuple[Question | None, str]:
    """Return the question of a form as far as it can be shown, and what is missing; "" if it is complete.

    It is not saved. The order of its steps, partners and choices of gaps depends on their texts, not on chance.
    """
    kind, prompt = data.get("kind", ""), written(data.get("prompt", ""))
    if kind not in Kind.values:
        return None, ""
    answers, problem = replace(answers_of(data), language=course.language), ""
    try:
        if not prompt:
            raise QuestionInvalid(problem=str(questions.NO_PROMPT))
        columns = questions.build(kind, answers, prompt=prompt)
    except QuestionInvalid as refusal:
        problem = refusal.problem
        partial = _partial(kind, answers)
        if partial is None:
            return None, problem
        columns = partial
    points = columns.points or min(max(_points(data.get("points", "")), 1), questions.MAX_POINTS)
    question = Question(
        uid=_NOBODY,
        kind=kind,
        prompt=prompt,
        options=_in_order(kind, columns.options),
        answer=columns.answer,
        remarks=columns.remarks,
        points=points,
        explanation=written(data.get("explanation", "")),
        all_or_nothing="all_or_nothing" in data,
    )
    return question, problem


def change_lines(data: QueryDict, action: str) -> QueryDict:
    """Return the fields of a form after one of its buttons: "up:2", "down:2" or "remove:2" moves or clears a line,
    counted from 0; "gap:3" takes the third gap out of the text, and renumbers those behind it.
    """
    name, _colon, number = action.partition(":")
    place = int(number) if number.isdecimal() and len(number) < 3 else -1
    changed = data.copy()
    if name == "gap":
        _remove_gap(changed, place)
        return changed
    lines = data.getlist("line")
    target = {"up": place - 1, "down": place + 1}.get(name, place)
    if not 0 <= place < len(lines) or not 0 <= target < len(lines):
        return changed
    order = list(range(len(lines)))
    order.insert(target, order.pop(place))
    if name == "remove":
        order.remove(place)
    for field in ("line", "line_id", "partner", "remark", "share"):
        values = data.getlist(field)
        changed.setlist(field, [values[one] for one in order if one < len(values)])
    right = {int(one) for one in data.getlist("right") if one.isdecimal() and len(one) < 3}
    changed.setlist("right", [str(order.index(one)) for one in right if one in order])
    return changed


def _remove_gap(data: QueryDict, number: int) -> None:
    def renumber(mark: re.Match[str]) -> str:
        found = int(mark[1])
        return "" if found == number else f"[[{found - 1}]]" if found > number else mark[0]

    data["prompt"] = re.sub(r"\[\[(\d{1,2})\]\]", renumber, data.get("prompt", ""))
    for field in ("gap_answers", "gap_kind", "gap_points", "gap_tolerance", "gap_unit"):
        values = data.getlist(field)
        data.setlist(field, values[: number - 1] + values[number:])
    for field in ("gap_accents", "gap_case", "gap_wildcards"):
        places = [int(one) for one in data.getlist(field) if one.isdecimal() and len(one) < 3]
        data.setlist(field, [str(one - (one > number)) for one in places if one != number])


def sign_preview(question: Question) -> str:
    """Return a preview as a text that its author's browser can send back."""
    return signing.dumps({name: getattr(question, name) for name in _KEPT}, salt=_SALT, compress=True)


def read_preview(text: str) -> Question | None:
    """Return the question of a signed preview; None if it is no such text, or too old."""
    try:
        return Question(uid=_NOBODY, **signing.loads(text, salt=_SALT, max_age=PREVIEW_SECONDS))
    except signing.BadSignature:
        return None


def _partial(kind: str, answers: Answers) -> Columns | None:
    """Return what can be shown of an incomplete question: its choices, or a field to type into."""
    if kind in {Kind.SINGLE, Kind.MULTIPLE, Kind.ORDERING}:
        texts = [choice.text.strip() for choice in answers.choices if choice.text.strip()][: questions.MAX_CHOICES]
        options = [{"id": key, "text": text} for key, text in zip(questions.IDS, texts, strict=False)]
        ids = [option["id"] for option in options]
        return Columns(options, {"id": ""} if kind == Kind.SINGLE else {"ids": ids}, {})
    empty: dict[str, Columns] = {
        Kind.TRUTH: Columns([], {"value": True}, {}),
        Kind.NUMERIC: Columns({"unit": answers.unit.strip()[:20]}, {"value": "0", "tolerance": ""}, {}),
        Kind.TEXT: Columns([], {"accepted": []}, {}),
        Kind.ESSAY: Columns({"limit": USUAL_ESSAY_LENGTH}, {}, {}),
    }
    return empty.get(kind)


def _in_order(kind: str, options: Any) -> Any:
    def by_text(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        return sorted(rows, key=lambda row: row["text"])

    match kind:
        case Kind.ORDERING:
            return by_text(options)
        case Kind.MATCHING:
            return {**options, "right": by_text(options["right"])}
        case Kind.GAPS:
            gaps = options["gaps"]
            return {
                "gaps": [
                    {**gap, "options": by_text(gap["options"])} if gap["kind"] == Kind.SINGLE else gap for gap in gaps
                ]
            }
    return options


def answers_of(data: Any) -> Answers:
    """Return the posted lines: ``line`` with ``line_id``, ``partner`` and ``remark``; ``right`` are line numbers."""
    if not isinstance(data, QueryDict):
        return Answers()
    texts = data.getlist("line")
    ids, partners, remarks, shares = (data.getlist(name) for name in ("line_id", "partner", "remark", "share"))
    accepted_shares = data.getlist("accepted_share")
    typed = [(text, _at(accepted_shares, place)) for place, text in enumerate(data.getlist("accepted"))]
    right = set(data.getlist("right"))
    return Answers(
        choices=[
            Choice(
                id=_at(ids, place),
                text=text,
                is_right=str(place) in right,
                partner=_at(partners, place),
                remark=_at(remarks, place),
                share=_at(shares, place),
            )
            for place, text in enumerate(texts)
        ],
        truth={"yes": True, "no": False}.get(data.get("truth", "")),
        number=data.get("number", ""),
        tolerance=data.get("tolerance", ""),
        unit=data.get("unit", ""),
        accepted=[text for text, share in typed if not _is_part(share)],
        partly=[PartAnswer(text=text, share=share) for text, share in typed if _is_part(share)],
        ignores_accents="ignores_accents" in data,
        is_case_sensitive="is_case_sensitive" in data,
        has_wildcards="has_wildcards" in data,
        remarks=dict(zip(data.getlist("wrong"), data.getlist("wrong_remark"), strict=False)),
        gaps=_gaps_of(data),
        essay_limit=_whole_number(data.get("essay_limit", "")) if "essay_limit" in data else USUAL_ESSAY_LENGTH,
    )


def _at(values: list[str], place: int) -> str:
    return values[place] if place < len(values) else ""


def _is_part(share: str) -> bool:
    """Return whether an accepted answer earns a part of the points. What is no percentage is refused later."""
    try:
        return bool(share.strip()) and read_share(share) != FULL
    except QuestionInvalid:
        return True


def _whole_number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def _gaps_of(data: QueryDict) -> list[Gap]:
    """Return the posted gaps: ``gap_answers`` with ``gap_kind``, ``gap_points``, ``gap_tolerance`` and ``gap_unit``;
    ``gap_accents`` and ``gap_case`` are numbers of gaps, from 1. One more than there may be is kept, to be refused."""
    answers = data.getlist("gap_answers")[: MAX_GAPS + 1]
    kinds, points, tolerances, units = (data.getlist(f"gap_{name}") for name in ("kind", "points", "tolerance", "unit"))
    accents, case, wildcards = (set(data.getlist(f"gap_{name}")) for name in ("accents", "case", "wildcards"))
    return [
        Gap(
            kind=kinds[place] if place < len(kinds) else "text",
            lines=[line.strip() for line in text.splitlines() if line.strip()],
            points=_points(points[place]) if place < len(points) else 1,
            tolerance=tolerances[place] if place < len(tolerances) else "",
            unit=units[place] if place < len(units) else "",
            ignores_accents=str(place + 1) in accents,
            is_case_sensitive=str(place + 1) in case,
            has_wildcards=str(place + 1) in wildcards,
        )
        for place, text in enumerate(answers)
    ]


def _points(text: str) -> int:
    """Return the points; 0, which is refused, if it is no whole number."""
    return _whole_number(text) or 0
