r"""Questions as GIFT (https://docs.moodle.org/en/GIFT_format), with texts in Markdown. ``imports.gift`` reads it."""

import re
from fractions import Fraction

from apps.courses.models import Question
from apps.courses.question_export.cloze import texts_of
from apps.courses.question_export.facts import QuestionWithTags, share_of
from apps.courses.shares import FULL, write_share
from studyplatform.kit.text.numbers import write_number

Kind = Question.Kind
_LIKE_A_WEIGHT = re.compile(r"\s*%[-+]?[\d.,]{1,20}%")
_LIKE_A_FORMAT = re.compile(r"\s*\[(?:html|moodle|plain|markdown)\]", re.IGNORECASE)
_LIKE_A_COMMENT = re.compile(r"\s*(?://|\$CATEGORY:)", re.IGNORECASE)


def write_gift(one: QuestionWithTags) -> str | None:
    """Return a question with the empty line after it; None of a type that GIFT doesn't have."""
    question = one.question
    answers = _answers(question)
    if answers is None:
        return None
    explanation = f"####{_escape(question.explanation)}" if question.explanation else ""
    tags = "".join(f" [tag:{_escape(tag).replace(']', chr(92) + ']')}]" for tag in one.tags)
    head = f"//{tags}\n" if tags else ""
    return f"{head}[markdown]{_escape(question.prompt)} {{{answers}{explanation}}}\n\n"


def _answers(question: Question) -> str | None:
    remarks, answer = question.remarks or {}, question.answer
    match question.kind:
        case Kind.SINGLE:
            lines = []
            for one in question.options:
                share = share_of(question, one["id"])
                mark = "=" if one["id"] == answer["id"] else "~"
                weight = share if mark == "~" and share else None
                lines.append(_item(mark, one["text"], weight, remarks.get(one["id"], "")))
            return " ".join(lines)
        case Kind.MULTIPLE:
            shares = weights_of(question)
            return " ".join(
                _item("~", one["text"], shares[one["id"]], remarks.get(one["id"], "")) for one in question.options
            )
        case Kind.TRUTH:
            remark = remarks.get(str(not answer["value"]).lower(), "")
            return ("T" if answer["value"] else "F") + (f"#{_escape(remark)}" if remark else "")
        case Kind.NUMERIC:
            low, high = question.accepted_range
            wrong = "".join(f" =%0%{write_number(Fraction(key))}#{_escape(text)}" for key, text in remarks.items())
            return f"#={write_number((low + high) / 2)}:{write_number((high - low) / 2)}{wrong}"
        case Kind.TEXT:
            return " ".join(_item("=", text, None if share == FULL else share) for text, share in texts_of(question))
        case Kind.MATCHING:
            rights = {one["id"]: one["text"] for one in question.options["right"]}
            pairs = [(one["text"], rights[answer["pairs"][one["id"]]]) for one in question.options["left"]]
            used = set(answer["pairs"].values())
            pairs += [("", text) for key, text in rights.items() if key not in used]
            return " ".join(f"{_item('=', left)} -> {_formed(right)}" for left, right in pairs)
        case Kind.ESSAY:
            return ""
    return None


def weights_of(question: Question) -> dict[str, Fraction]:
    """Return the weight of each choice of a multiple choice: as it is marked here."""
    right = set(question.answer["ids"])
    gained = Fraction(1, len(right))
    lost = -max(gained, Fraction(1, max(1, len(question.options) - len(right))))
    return {one["id"]: gained if one["id"] in right else lost for one in question.options}


def _item(mark: str, text: str, weight: Fraction | None = None, feedback: str = "") -> str:
    if weight is None and _LIKE_A_WEIGHT.match(text):
        weight = FULL if mark == "=" else Fraction(0)
    share = "" if weight is None else f"%{write_share(weight)}%"
    return f"{mark}{share}{_formed(text)}" + (f"#{_formed(feedback)}" if feedback else "")


def _formed(text: str) -> str:
    """Return a text; one that begins like the name of a format gets the name of its own."""
    return ("[markdown]" if _LIKE_A_FORMAT.match(text) else "") + _escape(text)


def _escape(text: str) -> str:
    r"""Return a text without signs of the format and empty lines. Lines stay lines where they can: in a formula,
    programs may take ``\n`` for the beginning of a command."""
    first, *others = re.sub(r"([\\~=#{}:])", r"\\\1", text).split("\n")
    written, last = [first], first
    for line in others:
        is_safe = line.strip() and last.strip() and not _LIKE_A_COMMENT.match(line)
        written.append(("\n" if is_safe else "\\n") + line)
        last = line
    return "".join(written)
