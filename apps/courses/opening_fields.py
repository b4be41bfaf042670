"""The fields of a lesson's form that say when it opens, and whether it counts."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MAX_DAYS = 3_650


class OpeningFields(forms.Form):
    """A lesson opens at once, on a date, or some days after enrollment."""

    is_optional = forms.BooleanField(label=gettext_lazy("Optional lesson"), required=False)
    opens_at = forms.DateTimeField(
        label=gettext_lazy("Opens on"),
        required=False,
        error_messages={"invalid": gettext_lazy("Enter a date and time.")},
    )
    opens_after_days = forms.IntegerField(
        label=gettext_lazy("Opens after enrollment (days)"),
        required=False,
        min_value=1,
        max_value=MAX_DAYS,
        error_messages={"invalid": gettext_lazy("Enter a whole number of days.")},
    )

    def clean(self) -> dict[str, Any] | None:
        """
        :raises ValidationError: there are a date and days.
        """
        data = super().clean()
        if data and data.get("opens_at") is not None and data.get("opens_after_days") is not None:
            self.add_error("opens_after_days", _("Choose a date or a number of days, not both."))
        return data

    def arguments(self) -> dict[str, Any]:
        """Return the valid data as the arguments of ``services.edit_lesson``."""
        names = OpeningFields.base_fields.keys()
        texts = {name: value for name, value in self.cleaned_data.items() if name not in names}
        return {**texts, "settings": {name: self.cleaned_data[name] for name in names}}
