"""The forms of an outside expert at a link: a name, comments, answers."""

from django import forms
from django.utils.translation import gettext_lazy

from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.names import NameFormField, WrittenFormField
from studyplatform.kit.text import content


class NameForm(forms.Form):
    """The name under which an expert's comments appear."""

    name = NameFormField(
        label=gettext_lazy("Your name"),
        max_length=80,
        error_messages={"required": gettext_lazy("Enter your name.")},
    )


class AnswerForm(forms.Form):
    """One comment. Experts send no pictures: they have no account to which a large file could be counted."""

    uid = forms.UUIDField(widget=forms.HiddenInput)
    text = WrittenFormField(
        label=gettext_lazy("Comment"),
        max_length=content.COMMENT.max_length,
        error_messages={"required": gettext_lazy("Write a comment.")},
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
