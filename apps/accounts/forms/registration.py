"""Creating an account."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import email_field, name_field
from apps.accounts.forms.passwords import NewPassword
from apps.accounts.models import User
from apps.accounts.providers import Identity


class Register(NewPassword):
    first_name = name_field(_("First name"), _("Enter your first name."))
    last_name = name_field(_("Last name"), _("Enter your last name."))
    email = email_field()
    terms = forms.BooleanField(
        label=_("Terms of service"), error_messages={"required": _("You must agree to the terms of service")}
    )
    field_order = ["first_name", "last_name", "email", "password", "confirmation", "terms"]

    def owner(self) -> User:
        return User(**{name: self.cleaned_data.get(name, "") for name in ("first_name", "last_name", "email")})


class FinishRegistration(NewPassword):
    """What the owner of an email chooses who opened the link in another browser than the one that registered."""

    first_name = name_field(_("First name"), _("Enter your first name."))
    last_name = name_field(_("Last name"), _("Enter your last name."))
    terms = forms.BooleanField(
        label=_("Terms of service"), error_messages={"required": _("You must agree to the terms of service")}
    )
    field_order = ["first_name", "last_name", "password", "confirmation", "terms"]

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def owner(self) -> User:
        names = {name: self.cleaned_data.get(name, "") for name in ("first_name", "last_name")}
        return User(email=self.email, **names)


class RegisterWithProvider(forms.Form):
    """What a provider does not know. An email that it vouches for is not asked."""

    first_name = name_field(_("First name"), _("Enter your first name."))
    last_name = name_field(_("Last name"), _("Enter your last name."))
    email = email_field()
    terms = forms.BooleanField(
        label=_("Terms of service"), error_messages={"required": _("You must agree to the terms of service")}
    )

    def __init__(self, *args: Any, identity: Identity, **kwargs: Any) -> None:
        kwargs["initial"] = {name: getattr(identity, name) for name in ("first_name", "last_name", "email")}
        super().__init__(*args, **kwargs)
        if identity.is_email_verified:
            del self.fields["email"]
