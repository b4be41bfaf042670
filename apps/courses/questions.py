"""Build the columns of a question from an instructor's form, and validate them.

The shapes are those of ``models.Question``. Choices keep their ids when they are edited, so that earlier attempts stay
readable.
"""

import secrets
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import asdict
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.errors import QuestionInvalid
from apps.courses.models import Question
from apps.courses.question_parts import USUAL_ESSAY_LENGTH as USUAL_ESSAY_LENGTH
from apps.courses.question_parts import Answers as Answers
from apps.courses.question_parts import Choice as Choice
from apps.courses.question_parts import Columns as Columns
from apps.courses.question_parts import Gap as Gap
from apps.courses.question_parts import PartAnswer as PartAnswer
from apps.courses.shares import FULL, read_share, split_share
from studyplatform.kit.text import content
from studyplatform.kit.text.comparison import Strictness, is_duplicate
from studyplatform.kit.text.gaps import find_gaps, find_misplaced_gaps
from studyplatform.kit.text.numbers import NotANumber, read_number, write_number

MOST_CHOICES = 12
MOST_WORDS = 20
TEXT_LIMIT = content.CHOICE.max_length
REMARK_LIMIT = content.FEEDBACK.max_length
MAX_NUMBER = 10**15
MAX_GAPS = 20
MIN_ESSAY_LENGTH, MAX_ESSAY_LENGTH = 50, 20_000  # code points
MAX_POINTS = 100
IDS = "abcdefghijklmnopqrstuvwxyz"
NO_PROMPT = gettext_lazy("Enter a question.")
_dice = secrets.SystemRandom()


def build(kind: str, answers: Answers, *, prompt: str = "") -> Columns:
    """Build options, answer and remarks. ``prompt`` counts for a text with gaps, whose marks it has.

    :raises QuestionInvalid: the question is incomplete; ``problem`` tells its author what is missing.
    """
    if kind == Question.Kind.GAPS:
        return _gaps(answers, prompt)
    return _BUILDERS[Question.Kind(kind)](answers)


def number(text: str, *, unit: str = "", field_name: str = "number") -> Fraction:
    """Read a number in the author's number format, with or without its unit.

    :raises QuestionInvalid: it is not one number, or too large.
    """
    try:
        value = read_number(text.strip(), unit=unit).value
    except NotANumber:
        problem = _("“%s” is not a number.") % text.strip()[:40]
        raise QuestionInvalid(problem=problem, field=field_name) from None
    if abs(value) > MAX_NUMBER:
        raise QuestionInvalid(problem=_("The number is too large."), field=field_name)
    return value


def _tolerance(text: str, unit: str) -> str:
    """Return the tolerance as it is stored: "0.1", or "5%" of the value."""
    is_share = text.strip().endswith(("%", "٪", "％")) and unit != "%"
    value = number(text, unit="%" if is_share else unit, field_name="tolerance") if text.strip() else Fraction(0)
    if value < 0:
        raise QuestionInvalid(problem=_("The tolerance must be zero or more."), field="tolerance")
    return f"{write_number(value)}{'%' if is_share else ''}"


def shuffled(ids: Sequence[str]) -> list[str]:
    """Return the ids in a random order that differs from the given one, unless there is only one."""
    mixed = list(ids)
    _dice.shuffle(mixed)
    return mixed if mixed != list(ids) or len(mixed) < 2 else [*mixed[1:], mixed[0]]


