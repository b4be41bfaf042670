"""The forms of an outside expert at a link: a name, comments, answers."""

from django import forms
from django.core.files import File
from django.utils.translation import gettext, gettext_lazy

from apps.courses.services import Said
from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.names import NameFormField, WrittenFormField
from studyplatform.kit.text import content
from studyplatform.kit.text.sizes import as_size

MAX_EXPERT_PICTURE_BYTES = 2 * 2**20


class NameForm(forms.Form):
    """The name under which an expert's comments appear."""

    name = NameFormField(
        label=gettext_lazy("Your name"),
        max_length=80,
        error_messages={"required": gettext_lazy("Enter your name.")},
    )


class AnswerForm(forms.Form):
    """One comment: its text, and a picture that is no larger than the body of any form may be."""

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

    def clean_picture(self) -> File[bytes] | None:
        """Refuse what is too large, before it is drawn."""
        picture: File[bytes] | None = self.cleaned_data["picture"]
        if picture is not None and (picture.size or 0) > MAX_EXPERT_PICTURE_BYTES:
            most = as_size(MAX_EXPERT_PICTURE_BYTES)
            raise forms.ValidationError(gettext("Choose a PNG, JPEG or WebP picture of up to %s.") % most)
        return picture

    def said(self) -> Said:
        """Return the comment for a service. Only after ``is_valid``."""
        given = self.cleaned_data
        return Said(uid=given["uid"], text=given["text"], picture=given["picture"])

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
