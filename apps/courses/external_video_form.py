"""The form of a video of another host."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from apps.courses.external_video import AddressProblem, read_address, read_length


class ExternalVideoField(forms.CharField):
    """The address of a video of another host; its value is an ``ExternalVideo``, or None."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return read_address(text) if text else None
        except AddressProblem as problem:
            raise forms.ValidationError(str(problem)) from None


class VideoLengthField(forms.CharField):
    """The length of a video, such as 12:30; its value is in seconds, 0 for an empty field."""

    def clean(self, value: Any) -> Any:
        try:
            return read_length(super().clean(value))
        except AddressProblem as problem:
            raise forms.ValidationError(str(problem)) from None


class ExternalVideoForm(forms.Form):
    """The video of another host that a lesson shows."""

    external_video = ExternalVideoField(label=gettext_lazy("Address of the video"), max_length=4000, required=False)
    external_length = VideoLengthField(label=gettext_lazy("Length"), max_length=12, required=False)