def _lines(answers: Answers, least: int, *, mix: bool = False) -> list[Choice]:
    """Return the lines that are not empty, each with a unique id.

    With ``mix`` new ids are random: if the order is the answer, ids in order would reveal it.
    """
    if len(answers.choices) > 4 * MOST_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MOST_CHOICES, field="choices")
    filled = [choice for choice in answers.choices if choice.text.strip()]
    if len(filled) < least:
        raise QuestionInvalid(problem=_("Enter at least %d lines.") % least, field="choices")
    if len(filled) > MOST_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MOST_CHOICES, field="choices")
    texts = [_as_seen(choice.text) for choice in filled]
    if len(set(texts)) < len(texts):
        raise QuestionInvalid(problem=_("Two lines are the same."), field="choices")
    existing = {choice.id for choice in filled if len(choice.id) == 1 and choice.id in IDS}
    free = iter([letter for letter in (shuffled(IDS) if mix else IDS) if letter not in existing])
    used: set[str] = set()
    lines = []
    for choice in filled:
        key = choice.id if choice.id in existing and choice.id not in used else next(free)
        used.add(key)
        lines.append(
            Choice(
                id=key,
                text=choice.text.strip()[:TEXT_LIMIT],
                is_right=choice.is_right,
                partner=choice.partner.strip()[:TEXT_LIMIT],
                remark=choice.remark.strip()[:REMARK_LIMIT],
                share=choice.share,
            )
        )
    return lines


def _single(answers: Answers) -> Columns:
    lines = _lines(answers, 2)
    right = [line.id for line in lines if line.is_right]
    if len(right) != 1:
        raise QuestionInvalid(problem=_("Select the correct answer."), field="choices")
    shares = {line.id: read_share(line.share) for line in lines if not line.is_right}
    return Columns(_shown(lines), {"id": right[0], **_shares(shares)}, _remarks(lines))


def _shares(shares: dict[str, Fraction]) -> dict[str, dict[str, str]]:
    earning = {key: str(share) for key, share in shares.items() if share}
    return {"shares": earning} if earning else {}


def _multiple(answers: Answers) -> Columns:
    lines = _lines(answers, 2)
    right = [line.id for line in lines if line.is_right]
    if not right:
        raise QuestionInvalid(problem=_("Select at least one correct answer."), field="choices")
    return Columns(_shown(lines), {"ids": right}, _remarks(lines))


def _truth(answers: Answers) -> Columns:
    if answers.truth is None:
        raise QuestionInvalid(problem=_("Choose true or false."), field="truth")
    wrong = str(not answers.truth).lower()
    remark = answers.remarks.get(wrong, "").strip()[:REMARK_LIMIT]
    return Columns([], {"value": answers.truth}, {wrong: remark} if remark else {})


def _numeric(answers: Answers) -> Columns:
    if not answers.number.strip():
        raise QuestionInvalid(problem=_("Enter the correct number."), field="number")
    unit = answers.unit.strip()[:20]
    value, tolerance = number(answers.number, unit=unit), _tolerance(answers.tolerance, unit)
    remarks = {
        write_number(number(wrong, unit=unit)): remark.strip()[:REMARK_LIMIT]
        for wrong, remark in answers.remarks.items()
        if wrong.strip() and remark.strip()
    }
    return Columns({"unit": unit}, {"value": write_number(value), "tolerance": tolerance}, remarks)


def _text(answers: Answers) -> Columns:
    strictness = Strictness(answers.ignores_accents, answers.is_case_sensitive, answers.language, answers.has_wildcards)
    accepted: list[str] = []
    for text in answers.accepted:
        plain = " ".join(text.split())[:TEXT_LIMIT]
        if answers.has_wildcards and not plain.replace("*", "").strip() and plain:
            raise QuestionInvalid(problem=_("“*” alone would accept every answer."), field="accepted")
        if plain and len(accepted) < MOST_WORDS and not is_duplicate(plain, accepted, strictness):
            accepted.append(plain)
    if not accepted:
        raise QuestionInvalid(problem=_("Enter at least one accepted answer."), field="accepted")
    partly = _partly(answers, accepted, strictness)
    return Columns([], {"accepted": accepted, **asdict(strictness), **({"partly": partly} if partly else {})}, {})


def _partly(answers: Answers, accepted: list[str], strictness: Strictness) -> list[dict[str, str]]:
    """Build the answers that earn a part of the points. One that is accepted as well earns all of them."""
    rows: list[dict[str, str]] = []
    for one in answers.partly:
        text, share = " ".join(one.text.split())[:TEXT_LIMIT], read_share(one.share, field_name="accepted")
        if answers.has_wildcards and text and not text.replace("*", "").strip():
            raise QuestionInvalid(problem=_("“*” alone would accept every answer."), field="accepted")
        known = [*accepted, *(row["text"] for row in rows)]
        if text and share and len(known) < MOST_WORDS and not is_duplicate(text, known, strictness):
            rows.append({"text": text, "share": str(share)})
    return rows


