"""The form that duplicates a course."""

from django import forms
from django.utils.translation import gettext_lazy

from studyplatform.kit.names import NameFormField


class CopyCourseForm(forms.Form):
    """What a copy of a course is called, and how much later its lessons open. ``key`` names the copy."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    title = NameFormField(
        label=gettext_lazy("Title of the copy"),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter a title.")},
    )
    shift_days = forms.IntegerField(
        label=gettext_lazy("Open lessons later by (days)"),
        min_value=-3650,
        max_value=3650,
        help_text=gettext_lazy("For lessons that open on a date. Use a negative number for earlier."),
        error_messages={"required": gettext_lazy("Enter a number of days, such as 0.")},
    )
