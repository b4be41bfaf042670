"""The forms of the guest list."""

from django import forms
from django.utils.translation import gettext_lazy as _

from studyplatform.samples.models import MOST_CHARACTERS


class Guest(forms.Form):
    """A guest to add. Whether the name is on the list already is decided by the service that adds it."""

    guest = forms.CharField(
        label=_("Name of the guest"),
        max_length=MOST_CHARACTERS,
        error_messages={"required": _("Enter the name of a guest.")},
    )


class Entry(forms.Form):
    """Which entry of a list a button is for."""

    entry = forms.UUIDField()