def _ordering(answers: Answers) -> Columns:
    lines = _lines(answers, 2, mix=True)
    ids = [line.id for line in lines]
    texts = {line.id: line.text for line in lines}
    shown = shuffled(ids)
    return Columns([{"id": one, "text": texts[one]} for one in shown], {"ids": ids}, {})


def _matching(answers: Answers) -> Columns:
    lines = _lines(answers, 2, mix=True)
    if any(not line.partner for line in lines):
        raise QuestionInvalid(problem=_("Enter the right side of every pair."), field="choices")
    partners = {_as_seen(line.partner): line.partner for line in lines}
    extra = [
        one.partner.strip()[:TEXT_LIMIT] for one in answers.choices if not one.text.strip() and one.partner.strip()
    ]
    if len(lines) + len(extra) > MOST_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MOST_CHOICES, field="choices")
    for text in extra:
        if _as_seen(text) in partners:
            problem = _("“%s” is already a right side. A right side without a line must be a different one.")
            raise QuestionInvalid(problem=problem % text[:40], field="choices")
        partners[_as_seen(text)] = text
    if len(partners) < 2:
        raise QuestionInvalid(problem=_("Enter at least two different right sides."), field="choices")
    places = shuffled([str(place) for place in range(1, len(partners) + 1)])
    place_of = dict(zip(partners, places, strict=True))
    pairs = {line.id: place_of[_as_seen(line.partner)] for line in lines}
    texts = {place_of[seen]: text for seen, text in partners.items()}
    options = {"left": _shown(lines), "right": [{"id": one, "text": texts[one]} for one in sorted(texts, key=int)]}
    return Columns(options, {"pairs": pairs}, {})


def _gaps(answers: Answers, prompt: str) -> Columns:
    """Build a text with gaps. The problems name the gap by the number of its mark."""
    if len(answers.gaps) > 2 * MAX_GAPS:
        raise QuestionInvalid(problem=_("A text can have up to %d gaps.") % MAX_GAPS, field="gaps")
    marks = find_gaps(prompt)
    if not marks:
        problem = _("Mark the gaps in the text: write [[1]] where the first one belongs, [[2]] for the second.")
        raise QuestionInvalid(problem=problem, field="prompt")
    if len(marks) > MAX_GAPS or max(marks) > MAX_GAPS:
        raise QuestionInvalid(problem=_("A text can have up to %d gaps.") % MAX_GAPS, field="prompt")
    if twice := next((number for number in marks if marks.count(number) > 1), None):
        problem = _("[[%(number)d]] is in the text twice. Give each gap its own number.")
        raise QuestionInvalid(problem=problem % {"number": twice}, field="prompt")
    if misplaced := find_misplaced_gaps(prompt, lambda text: content.render(text, content.PROMPT)):
        problem = _("[[%(number)d]] is in a formula or an address, where no field can be. Put it in the text.")
        raise QuestionInvalid(problem=problem % {"number": misplaced[0]}, field="prompt")
    by_number = dict(enumerate(answers.gaps, start=1))
    unused = next((number for number, gap in by_number.items() if not gap.is_empty and number not in marks), None)
    if unused is not None:
        problem = _("Gap %(number)d isn't in the text. Write [[%(number)d]] where it belongs.")
        raise QuestionInvalid(problem=problem % {"number": unused}, field="gaps")
    fields, key = [], {}
    for number in marks:
        gap = by_number.get(number, Gap())
        try:
            columns = _gap(gap, answers.language)
        except QuestionInvalid as refusal:
            problem = _("Gap %(number)d: %(problem)s") % {"number": number, "problem": refusal.problem}
            raise QuestionInvalid(problem=problem, field="gaps") from None
        fields.append({"number": number, "kind": gap.kind, "points": gap.points, "options": columns.options})
        key[str(number)] = columns.answer
    points = sum(gap["points"] for gap in fields)
    if points > MAX_POINTS:
        raise QuestionInvalid(problem=_("A question can have up to %d points.") % MAX_POINTS, field="gaps")
    return Columns({"gaps": fields}, {"gaps": key}, {}, points=points)


