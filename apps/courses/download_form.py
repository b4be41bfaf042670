"""The form that adds a download to a lesson."""

from django import forms
from django.utils.translation import gettext_lazy

from studyplatform.kit.names import NameFormField


class DownloadForm(forms.Form):
    """A file, and the name under which learners see it."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=255,
        error_messages={
            "required": gettext_lazy("Choose a file."),
            "max_length": gettext_lazy("The name of the file is too long."),
            "empty": gettext_lazy("This file is empty."),
        },
    )
    name = NameFormField(label=gettext_lazy("Name shown to learners"), max_length=255, required=False)
