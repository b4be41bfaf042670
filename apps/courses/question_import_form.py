"""The form that takes a file of questions."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.courses.imports.reading import FORMATS
from apps.courses.models import Course, Lesson, Quiz
from apps.courses.services import QuestionFile, open_bank

BANK = "bank"
MAX_PASTED = 500_000  # characters


class QuestionImportForm(forms.Form):
    """A file, or a pasted text, with where its questions go."""

    into = forms.ChoiceField(
        label=gettext_lazy("Import into"),
        error_messages={"required": gettext_lazy("Choose where the questions go.")},
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=255,
        required=False,
        error_messages={
            "max_length": gettext_lazy("The name of the file is too long."),
            "empty": gettext_lazy("This file is empty."),
        },
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste the questions"),
        max_length=MAX_PASTED,
        required=False,
        strip=False,
        widget=forms.Textarea,
    )
    form = forms.ChoiceField(
        label=gettext_lazy("Format"),
        required=False,
        choices=[("", gettext_lazy("Recognize it")), *FORMATS.items()],
    )
    tags = forms.CharField(label=gettext_lazy("Tags for all of them"), max_length=450, required=False)
    uses_categories = forms.BooleanField(label=gettext_lazy("Turn categories into tags"), required=False, initial=True)

    def __init__(self, *args: Any, course: Course, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = course
        quizzes = course.lessons.filter(kind=Lesson.Kind.QUIZ).order_by("section__position", "position")
        self.fields["into"].choices = [  # type: ignore[attr-defined]
            (BANK, _("Question bank")),
            *((lesson.slug, f"{lesson.number} {lesson.title}") for lesson in quizzes),
        ]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("file") is None and not given.get("text", "").strip() and not self.errors:
            self.add_error("file", _("Choose a file, or paste the questions."))
        return given

    def destination(self) -> Quiz:
        """Return the quiz or bank for the questions. Only after ``is_valid``."""
        if self.cleaned_data["into"] == BANK:
            return open_bank(course=self.course)
        lesson = self.course.lessons.select_related("quiz").get(slug=self.cleaned_data["into"])
        lesson.course = self.course
        lesson.quiz.lesson = lesson
        return lesson.quiz

    def question_file(self) -> QuestionFile:
        """Return what was sent, for the service. Only after ``is_valid``."""
        given = self.cleaned_data
        sent = given["file"]
        return QuestionFile(
            raw=sent.read() if sent is not None else given["text"].encode(errors="replace"),
            name=sent.name if sent is not None else "",
            form=given["form"],
            tags=given["tags"].split(","),
            uses_categories=given["uses_categories"],
        )