def _gap(gap: Gap, language: str) -> Columns:
    """Build one field as the question of its kind is built."""
    if gap.is_empty:
        raise QuestionInvalid(problem=_("Enter its answer."), field="gaps")
    if not 1 <= gap.points <= MAX_POINTS:
        raise QuestionInvalid(problem=_("Enter points from 1 to %d.") % MAX_POINTS, field="gaps")
    lines = [line for line in gap.lines if line.strip()]
    match gap.kind:
        case Question.Kind.SINGLE:
            split = [split_share(line) for line in lines]
            if split[0][0] and read_share(split[0][0], field_name="gaps") != FULL:
                raise QuestionInvalid(problem=_("Write the correct choice first, without a percentage."), field="gaps")
            choices = _lines(Answers(choices=[Choice(text=text, share=share) for share, text in split]), 2, mix=True)
            shares = {one.id: read_share(one.share, field_name="gaps") for one in choices[1:]}
            # The correct one comes first in the form: the order in which choices are stored is that of random ids.
            shown = sorted(_shown(choices), key=lambda one: one["id"])
            return Columns(shown, {"id": choices[0].id, **_shares(shares)}, {})
        case Question.Kind.NUMERIC:
            if len(lines) > 1:
                raise QuestionInvalid(problem=_("Enter one number."), field="gaps")
            return _numeric(Answers(number=lines[0], tolerance=gap.tolerance, unit=gap.unit))
        case Question.Kind.TEXT:
            if len(lines) > MOST_WORDS:
                raise QuestionInvalid(problem=_("Enter up to %d accepted answers.") % MOST_WORDS, field="gaps")
            split = [split_share(line) for line in lines]
            worth = [FULL if not share else read_share(share, field_name="gaps") for share, _text_of_line in split]
            return _text(
                Answers(
                    accepted=[text for (_share, text), one in zip(split, worth, strict=True) if one == FULL],
                    partly=[
                        PartAnswer(text=text, share=share)
                        for (share, text), one in zip(split, worth, strict=True)
                        if one != FULL
                    ],
                    language=language,
                    ignores_accents=gap.ignores_accents,
                    is_case_sensitive=gap.is_case_sensitive,
                    has_wildcards=gap.has_wildcards,
                )
            )
    raise QuestionInvalid(problem=_("Choose what it asks for."), field="gaps")


def _essay(answers: Answers) -> Columns:
    limit = answers.essay_limit
    if limit is None or not MIN_ESSAY_LENGTH <= limit <= MAX_ESSAY_LENGTH:
        problem = _("Enter a limit from %(least)d to %(most)d characters.")
        raise QuestionInvalid(problem=problem % {"least": MIN_ESSAY_LENGTH, "most": MAX_ESSAY_LENGTH}, field="limit")
    return Columns({"limit": limit}, {}, {})


def _shown(lines: Sequence[Choice]) -> list[dict[str, str]]:
    return [{"id": line.id, "text": line.text} for line in lines]


def _remarks(lines: Sequence[Choice]) -> dict[str, str]:
    return {line.id: line.remark for line in lines if line.remark and not line.is_right}


def _as_seen(text: str) -> str:
    """The text as learners see it: "m" and "M", or x² and x2, are different choices."""
    return " ".join(unicodedata.normalize("NFC", text).split())


_BUILDERS: dict[str, Callable[[Answers], Columns]] = {
    Question.Kind.SINGLE: _single,
    Question.Kind.MULTIPLE: _multiple,
    Question.Kind.TRUTH: _truth,
    Question.Kind.NUMERIC: _numeric,
    Question.Kind.TEXT: _text,
    Question.Kind.ORDERING: _ordering,
    Question.Kind.MATCHING: _matching,
    Question.Kind.ESSAY: _essay,
}
