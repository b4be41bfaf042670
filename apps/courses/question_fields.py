"""The parts that questions of several kinds and gaps have in common: numbers, lines, and the kinds with one field."""

import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.errors import QuestionInvalid
from apps.courses.question_parts import Answers, Choice, Columns
from apps.courses.shares import read_share
from studyplatform.kit.text import content
from studyplatform.kit.text.blank import written
from studyplatform.kit.text.comparison import Strictness, is_duplicate
from studyplatform.kit.text.numbers import NotANumber, read_number, write_number

MAX_CHOICES = 12
MAX_ACCEPTED_TEXTS = 20
TEXT_LIMIT = content.CHOICE.max_length
REMARK_LIMIT = content.FEEDBACK.max_length
MAX_NUMBER = 10**15
IDS = "abcdefghijklmnopqrstuvwxyz"
_dice = secrets.SystemRandom()


def read_author_number(text: str, *, unit: str = "", field_name: str = "number") -> Fraction:
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
    value = (
        read_author_number(text, unit="%" if is_share else unit, field_name="tolerance")
        if text.strip()
        else Fraction(0)
    )
    if value < 0:
        raise QuestionInvalid(problem=_("The tolerance must be zero or more."), field="tolerance")
    return f"{write_number(value)}{'%' if is_share else ''}"


def shuffle_ids(ids: Sequence[str]) -> list[str]:
    """Return the ids in a random order that differs from the given one, unless there is only one."""
    mixed = list(ids)
    _dice.shuffle(mixed)
    return mixed if mixed != list(ids) or len(mixed) < 2 else [*mixed[1:], mixed[0]]


def join_lines(text: str) -> str:
    """Return a choice as it is stored: what was typed or pasted over several lines stands in one."""
    return " ".join(filter(None, (line.strip() for line in text.splitlines())))


def read_lines(answers: Answers, least: int, *, mix: bool = False) -> list[Choice]:
    """Return the lines that are not empty, each with a unique id.

    With ``mix`` new ids are random: if the order is the answer, ids in order would reveal it.
    """
    if len(answers.choices) > 4 * MAX_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MAX_CHOICES, field="choices")
    filled = [choice for choice in answers.choices if choice.text.strip()]
    if len(filled) < least:
        raise QuestionInvalid(problem=_("Enter at least %d lines.") % least, field="choices")
    if len(filled) > MAX_CHOICES:
        raise QuestionInvalid(problem=_("A question can have up to %d lines.") % MAX_CHOICES, field="choices")
    texts = [normalize_choice(join_lines(choice.text)) for choice in filled]
    if len(set(texts)) < len(texts):
        raise QuestionInvalid(problem=_("Two lines are the same."), field="choices")
    existing = {choice.id for choice in filled if len(choice.id) == 1 and choice.id in IDS}
    free = iter([letter for letter in (shuffle_ids(IDS) if mix else IDS) if letter not in existing])
    used: set[str] = set()
    lines = []
    for choice in filled:
        key = choice.id if choice.id in existing and choice.id not in used else next(free)
        used.add(key)
        lines.append(
            Choice(
                id=key,
                text=join_lines(choice.text)[:TEXT_LIMIT],
                is_right=choice.is_right,
                partner=join_lines(choice.partner)[:TEXT_LIMIT],
                remark=written(choice.remark)[:REMARK_LIMIT],
                share=choice.share,
            )
        )
    return lines


def build_single(answers: Answers) -> Columns:
    lines = read_lines(answers, 2)
    right = [line.id for line in lines if line.is_right]
    if len(right) != 1:
        raise QuestionInvalid(problem=_("Select the correct answer."), field="choices")
    shares = {line.id: read_share(line.share) for line in lines if not line.is_right}
    return Columns(as_options(lines), {"id": right[0], **build_shares(shares)}, _remarks(lines))


def build_shares(shares: dict[str, Fraction]) -> dict[str, dict[str, str]]:
    earning = {key: str(share) for key, share in shares.items() if share}
    return {"shares": earning} if earning else {}


def build_multiple(answers: Answers) -> Columns:
    lines = read_lines(answers, 2)
    right = [line.id for line in lines if line.is_right]
    if not right:
        raise QuestionInvalid(problem=_("Select at least one correct answer."), field="choices")
    return Columns(as_options(lines), {"ids": right}, _remarks(lines))


def build_truth(answers: Answers) -> Columns:
    if answers.truth is None:
        raise QuestionInvalid(problem=_("Choose true or false."), field="truth")
    wrong = str(not answers.truth).lower()
    remark = written(answers.remarks.get(wrong, ""))[:REMARK_LIMIT]
    return Columns([], {"value": answers.truth}, {wrong: remark} if remark else {})


def build_numeric(answers: Answers) -> Columns:
    if not answers.number.strip():
        raise QuestionInvalid(problem=_("Enter the correct number."), field="number")
    unit = answers.unit.strip()[:20]
    value, tolerance = read_author_number(answers.number, unit=unit), _tolerance(answers.tolerance, unit)
    remarks = {
        write_number(read_author_number(wrong, unit=unit)): written(remark)[:REMARK_LIMIT]
        for wrong, remark in answers.remarks.items()
        if wrong.strip() and written(remark)
    }
    return Columns({"unit": unit}, {"value": write_number(value), "tolerance": tolerance}, remarks)


def build_text(answers: Answers) -> Columns:
    strictness = Strictness(answers.ignores_accents, answers.is_case_sensitive, answers.language, answers.has_wildcards)
    accepted: list[str] = []
    for text in answers.accepted:
        plain = " ".join(text.split())[:TEXT_LIMIT]
        if answers.has_wildcards and not plain.replace("*", "").strip() and plain:
            raise QuestionInvalid(problem=_("“*” alone would accept every answer."), field="accepted")
        if plain and len(accepted) < MAX_ACCEPTED_TEXTS and not is_duplicate(plain, accepted, strictness):
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
        if text and share and len(known) < MAX_ACCEPTED_TEXTS and not is_duplicate(text, known, strictness):
            rows.append({"text": text, "share": str(share)})
    return rows


def as_options(lines: Sequence[Choice]) -> list[dict[str, str]]:
    return [{"id": line.id, "text": line.text} for line in lines]


def _remarks(lines: Sequence[Choice]) -> dict[str, str]:
    return {line.id: line.remark for line in lines if line.remark and not line.is_right}


def normalize_choice(text: str) -> str:
    """The text as learners see it: "m" and "M", or x² and x2, are different choices."""
    return " ".join(unicodedata.normalize("NFC", text).split())
