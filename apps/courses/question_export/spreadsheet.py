"""Questions as rows of a CSV file, with the columns that ``imports.spreadsheet`` reads."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from apps.courses.imports.entries import RefusedEntry
from apps.courses.imports.spreadsheet_rows import Row, right_places
from apps.courses.imports.texts import TextReader
from apps.courses.models import Question
from apps.courses.question_export.cloze import texts_of, write_field
from apps.courses.question_export.facts import QuestionWithTags, renumber_gaps, share_of
from apps.courses.question_parts import USUAL_ESSAY_LENGTH
from apps.courses.shares import FULL, join_share, write_share
from studyplatform.kit.text.csv_lines import csv_line, protect_cell
from studyplatform.kit.text.gaps import find_gaps
from studyplatform.kit.text.numbers import write_number

Kind = Question.Kind
Cells = dict[str, str]
_FIRST = ("type", "question", "correct")
_LAST = (
    "tolerance", "unit", "case sensitive", "ignore accents", "limit", "points", "all or nothing", "explanation", "tags",
    "withdrawn",
)  # fmt: skip
_LETTERS = "ABCDEFGHIJKL"


def write_rows(rows: Sequence[Cells]) -> str:
    """Return the lines of a file: a header with the columns that are used, and the rows."""
    used = {name for cells in rows for name, text in cells.items() if text}
    numbered = sorted((name for name in used if name[-1].isdecimal()), key=lambda name: (int(name.split()[1]), name))
    names = [
        *_FIRST,
        *(name for name in numbered if not name.startswith("gap")),
        *(name for name in numbered if name.startswith("gap")),
        *(name for name in _LAST if name in used),
    ]
    lines = [csv_line(names), *(csv_line(protect_cell(cells.get(name, "")) for name in names) for cells in rows)]
    return "".join(lines)


def cells_of(one: QuestionWithTags) -> Cells:
    """Return the cells of a question by their columns."""
    question = one.question
    is_gaps = question.kind == Kind.GAPS
    cells = {
        "type": str(Kind(question.kind).value),
        "question": renumber_gaps(question.prompt) if is_gaps else question.prompt,
        "points": "" if is_gaps else str(question.points),
        "explanation": question.explanation,
        "tags": ", ".join(one.tags),
        "all or nothing": "yes" if question.all_or_nothing else "",
        "withdrawn": "yes" if question.is_withdrawn else "",
    }
    return cells | _answers(question)


def _answers(question: Question) -> Cells:
    remarks, answer, options = question.remarks or {}, question.answer, question.options
    match question.kind:
        case Kind.SINGLE | Kind.MULTIPLE:
            return _choices(question)
        case Kind.TRUTH:
            remark = remarks.get(str(not answer["value"]).lower(), "")
            return {"correct": str(bool(answer["value"])).lower(), "feedback 1": remark}
        case Kind.NUMERIC:
            low, high = question.accepted_range
            wrong = {number_cell(Fraction(key)): remark for key, remark in remarks.items()}
            return {
                "correct": number_cell((low + high) / 2),
                "tolerance": number_cell((high - low) / 2) if low != high else "",
                "unit": question.unit,
                **_numbered("choice", wrong.keys()),
                **_numbered("feedback", wrong.values()),
            }
        case Kind.TEXT:
            texts = [
                join_share("" if share == FULL else write_share(share), text) for text, share in texts_of(question)
            ]
            return {
                "correct": " | ".join(texts),
                "case sensitive": "yes" if question.strictness.is_case_sensitive else "",
                "ignore accents": "yes" if question.strictness.ignores_accents else "",
            }
        case Kind.ORDERING:
            steps = {one["id"]: one["text"] for one in options}
            return _numbered("choice", (steps[one] for one in answer["ids"]))
        case Kind.MATCHING:
            rights = {one["id"]: one["text"] for one in options["right"]}
            pairs = [f"{one['text']} -> {rights[answer['pairs'][one['id']]]}" for one in options["left"]]
            used = set(answer["pairs"].values())
            return _numbered("choice", [*pairs, *(f"-> {text}" for key, text in rights.items() if key not in used)])
        case Kind.GAPS:
            by_mark = {gap.position: gap for gap in question.gaps}
            return _numbered("gap", (write_field(by_mark[number]) for number in find_gaps(question.prompt)))
    limit = question.options["limit"]
    return {"limit": str(limit) if limit != USUAL_ESSAY_LENGTH else ""}


def _choices(question: Question) -> Cells:
    """Return the choices, and a cell that names those that are right so that it is understood."""
    options, remarks = question.options, question.remarks or {}
    if question.kind == Kind.SINGLE:
        right = {place for place, one in enumerate(options) if one["id"] == question.answer["id"]}
        shares = [Fraction(0) if place in right else share_of(question, one["id"]) for place, one in enumerate(options)]
        texts = [
            join_share("", one["text"]) if place in right else join_share(_percentage(share, one["text"]), one["text"])
            for place, (one, share) in enumerate(zip(options, shares, strict=True))
        ]
    else:
        right = {place for place, one in enumerate(options) if one["id"] in question.answer["ids"]}
        texts = [one["text"] for one in options]
    return {
        **_numbered("choice", texts),
        **_numbered("feedback", (remarks.get(one["id"], "") for one in options)),
        "correct": _name_right(texts, right),
    }


def _percentage(share: Fraction, text: str) -> str:
    """Return the percentage before a wrong choice: "0" if its text begins like one."""
    return write_share(share) if share else "0" if join_share("", text) != text else ""


def _name_right(texts: Sequence[str], right: set[int]) -> str:
    places = sorted(right)
    for names in ([_LETTERS[place] for place in places], [str(place + 1) for place in places],
                  [texts[place] for place in places]):  # fmt: skip
        cell = "; ".join(names)
        try:
            if right_places(Row({"correct": cell}, texts, [], []), TextReader()) == right:
                return cell
        except RefusedEntry:
            continue
    return ""


def number_cell(value: Fraction) -> str:
    """Return a number that reads the same in every number format: "1.234" could be a thousand."""
    text = write_number(value)
    return f"{text}0" if len(text.rpartition(".")[2]) == 3 and "." in text else text


def _numbered(family: str, texts: Iterable[str]) -> Cells:
    return {f"{family} {number}": text for number, text in enumerate(texts, start=1)}
