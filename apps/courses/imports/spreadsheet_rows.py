"""The cells of a row as a question: which type they suggest, and what is right."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from apps.courses.imports.answers import text_answers
from apps.courses.imports.choices import FULL, Weighted, read_percent
from apps.courses.imports.cloze import read_field
from apps.courses.imports.entries import RefusedEntry
from apps.courses.imports.texts import MARKDOWN, TextReader, excerpt_of
from apps.courses.models import Question
from apps.courses.question_parts import USUAL_ESSAY_LENGTH, Answers, Choice, Gap
from apps.courses.shares import split_share
from studyplatform.kit.text.numbers import NotANumber, read_number

Kind = Question.Kind
MAX_COLUMNS = 100
_KINDS = {
    **{kind.value: kind.value for kind in Kind},
    **dict.fromkeys(("single choice", "one answer"), Kind.SINGLE),
    **dict.fromkeys(("multiple answers", "multiple answer", "multiple response", "checkbox"), Kind.MULTIPLE),
    **dict.fromkeys(("multiple choice", "mc", "mcq", "choice"), "choice"),
    **dict.fromkeys(("true or false", "true/false", "truefalse", "tf", "t/f"), Kind.TRUTH),
    **dict.fromkeys(("number", "numerical"), Kind.NUMERIC),
    **dict.fromkeys(("short text", "short answer", "shortanswer", "fill in the blank", "fill in"), Kind.TEXT),
    **dict.fromkeys(("order", "sequence"), Kind.ORDERING),
    **dict.fromkeys(("match", "pairs"), Kind.MATCHING),
    **dict.fromkeys(("text with gaps", "cloze"), Kind.GAPS),
    **dict.fromkeys(("open", "open ended", "free text"), Kind.ESSAY),
}  # fmt: skip
_YES = {"true", "t", "yes", "y", "1", "x", "on"}
_TRUTH = {"true": True, "t": True, "yes": True, "false": False, "f": False, "no": False}
LIST = re.compile(r"\s*[\n|;]\s*")
_ARROW = re.compile(r"\s*(?:->|=>|→)\s*")


@dataclass(frozen=True)
class Row:
    """The cells of a row by the name of their column; numbered ones in their order."""

    cells: Mapping[str, str]
    choices: Sequence[str]
    feedback: Sequence[str]
    gaps: Sequence[str]

    def get(self, name: str) -> str:
        return self.cells.get(name, "")


def plain_name(cell: str) -> str:
    """Return the name of a column or type without case and signs between words."""
    return " ".join(cell.replace("_", " ").replace("-", " ").split()).casefold()


def answers_of_row(row: Row, reader: TextReader) -> tuple[str, Answers]:
    """Return the type of a question and its answers.

    :raises RefusedEntry: they are missing, or contradict each other.
    """
    named = plain_name(row.get("kind"))
    kind = _KINDS.get(named, "") if named else _kind_of(row)
    if not kind:
        raise RefusedEntry(_("The type “%s” isn't known.") % named[:40])
    match kind:
        case Kind.SINGLE | Kind.MULTIPLE | "choice":
            return _choices(row, kind, reader)
        case Kind.TRUTH:
            truth = _TRUTH.get(row.get("correct").casefold())
            if truth is None:
                raise RefusedEntry(_("The correct answer is neither true nor false."))
            remark = row.feedback[0] if row.feedback else ""
            return kind, Answers(truth=truth, remarks={str(not truth).lower(): remark} if remark else {})
        case Kind.NUMERIC:
            remarks = dict(zip(row.choices, row.feedback, strict=False))
            return kind, Answers(
                number=row.get("correct"), tolerance=row.get("tolerance"), unit=row.get("unit"), remarks=remarks
            )
        case Kind.TEXT:
            return kind, _texts(row, reader)
        case Kind.ORDERING:
            return kind, Answers(choices=[Choice(text=text) for text in row.choices if text])
        case Kind.MATCHING:
            return kind, Answers(choices=[_pair(text) for text in row.choices if text])
        case Kind.GAPS:
            return kind, _gaps(row, reader)
    limit = row.get("limit")
    return Kind.ESSAY, Answers(essay_limit=int(limit[:6]) if limit.isdecimal() else USUAL_ESSAY_LENGTH)


def _kind_of(row: Row) -> str:
    """Return the type that the cells suggest."""
    correct = row.get("correct")
    if any(row.gaps):
        return Kind.GAPS
    if any(row.choices):
        return Kind.MATCHING if all(_ARROW.search(text) for text in row.choices if text) else "choice"
    if correct.casefold() in _TRUTH:
        return Kind.TRUTH
    if not correct:
        raise RefusedEntry(_("The correct answer is missing."))
    try:
        read_number(correct, unit=row.get("unit"))
    except NotANumber:
        return Kind.TEXT
    return Kind.NUMERIC


def _choices(row: Row, kind: str, reader: TextReader) -> tuple[str, Answers]:
    right = right_places(row, reader)
    if kind == "choice":
        kind = Kind.SINGLE if len(right) == 1 else Kind.MULTIPLE
    split = [split_share(text) if kind == Kind.SINGLE else ("", text) for text in row.choices]
    choices = [
        Choice(
            text=text,
            is_right=place in right,
            remark=row.feedback[place] if place < len(row.feedback) and place not in right else "",
            share=share,
        )
        for place, (share, text) in enumerate(split)
    ]
    for place in right:
        if place < len(row.feedback) and row.feedback[place]:
            reader.note(_("Feedback on a correct choice is lost: “%s”") % excerpt_of(row.feedback[place], 200))
    return kind, Answers(choices=[choice for choice in choices if choice.text])


def right_places(row: Row, reader: TextReader) -> set[int]:
    """Return the places of the right choices, which a cell names by their texts, letters or numbers."""
    correct, texts = row.get("correct"), [" ".join(text.split()) for text in row.choices]
    if not correct:
        raise RefusedEntry(_("The correct answer is missing."))
    if " ".join(correct.split()) in texts:
        return {_by_text(correct, row, reader)}
    names = [one for one in LIST.split(correct) if one]
    if len(names) == 1:
        names = [one.strip() for one in re.split(r"[,&]|\band\b", correct) if one.strip()]
    by_place = [_place(name) for name in names]
    if not all(" ".join(name.split()) in texts for name in names) and all(
        place is not None and place < len(texts) and texts[place] for place in by_place
    ):
        return {place for place in by_place if place is not None}
    places = set()
    for name in names:
        if " ".join(name.split()) in texts:
            places.add(_by_text(name, row, reader))
            continue
        place = _place(name)
        if place is None or place >= len(texts) or not texts[place]:
            raise RefusedEntry(_("The correct answer “%s” is none of the choices.") % excerpt_of(name, 40))
        places.add(place)
    return places


def _place(name: str) -> int | None:
    bare = re.sub(r"^(?:choice|option|answer)\s*", "", name.casefold()).strip("().")
    if bare.isascii() and bare.isdecimal() and 1 <= int(bare[:3]) <= MAX_COLUMNS:
        return int(bare) - 1
    return ord(bare) - 97 if len(bare) == 1 and "a" <= bare <= "l" else None


def _by_text(name: str, row: Row, reader: TextReader) -> int:
    found = [" ".join(text.split()) for text in row.choices].index(" ".join(name.split()))
    if _place(name) not in {None, found} and (_place(name) or 0) < sum(map(bool, row.choices)):
        reader.note(_("“%s” was read as the text of the correct choice, not as its number or letter.") % name[:20])
    return found


def _texts(row: Row, reader: TextReader) -> Answers:
    given = [split_share(text) for text in re.split(r"\s*[\n|]\s*", row.get("correct")) if text]
    weighted = [Weighted(text, read_percent(share) if share else FULL) for share, text in given]
    answers, _explanations = text_answers(reader, weighted, is_case_sensitive=is_yes(row.get("case")))
    return replace(answers, ignores_accents=is_yes(row.get("accents")))


def is_yes(cell: str) -> bool:
    """Return whether a cell says yes."""
    return cell.strip().casefold() in _YES


def _pair(text: str) -> Choice:
    left, *right = _ARROW.split(text, maxsplit=1)
    if not right:
        raise RefusedEntry(_("A pair needs an arrow between its sides: “Paris -> France”."))
    return Choice(text=left, partner=right[0])


def _gaps(row: Row, reader: TextReader) -> Answers:
    gaps = []
    last = max((place for place, text in enumerate(row.gaps, start=1) if text), default=0)
    for number, text in enumerate(row.gaps[:last], start=1):
        if not text:
            gaps.append(Gap())
            continue
        field = re.fullmatch(r"\{(\d{0,4}):([A-Za-z_]{2,20}):(.*)\}", text, re.DOTALL)
        points, type_name, given = field.groups() if field else ("1", "SHORTANSWER", f"={text}")
        gaps.append(read_field(points, type_name, given, reader, number=number, form=MARKDOWN))
    return Answers(gaps=gaps)
