"""The form that puts a picture or file into a text."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


class InsertedFileForm(forms.Form):
    """A picture or another file to put into a text, with what people read who can't see it."""

    inserted = forms.FileField(
        label=gettext_lazy("Picture or file"),
        max_length=255,
        required=False,  # for the browser: the same form saves the lesson without a file
        error_messages={
            "max_length": gettext_lazy("The name of the file is too long."),
            "empty": gettext_lazy("This file is empty."),
        },
    )
    alt = forms.CharField(label=gettext_lazy("Alternative text"), max_length=300, required=False)
    caption = forms.CharField(label=gettext_lazy("Caption"), max_length=300, required=False)
    is_decorative = forms.BooleanField(label=gettext_lazy("Decorative picture"), required=False)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        sent = given.get("inserted")
        if sent is None and "inserted" not in self.errors:
            self.add_error("inserted", _("Choose a file."))
        is_picture = sent is not None and sent.name.lower().endswith(PICTURE_SUFFIXES)
        if is_picture and not given.get("alt", "").strip() and not given.get("is_decorative"):
            self.add_error("alt", _("Describe the picture, or mark it as decorative."))
        return given
