r"""Fields within texts, as Moodle's embedded answers have them: ``{1:SHORTANSWER:=Paris~%50%Lyon#The second largest}``.

See https://docs.moodle.org/en/Embedded_Answers_(Cloze)_question_type. ``\`` escapes ``} # ~ / "``.
"""

import html
import re
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.imports.answers import Interval, numeric_answers, read_interval, text_answers
from apps.courses.imports.choices import FULL, Weighted, read_choices, read_percent
from apps.courses.imports.entries import RefusedEntry, check_answer_count
from apps.courses.imports.texts import HTML, TextReader, excerpt_of
from apps.courses.models import Question
from apps.courses.question_parts import Answers, Gap
from apps.courses.shares import join_share

Kind = Question.Kind
_FIELD = re.compile(r"\{(\d{0,4}):([A-Za-z_]{2,20}):((?:\\.|[^\\}])*)\}", re.DOTALL)
_BEGIN = re.compile(r"\{\d{0,4}:[A-Za-z_]{2,20}:")
_PIECE = re.compile(r"\\.|[~#]|[^\\~#]+|\\", re.DOTALL)
_WEIGHT = re.compile(r"%([-+]?[\d.,]{1,20})%")
_ESCAPE = re.compile(r"\\([}#~/\"\\])")
_TYPES = {
    **dict.fromkeys(("SHORTANSWER", "SA", "MW"), "text"),
    **dict.fromkeys(("SHORTANSWER_C", "SAC", "MWC"), "text_case"),
    **dict.fromkeys(("NUMERICAL", "NM"), "numeric"),
    **dict.fromkeys(
        ("MULTICHOICE", "MC", "MULTICHOICE_V", "MCV", "MULTICHOICE_H", "MCH", "MULTICHOICE_S", "MCS", "MULTICHOICE_VS",
         "MCVS", "MULTICHOICE_HS", "MCHS"),
        "single",
    ),
    **dict.fromkeys(
        ("MULTIRESPONSE", "MR", "MULTIRESPONSE_H", "MRH", "MULTIRESPONSE_S", "MRS", "MULTIRESPONSE_HS", "MRHS"),
        "multiple",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class GapText:
    """A text whose fields are replaced by words that ``place_marks`` finds again, with the fields."""

    text: str
    gaps: tuple[Gap, ...]


def read_cloze(text: str, reader: TextReader, form: str = HTML) -> GapText:
    """Return a text with its fields. ``form``: in which its choices are written.

    :raises RefusedEntry: it has none, or one that has no home here.
    """
    gaps: list[Gap] = []

    def read(found: re.Match[str]) -> str:
        gaps.append(read_field(found[1], found[2], found[3], reader, number=len(gaps) + 1, form=form))
        return placeholder(len(gaps))

    check_answer_count(len(_BEGIN.findall(text)))
    shown = _FIELD.sub(read, text)
    if not gaps:
        raise RefusedEntry(_("The text has no fields."))
    if broken := _BEGIN.search(shown):
        raise RefusedEntry(_("A field in the text isn't closed: “%s”") % shown[broken.start() :][:40])
    return GapText(shown, tuple(gaps))


def placeholder(number: int) -> str:
    """Return a word that stands for a mark while a text is converted."""
    return f"qmark{number}zgap"


def place_marks(markdown: str) -> str:
    """Return a converted text with the marks of gaps."""
    return re.sub(r"qmark(\d{1,3})zgap", r"[[\1]]", markdown)


def read_field(points: str, type_name: str, given: str, reader: TextReader, *, number: int, form: str = HTML) -> Gap:
    """Return one field.

    :raises RefusedEntry: its type or its answers have no home here. It names the field by its number.
    """
    kind = _TYPES.get(type_name.upper())
    try:
        if kind is None:
            raise RefusedEntry(_("The type %s isn't known.") % type_name)
        if kind == "multiple":
            raise RefusedEntry(_("A field with several correct choices isn't possible here."))
        worth = int(points or 1)
        if not worth:
            reader.note(_("Gap %d was worth no points; here it is worth 1.") % number)
        parts = [one for one in _split(given) if one.strip()]
        check_answer_count(len(parts))
        answers = [_answer(one, reader, kind, form) for one in parts]
        return _gap(kind, answers, max(1, worth), reader)
    except RefusedEntry as refusal:
        raise RefusedEntry(_("Gap %(number)d: %(problem)s") % {"number": number, "problem": refusal}) from None


def _gap(kind: str, answers: list[Weighted], points: int, reader: TextReader) -> Gap:
    for one in answers:
        if one.feedback:
            reader.note(
                _("Feedback on “%(text)s” is lost: “%(feedback)s”")
                % {"text": excerpt_of(one.text, 40), "feedback": excerpt_of(one.feedback, 200)}
            )
    answers = [Weighted(one.text, one.weight) for one in answers]
    if kind == "single":
        read = read_choices(reader, answers, is_single=True)
        ordered = sorted(read.choices, key=lambda one: not one.is_right)
        lines = [join_share(one.share, one.text) for one in ordered]
        return Gap(kind=Kind.SINGLE, points=points, lines=lines)
    if kind == "numeric":
        numbers = [_interval(one) for one in answers if one.text.strip() != "*"]
        number, _explanations = numeric_answers(reader, numbers)
        return Gap(kind=Kind.NUMERIC, points=points, lines=[number.number], tolerance=number.tolerance)
    texts, _explanations = text_answers(reader, answers, is_case_sensitive=kind == "text_case")
    return gap_of_texts(texts, points)


def gap_of_texts(texts: Answers, points: int) -> Gap:
    """Return a field for a short text."""
    return Gap(
        kind=Kind.TEXT,
        points=points,
        lines=[
            *(join_share("", text) for text in texts.accepted),
            *(join_share(one.share, one.text) for one in texts.partly),
        ],
        is_case_sensitive=texts.is_case_sensitive,
        has_wildcards=texts.has_wildcards,
    )


def _interval(answer: Weighted) -> Interval:
    return read_interval(answer.text, answer.weight)


def _answer(text: str, reader: TextReader, kind: str, form: str) -> Weighted:
    text = text.strip()
    weight = Fraction(0)
    if text.startswith("="):
        text, weight = text[1:], FULL
    if match := _WEIGHT.match(text):
        text, weight = text[match.end() :], read_percent(match[1])
        text = text.removeprefix("=") if weight == 0 else text
        # Moodle writes "%0%" before a choice that "=" marks as correct all the same.
        if match.end() < len(match.string) and match.string[match.end()] == "=" and weight == 0:
            weight = FULL
    first, *others = _split(text, "#")
    answer = _ESCAPE.sub(r"\1", first).strip()
    feedback = _ESCAPE.sub(r"\1", "#".join(others)).strip()
    if kind == "single":
        shown = reader.phrase(answer, form)
    else:
        shown = reader.words(html.unescape(answer) if form == HTML else answer, form)
    return Weighted(shown, weight, feedback)


def _split(given: str, sign: str = "~") -> list[str]:
    """Return the parts of a text between signs that are not escaped."""
    parts = [""]
    for piece in _PIECE.findall(given):
        if piece == sign:
            parts.append("")
        else:
            parts[-1] += piece
    return parts
