"""Answers that learners type, and pairs: what other programs accept, in the words of our forms."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.imports.choices import FULL, Weighted, percent
from apps.courses.imports.entries import RefusedEntry
from apps.courses.imports.texts import TextReader, excerpt_of
from apps.courses.question_parts import Answers, Choice, PartAnswer
from apps.courses.shares import round_share, write_exact
from studyplatform.kit.text.wildcards import has_wildcard

_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:[.,]\d{0,40})?|[.,]\d{1,40})(?:[eE][+-]?\d{1,3})?")
_RANGE = re.compile(r"(.+?)\.\.(.+)")


@dataclass(frozen=True)
class Interval:
    """The numbers that are right, with their share of the points."""

    low: Fraction
    high: Fraction
    weight: Fraction = FULL
    feedback: str = ""


def read_exact(text: str) -> Fraction:
    """Return a number with a decimal point (or comma) and no groups, as programs write it.

    :raises RefusedEntry: it is none.
    """
    plain = "".join(text.split()).replace("\u2212", "-")
    if not _NUMBER.fullmatch(plain):
        raise RefusedEntry(_("“%s” is not a number.") % text.strip()[:40])
    return Fraction(plain.replace(",", "."))


def read_interval(text: str, weight: Fraction = FULL, feedback: str = "") -> Interval:
    """Return what "3.14", "3.14:0.01" or "3..4" accepts.

    :raises RefusedEntry: it is none of these.
    """
    if match := _RANGE.fullmatch(text.strip()):
        low, high = sorted((read_exact(match[1]), read_exact(match[2])))
        return Interval(low, high, weight, feedback)
    number, _colon, tolerance = text.partition(":")
    value, within = read_exact(number), abs(read_exact(tolerance)) if tolerance.strip() else Fraction(0)
    return Interval(value - within, value + within, weight, feedback)


def numeric_answers(reader: TextReader, given: Sequence[Interval], *, unit: str = "") -> tuple[Answers, list[str]]:
    """Return the number that is right with its tolerance, and the feedback for it.

    :raises RefusedEntry: several numbers are right, or none.
    """
    right = [one for one in given if one.weight == FULL]
    if not right:
        raise RefusedEntry(_("No number is worth all points."))
    low, high = right[0].low, right[0].high
    for one in right[1:]:
        if one.low > high or one.high < low:
            raise RefusedEntry(_("Several different numbers are correct. A question here has one, with a tolerance."))
        low, high = min(low, one.low), max(high, one.high)
    remarks: dict[str, str] = {}
    for one in given:
        if one.weight == FULL:
            continue
        middle = (one.low + one.high) / 2
        if one.weight > 0:
            reader.note(
                _("Part of the points for a number is lost: %(percent)s for %(number)s.")
                % {"percent": percent(one.weight), "number": _exact(middle)}
            )
        if one.feedback and one.low == one.high and not low <= one.low <= high:
            remarks[_exact(middle)] = one.feedback
        elif one.feedback:
            reader.note(_("Feedback is lost: “%s”") % excerpt_of(one.feedback, 200))
    answers = Answers(number=_exact((low + high) / 2), tolerance=_exact((high - low) / 2), unit=unit, remarks=remarks)
    return answers, [one.feedback for one in right if one.feedback]


def _exact(value: Fraction) -> str:
    """Return the number as a fraction, which reads the same in every number format."""
    return f"{value.numerator}/{value.denominator}" if value.denominator != 1 else str(value.numerator)


def text_answers(
    reader: TextReader, given: Sequence[Weighted], *, is_case_sensitive: bool = False
) -> tuple[Answers, list[str]]:
    """Return the accepted texts with those that earn a part, and the feedback for them. "*" stands for any text.

    :raises RefusedEntry: no text is worth all points.
    """
    accepted = [one for one in given if one.weight == FULL and one.text]
    if not accepted:
        raise RefusedEntry(_("No answer is worth all points."))
    if any(one.text.strip("* ") == "" for one in accepted):
        raise RefusedEntry(_("It accepts every answer, so there is nothing to mark."))
    partly = [one for one in given if 0 < one.weight < FULL and one.text.strip("* ")]
    for one in given:
        if 0 < one.weight < FULL and one not in partly:
            reader.note(_("Part of the points for every other answer is lost: %s.") % percent(one.weight))
        if one.weight < FULL and one.feedback:
            reader.note(
                _("Feedback on “%(text)s” is lost: “%(feedback)s”")
                % {"text": excerpt_of(one.text, 40), "feedback": excerpt_of(one.feedback, 200)}
            )
    has_wildcards = any(has_wildcard(one.text) for one in (*accepted, *partly))

    def plain(text: str) -> str:
        return text if has_wildcards else text.replace("\\*", "*")

    answers = Answers(
        accepted=[plain(one.text) for one in accepted],
        partly=[PartAnswer(text=plain(one.text), share=write_exact(round_share(one.weight))) for one in partly],
        is_case_sensitive=is_case_sensitive,
        has_wildcards=has_wildcards,
    )
    return answers, [one.feedback for one in accepted if one.feedback]


def pairs(given: Sequence[tuple[str, str]]) -> Answers:
    """Return matching pairs; those without a left side are right sides that match none."""
    return Answers(choices=[Choice(text=left, partner=right) for left, right in given if left or right])
