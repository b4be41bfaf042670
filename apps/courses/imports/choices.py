"""Choices with weights, as other programs have them, and ours: one right choice, or several that count alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.imports.entries import RefusedEntry
from apps.courses.imports.texts import TextReader, excerpt_of
from apps.courses.models import Question
from apps.courses.question_parts import Choice
from apps.courses.shares import round_share, write_exact
from studyplatform.kit.text.lists import list_names, quote
from studyplatform.kit.text.numbers import write_number

FULL = Fraction(1)
_ROUNDING = Fraction(1, 100)  # 33.33333 % are a third


@dataclass(frozen=True)
class Weighted:
    """An answer with its share of the points, from -1 to 1."""

    text: str
    weight: Fraction
    feedback: str = ""


@dataclass(frozen=True)
class ReadChoices:
    """``explanations`` are feedback on right choices, which belongs into the explanation here."""

    kind: str
    choices: Sequence[Choice]
    explanations: Sequence[str]


def read_percent(text: str) -> Fraction:
    """Return a share written in percent: "33.33333", "-50", "33,3".

    :raises RefusedEntry: it is no number from -100 to 100.
    """
    try:
        value = Decimal(text.strip().replace(",", ".") or "0")
        if not value.is_finite() or abs(value) > 100 or len(text) > 40:
            raise InvalidOperation
    except InvalidOperation:
        raise RefusedEntry(_("“%s” is no percentage.") % text[:40]) from None
    return Fraction(value) / 100


def percent(weight: Fraction) -> str:
    """Return a share as people read it: "50%", "33.3%"."""
    return f"{write_number(Fraction(round(weight * 1000), 10))}%"


def read_choices(reader: TextReader, given: Sequence[Weighted], *, is_single: bool) -> ReadChoices:
    """Return choices of which one is right (``is_single``) or several are.

    :raises RefusedEntry: none of them is right, or one is right and wrong at once.
    """
    choices = _without_duplicates(reader, given)
    best = max((one.weight for one in choices), default=Fraction(0))
    if best <= 0:
        raise RefusedEntry(_("No answer is marked as correct."))
    percentages: dict[str, str] = {}
    if is_single:
        right = [next(one for one in choices if one.weight == best)]
        if best != FULL:
            reader.note(
                _("The best answer was worth %(percent)s; here it is worth all points.") % {"percent": percent(best)}
            )
        earning = [one for one in choices if one.weight > 0 and one not in right]
        percentages = {one.text: write_exact(round_share(one.weight / best)) for one in earning}
        if lost := [one for one in choices if one.weight < 0]:
            shares = _list_weights(lost)
            reader.note(_("Wrong choices took points away (%s). Here they earn nothing.") % shares)
    else:
        right = [one for one in choices if one.weight > 0]
        _note_lost_weights(reader, choices, right)
    return ReadChoices(
        kind=Question.Kind.SINGLE if is_single else Question.Kind.MULTIPLE,
        choices=[
            Choice(
                text=one.text,
                is_right=one in right,
                remark="" if one in right else one.feedback,
                share=percentages.get(one.text, ""),
            )
            for one in choices
        ],
        explanations=[one.feedback for one in right if one.feedback],
    )


def _list_weights(choices: Sequence[Weighted]) -> str:
    return list_names([f"{quote(excerpt_of(one.text, 30))} {percent(one.weight)}" for one in choices])


def _note_lost_weights(reader: TextReader, choices: Sequence[Weighted], right: Sequence[Weighted]) -> None:
    """Say so where our shares differ: 1/r for a right choice, minus the larger of 1/r and 1/w for others."""
    wrong = [one for one in choices if one.weight <= 0]
    share = Fraction(1, len(right))
    if any(abs(one.weight - share) > _ROUNDING for one in right):
        shares = _list_weights(right)
        reader.note(_("Correct choices had different weights (%s). Here they count alike.") % shares)
    lost = -max(share, Fraction(1, max(1, len(wrong))))
    if any(one.weight < 0 and abs(one.weight - lost) > _ROUNDING for one in wrong):
        shares = _list_weights([one for one in wrong if one.weight < 0])
        reader.note(
            _("Wrong choices had weights (%(shares)s). Here each takes away %(percent)s.")
            % {"shares": shares, "percent": percent(-lost)}
        )


def _without_duplicates(reader: TextReader, given: Sequence[Weighted]) -> list[Weighted]:
    found: dict[str, Weighted] = {}
    for one in given:
        if not one.text:
            if one.weight > 0:
                raise RefusedEntry(_("The correct answer is empty."))
            reader.note(_("An empty choice is left out."))
            continue
        known = found.setdefault(" ".join(one.text.split()), one)
        if known is one:
            continue
        if (known.weight > 0) != (one.weight > 0):
            raise RefusedEntry(_("“%s” is there as a correct and as a wrong answer.") % excerpt_of(one.text))
        reader.note(_("A choice that was there twice is now there once: “%s”.") % excerpt_of(one.text))
        if one.feedback and one.feedback != known.feedback:
            reader.note(_("Feedback is lost: “%s”") % excerpt_of(one.feedback, 200))
    return list(found.values())
