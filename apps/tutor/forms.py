"""Forms of the tutor's pages."""

from django import forms
from django.utils.translation import gettext_lazy as _


class SwitchesForm(forms.Form):
    """The switches of a course. A checkbox that is not sent is off."""

    is_enabled = forms.BooleanField(label=_("Learners can ask the tutor about this course"), required=False)
    demands_grounding = forms.BooleanField(label=_("Answer from the course only"), required=False)
