"""Choosing, resetting and changing a password."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import email_field, password_field, remove_without_password
from apps.accounts.models import User
from studyplatform.kit.passwords import normalize_password


class NewPassword(forms.Form):
    """A new password, twice. It must not resemble the name or email of its owner."""

    password = password_field(_("Password"), _("Choose a password."))
    confirmation = password_field(_("Confirm password"), _("Enter the password again."))

    def owner(self) -> User:
        return User()

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        for name in ("password", "confirmation"):
            if name in data:
                data[name] = normalize_password(data[name])
        password = data.get("password")
        if password:
            try:
                validate_password(password, self.owner())
            except ValidationError as error:
                self.add_error("password", error)
            if "confirmation" in data and data["confirmation"] != password:
                self.add_error("confirmation", ValidationError(_("Passwords do not match"), code="mismatch"))
        return data


class ForgotPassword(forms.Form):
    email = email_field()


class ResetPassword(NewPassword):
    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["password"].label = _("New password")
        self.fields["confirmation"].label = _("Confirm new password")

    def owner(self) -> User:
        return self.user


class ChangePassword(ResetPassword):
    """The current password and the new one, twice; a first one takes the place of none."""

    current = password_field(_("Current password"), _("Enter your current password."))
    field_order = ["current", "password", "confirmation"]

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        remove_without_password(self, "current", user)


class ConfirmPassword(forms.Form):
    password = password_field(_("Password"), _("Enter your password."))
