"""Fields within texts as Moodle's embedded answers have them: what ``imports.cloze`` reads."""

import re
from fractions import Fraction

from apps.courses.models import Question
from apps.courses.question_export.facts import share_of
from apps.courses.shares import FULL, write_share
from studyplatform.kit.text.numbers import write_number

Kind = Question.Kind
_LIKE_A_WEIGHT = re.compile(r"%[-+]?[\d.,]{1,20}%")


def write_field(gap: Question) -> str:
    """Return a gap as a field of a text."""
    return f"{{{gap.points}:{_type_of(gap)}:{'~'.join(_answers_of(gap))}}}"


def _type_of(gap: Question) -> str:
    if gap.kind == Kind.SINGLE:
        return "MULTICHOICE_S"
    if gap.kind == Kind.NUMERIC:
        return "NUMERICAL"
    return "SHORTANSWER_C" if gap.strictness.is_case_sensitive else "SHORTANSWER"


def _answers_of(gap: Question) -> list[str]:
    match gap.kind:
        case Kind.SINGLE:
            return [_answer(one["text"], share_of(gap, one["id"])) for one in gap.options]
        case Kind.NUMERIC:
            low, high = gap.accepted_range
            return [f"={write_number((low + high) / 2)}:{write_number((high - low) / 2)}"]
    return [_answer(text, share) for text, share in texts_of(gap)]


def texts_of(question: Question) -> list[tuple[str, Fraction]]:
    r"""Return what a short text accepts with its shares, as other programs write it: ``\*`` is an asterisk."""
    answer = question.answer
    given = [(text, FULL) for text in answer["accepted"]]
    given += [(one["text"], Fraction(one["share"])) for one in answer.get("partly", [])]
    return [(text if question.strictness.has_wildcards else text.replace("*", "\\*"), share) for text, share in given]


def _answer(text: str, share: Fraction) -> str:
    written = re.sub(r'([}#~"]|\\(?!\*))', r"\\\1", text)
    if share == FULL and not _LIKE_A_WEIGHT.match(written):
        return f"={written}"
    if share or _LIKE_A_WEIGHT.match(written):
        return f"%{write_share(share)}%{written}"
    return f"%0% {written}" if written.startswith("=") else written
