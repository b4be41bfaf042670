"""Fields and rules that several forms share."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts.email_addresses import canonical_address
from apps.accounts.models import User
from studyplatform.kit.passwords import PasswordField
from studyplatform.kit.text.blank import stripped

# Breaks of lines, other control characters, and what turns the direction of the text around it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> None:
    """Names reach mails and certificates: no line breaks or other control characters, and something to see.

    :raises ValidationError: there is one, or nothing.
    """
    if _CONTROL.search(text) or (text and not stripped(text)):
        raise ValidationError(_("Use letters, spaces and punctuation only."), code="control_characters")


def name_field(label: Any, missing: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=80, validators=[one_line], error_messages={"required": missing})


def deliverable(address: str) -> None:
    """Refuse an address whose domain no mail server can have, such as one with invisible characters.

    :raises ValidationError: it is one.
    """
    try:
        canonical_address(address)
    except ValueError:
        raise ValidationError(_("Enter a valid email address."), code="invalid") from None


def email_field() -> forms.EmailField:
    return forms.EmailField(
        validators=[deliverable],
        label=_("Email"),
        max_length=254,  # an address that a mail can be sent to is no longer, and the table keeps no more
        error_messages={"required": _("Enter your email address."), "invalid": _("Enter a valid email address.")},
    )


def password_field(label: Any, missing: Any, **options: Any) -> forms.CharField:
    return PasswordField(label=label, max_length=128, error_messages={"required": missing}, **options)


def remove_without_password(form: forms.Form, name: str, user: User) -> None:
    """Remove the password field for a user without a password: ``guards.confirms_identity`` has asked them before."""
    if not user.has_usable_password():
        del form.fields[name]
