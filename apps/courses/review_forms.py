"""Forms of comments on places of a course."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.names import WrittenFormField
from studyplatform.kit.text import content


class AnswerForm(forms.Form):
    """One comment: its text, and a picture."""

    uid = forms.UUIDField(widget=forms.HiddenInput)
    text = WrittenFormField(
        label=gettext_lazy("Comment"),
        max_length=content.COMMENT.max_length,
        error_messages={"required": gettext_lazy("Write a comment.")},
    )
    picture = forms.FileField(
        label=gettext_lazy("Picture"),
        max_length=255,
        required=False,
        error_messages={
            "max_length": gettext_lazy("The name of the file is too long."),
            "empty": gettext_lazy("This file is empty."),
        },
    )

    def refuse(self, refusal: AppError) -> None:
        """Show what a service refused at its fields, so that the text can be sent again."""
        if not isinstance(refusal, ValidationFailed):
            self.add_error(None, str(refusal.detail))
            return
        for field, problems in refusal.in_fields.items():
            for problem in problems:
                self.add_error(field if field in self.fields else None, problem["message"])


class CommentForm(AnswerForm):
    """A comment on a new place. ``lesson`` is empty for the course page."""

    lesson = forms.UUIDField(required=False, widget=forms.HiddenInput)
    at = forms.CharField(label=gettext_lazy("At"), max_length=10, required=False)
    about = forms.CharField(label=gettext_lazy("About"), max_length=40, required=False)
    is_required = forms.BooleanField(label=gettext_lazy("Required change"), required=False)

    def place(self) -> dict[str, Any]:
        """Return where the comment stands, as `services.open_thread` takes it. Only after ``is_valid``."""
        return {name: self.cleaned_data[name] for name in ("at", "about", "is_required")}
