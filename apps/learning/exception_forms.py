"""Forms in which the staff of a course grants exceptions to learners."""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.learning.models import MAX_EXCEPTION_MINUTES, MAX_EXTRA_ATTEMPTS, MAX_REASON_LENGTH
from apps.learning.queries.exceptions import ExtensibleQuiz

UNLIMITED, MINUTES = "unlimited", "minutes"
_HOW_MANY = {"required": _("Enter a number."), "invalid": _("Enter a whole number.")}


class ExceptionForm(forms.Form):
    """What all forms have in common. ``key`` makes a form that is sent twice one act."""

    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    quiz = forms.ChoiceField(
        label=_("Quiz"),
        error_messages={"required": _("Choose a quiz."), "invalid_choice": _("Choose one of the quizzes listed here.")},
    )
    reason = forms.CharField(label=_("Reason, for staff"), max_length=MAX_REASON_LENGTH, required=False)

    def __init__(self, *args: Any, quizzes: Iterable[ExtensibleQuiz], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_quizzes([(str(one.lesson_uid), one.title) for one in quizzes if self.offers(one)])

    def set_quizzes(self, choices: list[tuple[str, Any]]) -> None:
        """Set what may be chosen."""
        self.fields["quiz"].choices = choices  # type: ignore[attr-defined]

    def offers(self, quiz: ExtensibleQuiz) -> bool:
        """Return whether this exception can change something at the quiz."""
        return True

    def extra(self) -> dict[str, Any]:
        """Return how much is granted, for the service."""
        raise NotImplementedError


class _TimedForm(ExceptionForm):
    """A time of which one kind is in minutes."""

    minutes = forms.IntegerField(
        label=_("Minutes"), min_value=1, max_value=MAX_EXCEPTION_MINUTES, required=False, error_messages=_HOW_MANY
    )

    def clean(self) -> dict[str, Any]:
        """Minutes are needed where they are chosen, and don't matter where they are not."""
        cleaned = super().clean() or {}
        if cleaned.get("time") != MINUTES:
            self.errors.pop("minutes", None)
        if cleaned.get("time") == MINUTES and not cleaned.get("minutes") and "minutes" not in self.errors:
            self.add_error("minutes", _("Enter how many minutes."))
        return cleaned


class ExtraTimeForm(_TimedForm):
    """More time in one quiz, or in all of the course."""

    time = forms.ChoiceField(
        label=_("Time"),
        choices=[
            ("25", _("25% more")),
            ("50", _("50% more")),
            ("100", _("Twice the time")),
            (MINUTES, _("Some minutes more")),
            (UNLIMITED, _("No time limit")),
        ],
        initial="25",
        error_messages={"required": _("Choose how much more time.")},
    )
    field_order = ("time", "minutes", "quiz", "reason", "key")

    def set_quizzes(self, choices: list[tuple[str, Any]]) -> None:
        """All quizzes come first."""
        field = self.fields["quiz"]
        field.required = False
        field.choices = [("", _("All quizzes of the course")), *choices]  # type: ignore[attr-defined]

    def offers(self, quiz: ExtensibleQuiz) -> bool:
        return quiz.time_limit > 0

    def extra(self) -> dict[str, Any]:
        given = self.cleaned_data
        match given["time"]:
            case "unlimited":
                return {"is_unlimited": True}
            case "minutes":
                return {"minutes": given["minutes"]}
            case percent:
                return {"percent": int(percent)}


class ExtraAttemptsForm(ExceptionForm):
    """More attempts at a quiz."""

    count = forms.IntegerField(
        label=_("More attempts"), min_value=1, max_value=MAX_EXTRA_ATTEMPTS, initial=1, error_messages=_HOW_MANY
    )
    field_order = ("quiz", "count", "reason", "key")

    def offers(self, quiz: ExtensibleQuiz) -> bool:
        return quiz.max_attempts > 0

    def extra(self) -> dict[str, Any]:
        return {"count": self.cleaned_data["count"]}


class ReopenForm(_TimedForm):
    """The newest attempt once more."""

    time = forms.ChoiceField(
        label=_("Time, from when the learner continues"),
        choices=[(MINUTES, _("Some minutes")), (UNLIMITED, _("No time limit"))],
        initial=MINUTES,
        error_messages={"required": _("Choose how much time there is.")},
    )
    field_order = ("quiz", "time", "minutes", "reason", "key")

    def extra(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"is_unlimited": True} if given["time"] == UNLIMITED else {"minutes": given["minutes"]}


FORMS: dict[str, type[ExceptionForm]] = {"time": ExtraTimeForm, "attempts": ExtraAttemptsForm, "reopened": ReopenForm}
