"""Forms of the quiz builder."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.models import Course, Lesson, Question, Quiz
from apps.courses.services import QuestionDraft
from apps.courses.services.question_drafts import answers_of as answers_of
from studyplatform.kit.names import WrittenFormField


class QuizForm(forms.Form):
    """A quiz's rules. Times are in minutes."""

    intro = WrittenFormField(label=gettext_lazy("Introduction"), max_length=2000, required=False)
    pass_percent = forms.IntegerField(
        label=gettext_lazy("Pass at"),
        min_value=1,
        max_value=100,
        error_messages={"required": gettext_lazy("Enter the percentage needed to pass.")},
    )
    max_attempts = forms.IntegerField(label=gettext_lazy("Attempts"), min_value=0, max_value=50, required=False)
    minutes = forms.IntegerField(label=gettext_lazy("Minutes"), min_value=0, max_value=480, required=False)
    reveal = forms.ChoiceField(
        label=gettext_lazy("Show the correct answers"),
        choices=Quiz.Reveal.choices,
        initial=Quiz.Reveal.PASSED,
        error_messages={"required": gettext_lazy("Choose when learners see the correct answers.")},
    )
    wait = forms.IntegerField(
        label=gettext_lazy("Minutes between attempts"), min_value=0, max_value=1440, required=False
    )

    draw = forms.IntegerField(label=gettext_lazy("Questions per attempt"), min_value=0, max_value=100, required=False)
    shuffle_questions = forms.BooleanField(label=gettext_lazy("Shuffle the questions"), required=False)
    shuffle_options = forms.BooleanField(label=gettext_lazy("Shuffle the choices"), required=False)


class QuestionForm(forms.Form):
    """A question of any kind. Its lines are repeated inputs, of which each kind uses its part."""

    kind = forms.ChoiceField(
        choices=Question.Kind.choices, error_messages={"required": gettext_lazy("Choose a type of question.")}
    )
    prompt = WrittenFormField(
        label=gettext_lazy("Question"),
        max_length=4000,
        error_messages={"required": gettext_lazy("Enter a question.")},
    )
    explanation = WrittenFormField(label=gettext_lazy("Explanation"), max_length=4000, required=False)
    points = forms.IntegerField(
        label=gettext_lazy("Points"),
        min_value=1,
        max_value=100,
        initial=1,
        required=False,
        error_messages={"required": gettext_lazy("Enter the points for this question.")},
    )
    rewatch = forms.ModelChoiceField(
        Lesson.objects.none(),
        label=gettext_lazy("Lesson to rewatch"),
        required=False,
        to_field_name="uid",
        empty_label=gettext_lazy("None"),
    )
    all_or_nothing = forms.BooleanField(label=gettext_lazy("All or nothing"), required=False)
    is_withdrawn = forms.BooleanField(label=gettext_lazy("Withdraw this question"), required=False)
    rewatch_at = forms.CharField(label=gettext_lazy("Starting at"), max_length=9, required=False)

    def __init__(self, *args: Any, course: Course, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        videos = course.lessons.filter(kind=Lesson.Kind.VIDEO).order_by("section__position", "position")
        self.fields["rewatch"].queryset = videos  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("kind") == Question.Kind.GAPS:  # its points are those of its gaps
            given["points"] = given.get("points") or 1
        elif given.get("points") is None and "points" not in self.errors:
            self.add_error("points", self.fields["points"].error_messages["required"])
        return given

    def clean_rewatch_at(self) -> int | None:
        text = self.cleaned_data["rewatch_at"].strip()
        return seconds_of(text) if text else None

    def draft(self) -> QuestionDraft:
        """Return the input of the service. Only after ``is_valid``."""
        given = self.cleaned_data
        return QuestionDraft(
            kind=given["kind"],
            prompt=given["prompt"],
            answers=answers_of(self.data),
            points=given["points"],
            explanation=given["explanation"],
            rewatch_lesson=given["rewatch"],
            rewatch_at=given["rewatch_at"],
            all_or_nothing=given["all_or_nothing"],
            is_withdrawn=given["is_withdrawn"],
        )


def seconds_of(text: str) -> int:
    """Parse a time: 7:16 -> 436, 1:02:03 -> 3723, 90 -> 90.

    :raises ValidationError: it is not a time.
    """
    parts = text.split(":")
    if not 1 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() and len(part) <= 5 for part in parts):
        raise forms.ValidationError(_("Enter a time such as 7:16."))
    total = 0
    for part in parts:
        total = total * 60 + int(part)
    return total
