"""Signing in: password, second step and passkey."""

import json
import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import email_field, one_line, password_field


class SignIn(forms.Form):
    email = email_field()
    password = password_field(_("Password"), _("Enter your password."), min_length=8)
    remember = forms.BooleanField(label=_("Keep me signed in on this device"), required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].error_messages["min_length"] = _("Passwords have at least 8 characters.")


class EmailCode(forms.Form):
    """The six digits of the mail; spaces and dashes that came along are forgiven."""

    code = forms.CharField(
        label=_("Code"), max_length=20, error_messages={"required": _("Enter the six-digit code from the email.")}
    )

    def clean_code(self) -> str:
        digits = re.sub(r"[\s-]", "", self.cleaned_data["code"])
        if not re.fullmatch(r"[0-9]{6}", digits):
            raise ValidationError(_("The code has six digits."), code="invalid")
        return digits


class AppCode(EmailCode):
    """The first code of an authenticator app that is being set up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].error_messages["required"] = _("Enter the six-digit code from the app.")


class SecondStepCode(forms.Form):
    """A code of the app (six digits) or a recovery code (eight); spaces and dashes are forgiven."""

    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        error_messages={"required": _("Enter a code from your app, or a recovery code.")},
    )

    def clean_code(self) -> str:
        digits = re.sub(r"[\s-]", "", self.cleaned_data["code"])
        if not re.fullmatch(r"[0-9]{6}|[0-9]{8}", digits):
            raise ValidationError(_("App codes have six digits, recovery codes eight."), code="invalid")
        return digits


class PasskeyName(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        validators=[one_line],
        error_messages={"required": _("Give the passkey a name you'll recognize.")},
    )


class PasskeyResponse(forms.Form):
    """What the browser's passkey dialog gave, as JSON."""

    credential = forms.CharField(max_length=20_000, strip=False)

    def clean_credential(self) -> dict[str, Any]:
        try:
            answer = json.loads(self.cleaned_data["credential"])
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ValidationError(_("The browser's response couldn't be read."), code="invalid")
        return answer


class NewPasskey(PasskeyName, PasskeyResponse):
    field_order = ["name", "credential"]
