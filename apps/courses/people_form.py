"""Forms about the people of a course."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.courses.models import CoInstructorRole

MAX_EMAIL_LENGTH = 254


class RoleForm(forms.Form):
    """The role and the share of a co-instructor."""

    role = forms.ChoiceField(
        label=_("Role"),
        choices=CoInstructorRole.choices,
        initial=CoInstructorRole.EDIT,
        error_messages={"required": _("Choose a role.")},
    )
    percent = forms.IntegerField(
        label=_("Share of your revenue in percent"), min_value=0, max_value=100, required=False, initial=0
    )

    def clean_percent(self) -> int:
        """No share if the field is empty."""
        return self.cleaned_data["percent"] or 0


class InvitationForm(RoleForm):
    email = forms.EmailField(
        label=_("Email address"),
        max_length=MAX_EMAIL_LENGTH,
        error_messages={"required": _("Enter an email address.")},
    )
    field_order = ("email", "role", "percent")

    def values(self) -> dict[str, Any]:
        """Return what was entered, for the service."""
        return {name: self.cleaned_data[name] for name in ("email", "role", "percent")}
