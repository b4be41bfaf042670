"""The forms of the to-do list, for browsers without scripts."""

from django import forms
from django.utils.translation import gettext_lazy as _

from studyplatform.samples.models import MOST_CHARACTERS


class Todo(forms.Form):
    """A to-do to add."""

    title = forms.CharField(
        label=_("New to-do"), max_length=MOST_CHARACTERS, error_messages={"required": _("Enter a to-do.")}
    )


class Step(forms.Form):
    """What a button of a row does."""

    entry = forms.UUIDField()
    step = forms.ChoiceField(choices=[("done", "done"), ("open", "open"), ("delete", "delete")])
