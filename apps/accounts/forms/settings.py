"""The other sections of the settings page."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import email_field, password_field, remove_without_password
from apps.accounts.models import Style, Theme, User


class Appearance(forms.Form):
    """The look of the site for one user. Without a theme, the device decides."""

    theme = forms.ChoiceField(
        label=_("Appearance"), choices=[("", _("Match this device")), *Theme.choices], required=False
    )
    style = forms.ChoiceField(
        label=_("Style"), choices=Style.choices, error_messages={"required": _("Choose a style.")}
    )


class ChangeEmail(forms.Form):
    email = email_field()
    password = password_field(_("Current password"), _("Enter your current password."))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["email"].label = _("New email")
        remove_without_password(self, "password", user)

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if User.objects.normalize_email(email) == self.user.email:
            raise ValidationError(_("This is already your email."), code="same")
        return email


class Goals(forms.Form):
    daily_minutes = forms.IntegerField(
        label=_("Minutes a day"),
        min_value=5,
        max_value=120,
        error_messages={"required": _("Enter how many minutes a day.")},
    )
    weekly_lessons = forms.IntegerField(
        label=_("Lessons a week"),
        min_value=1,
        max_value=20,
        error_messages={"required": _("Enter how many lessons a week.")},
    )


class EmailSharing(forms.Form):
    shares_email = forms.BooleanField(label=_("Show my email to the instructors of my courses"), required=False)


class RequestToTeach(forms.Form):
    reason = forms.CharField(
        label=_("What would you like to teach, and what is your experience?"),
        min_length=40,
        max_length=2000,
        error_messages={
            "required": _("Tell us what you would like to teach."),
            "min_length": _("Write a few sentences (at least 40 characters) to help us decide."),
        },
    )


class DeleteAccount(forms.Form):
    password = password_field(_("Current password"), _("Enter your current password."))
    sure = forms.BooleanField(
        label=_("I understand that this cannot be undone"),
        error_messages={"required": _("Check this box to continue.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        remove_without_password(self, "password", user)
