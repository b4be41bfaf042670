"""Forms of the learner's pages: quizzes and practice without scripts, flash cards, a certificate code to verify."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.courses.models import Question
from apps.learning.models import PracticeReview
from apps.learning.services.essays import MAX_COMMENT_LENGTH
from studyplatform.kit.names import WrittenFormField
from studyplatform.kit.text.numbers import NotANumber, read_number

MAX_POINTS_TYPED = 1_000  # what is more is refused before it becomes a decimal number
Posted = Mapping[str, list[str]]


class CodeForm(forms.Form):
    """A certificate's code as it was typed."""

    code = forms.CharField(max_length=40, error_messages={"required": _("Enter the code on the certificate.")})


class CardForm(forms.Form):
    """The two sides of a flash card."""

    front = WrittenFormField(
        label=_("Front"),
        max_length=2000,
        error_messages={"required": _("Enter a question, a word or a prompt.")},
    )
    back = WrittenFormField(
        label=_("Back"),
        max_length=4000,
        error_messages={"required": _("Enter the answer.")},
    )


class CardRatingForm(forms.Form):
    """How well a card was remembered. ``key`` makes a repeated form the same review."""

    key = forms.UUIDField()
    turn = forms.IntegerField(min_value=0, max_value=1_000_000)
    rating = forms.TypedChoiceField(choices=PracticeReview.Rating.choices, coerce=int)


class MarkForm(forms.Form):
    """The mark of an essay. ``revision``: how often it had been marked when the form was shown."""

    points = forms.CharField(
        label=_("Points"), max_length=20, error_messages={"required": _("Enter the points for this answer.")}
    )
    comment = WrittenFormField(label=_("Comment"), max_length=MAX_COMMENT_LENGTH, required=False)
    revision = forms.IntegerField(min_value=0, max_value=1_000_000, widget=forms.HiddenInput)

    def clean_points(self) -> Decimal:
        """The points, written in any number format."""
        try:
            value = read_number(str(self.cleaned_data["points"])).value
        except NotANumber:
            raise forms.ValidationError(_("Enter a number, such as 2 or 2.5.")) from None
        if abs(value) > MAX_POINTS_TYPED or value.denominator > 1_000:
            raise forms.ValidationError(_("Enter a number, such as 2 or 2.5."))
        return Decimal(value.numerator) / Decimal(value.denominator)


def posted_answers(questions: Iterable[Question], posted: Posted) -> dict[str, Any]:
    """Return the posted answers in the shapes of ``quizzes.marking``, which validates them."""
    return {str(question.uid): _answer(question, posted) for question in questions}


def fields_of(questions: Iterable[Mapping[str, Any]], answers: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the fields that ``posted_answers`` reads these answers from: what a reopened attempt begins with.

    :param questions: of an attempt, in the shape ``QuestionOut``.
    :param answers: by question uid, in the shape in which they are sent.
    """
    fields: dict[str, list[str]] = {}
    for question in questions:
        name, answer = f"q.{question['uid']}", answers.get(question["uid"], {})
        if question["kind"] == Question.Kind.ORDERING:
            fields |= {f"{name}.{step}": [str(place)] for place, step in enumerate(answer.get("ids", []), start=1)}
            continue
        for part, value in {**answer.get("pairs", {}), **answer.get("gaps", {})}.items():
            fields[f"{name}.{part}"] = [value]
        if "value" in answer:
            fields[name] = ["true" if answer["value"] else "false"]
        elif chosen := answer.get("ids") or [one for one in (answer.get("id"), answer.get("text")) if one]:
            fields[name] = list(chosen)
    return fields


def _answer(question: Question, posted: Posted) -> dict[str, Any] | None:
    name = f"q.{question.uid}"
    values = [value for value in posted.get(name, []) if value]
    match Question.Kind(question.kind):
        case Question.Kind.SINGLE:
            return {"id": values[0]} if values else None
        case Question.Kind.MULTIPLE:
            return {"ids": values} if values else None
        case Question.Kind.TRUTH:
            return {"value": {"true": True, "false": False}.get(values[0], values[0])} if values else None
        case Question.Kind.NUMERIC | Question.Kind.TEXT | Question.Kind.ESSAY:
            return {"text": values[0]} if values else None
        case Question.Kind.ORDERING:
            return _order(question, name, posted)
        case Question.Kind.MATCHING:
            pairs = {str(one["id"]): (posted.get(f"{name}.{one['id']}") or [""])[0] for one in question.options["left"]}
            return {"pairs": pairs}
        case Question.Kind.GAPS:
            numbers = [str(gap.position) for gap in question.gaps]
            return {"gaps": {number: (posted.get(f"{name}.{number}") or [""])[0] for number in numbers}}


def _order(question: Question, name: str, posted: Posted) -> dict[str, Any] | None:
    places = {str(one["id"]): (posted.get(f"{name}.{one['id']}") or [""])[0] for one in question.options}
    if not any(places.values()):
        return None
    # With two steps in one place, or a step without a place, the order is incomplete and marking refuses it.
    by_place = {place: step for step, place in places.items() if place}
    return {"ids": [by_place[place] for place in sorted(by_place, key=lambda text: (len(text), text))]}
