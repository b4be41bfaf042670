"""What the forms of the auth pages accept. Each message is the specification's where it has one."""

import json
import re
import unicodedata
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import PROFILE_FIELDS, Style, Theme, User
from apps.accounts.providers import Identity

_RESERVED = {"admin", "administrator", "deleted", "deleted-user", "help", "moderator", "root", "staff", "support"}
# Breaks of lines, other control characters, and what turns the direction of the text around it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LOOK_ALIKE = ("LATIN", "CYRILLIC", "GREEK")  # alphabets whose letters are taken for each other's


def one_line(text: str) -> None:
    """Names reach mails and certificates: no line breaks or other control characters, and something to see.

    :raises ValidationError: there is one, or nothing.
    """
    if _CONTROL.search(text) or (text and not any(unicodedata.category(c)[0] in "LNPS" for c in text)):
        raise ValidationError(_("Use letters, spaces and punctuation only."), code="control_characters")


def _is_disguised(name: str) -> bool:
    """Whether letters of several alphabets make a name that reads like another one (a Cyrillic a in "admin")."""
    alphabets = {unicodedata.name(c, "").partition(" ")[0] for c in name}
    return len(alphabets.intersection(_LOOK_ALIKE)) > 1


def _name(label: Any, missing: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=80, validators=[one_line], error_messages={"required": missing})


def _email() -> forms.EmailField:
    return forms.EmailField(
        label=_("Email"),
        max_length=254,  # an address that a mail can be sent to is no longer, and the table keeps no more
        error_messages={"required": _("Enter your email address."), "invalid": _("Enter a valid email address.")},
    )


def _password(label: Any, missing: Any, **options: Any) -> forms.CharField:
    return forms.CharField(label=label, strip=False, max_length=128, error_messages={"required": missing}, **options)


def _ask_who_has_one(form: forms.Form, name: str, user: User) -> None:
    """No password is asked of who has none: they show who they are before (guards.confirms_identity)."""
    if not user.has_usable_password():
        del form.fields[name]


class SignIn(forms.Form):
    email = _email()
    password = _password(_("Password"), _("Enter your password."), min_length=8)
    remember = forms.BooleanField(label=_("Keep me signed in on this device"), required=False, initial=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].error_messages["min_length"] = _("Passwords have at least 8 characters.")


class NewPassword(forms.Form):
    """A new password, twice. ``person`` is who will have it: it must not resemble their name or email."""

    password = _password(_("Password"), _("Choose a password."))
    confirmation = _password(_("Confirm password"), _("Enter the password again."))

    def person(self) -> User:
        return User()

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        password = data.get("password")
        if password:
            try:
                validate_password(password, self.person())
            except ValidationError as error:
                self.add_error("password", error)
            if "confirmation" in data and data["confirmation"] != password:
                self.add_error("confirmation", ValidationError(_("Passwords do not match"), code="mismatch"))
        return data


class Register(NewPassword):
    first_name = _name(_("First name"), _("Enter your first name."))
    last_name = _name(_("Last name"), _("Enter your last name."))
    email = _email()
    terms = forms.BooleanField(
        label=_("Terms of service"), error_messages={"required": _("You must agree to the terms of service")}
    )
    field_order = ["first_name", "last_name", "email", "password", "confirmation", "terms"]

    def person(self) -> User:
        return User(**{name: self.cleaned_data.get(name, "") for name in ("first_name", "last_name", "email")})


class FinishRegistration(NewPassword):
    """What the owner of an email chooses who opened the link in another browser than the one that registered."""

    first_name = _name(_("First name"), _("Enter your first name."))
    last_name = _name(_("Last name"), _("Enter your last name."))
    terms = forms.BooleanField(
        label=_("Terms of service"), error_messages={"required": _("You must agree to the terms of service")}
    )
    field_order = ["first_name", "last_name", "password", "confirmation", "terms"]

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def person(self) -> User:
        names = {name: self.cleaned_data.get(name, "") for name in ("first_name", "last_name")}
        return User(email=self.email, **names)


class RegisterWithProvider(forms.Form):
    """What a provider does not know. An email that it vouches for is not asked."""

    first_name = _name(_("First name"), _("Enter your first name."))
    last_name = _name(_("Last name"), _("Enter your last name."))
    email = _email()
    terms = forms.BooleanField(
        label=_("Terms of service"), error_messages={"required": _("You must agree to the terms of service")}
    )

    def __init__(self, *args: Any, identity: Identity, **kwargs: Any) -> None:
        kwargs["initial"] = {name: getattr(identity, name) for name in ("first_name", "last_name", "email")}
        super().__init__(*args, **kwargs)
        if identity.is_email_verified:
            del self.fields["email"]


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


class ForgotPassword(forms.Form):
    email = _email()


class ResetPassword(NewPassword):
    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["password"].label = _("New password")
        self.fields["confirmation"].label = _("Confirm new password")

    def person(self) -> User:
        return self.user


class ChangePassword(ResetPassword):
    """The current password and the new one, twice; a first one takes the place of none."""

    current = _password(_("Current password"), _("Enter your current password."))
    field_order = ["current", "password", "confirmation"]

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        _ask_who_has_one(self, "current", user)


class Appearance(forms.Form):
    """How the site looks to one person. No theme: as the device."""

    theme = forms.ChoiceField(
        label=_("Appearance"), choices=[("", _("Match this device")), *Theme.choices], required=False
    )
    style = forms.ChoiceField(label=_("Style"), choices=Style.choices)


class Profile(forms.Form):
    """The profile of ``user``. A field of PROFILE_FIELDS that is not declared here is as its model field says."""

    username = forms.CharField(
        label=_("Username"), min_length=3, max_length=30, error_messages={"required": _("Choose a username.")}
    )
    first_name = _name(_("First name"), _("Enter your first name."))
    last_name = _name(_("Last name"), _("Enter your last name."))
    time_zone = forms.ChoiceField(label=_("Time zone"))
    headline = forms.CharField(label=_("Headline"), max_length=120, required=False, validators=[one_line])
    bio = forms.CharField(label=_("About you"), max_length=300, required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        kwargs["initial"] = {name: getattr(user, name) for name in PROFILE_FIELDS}
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].choices = [(name, name) for name in time_zones()]  # type: ignore[attr-defined]
        if not user.can_teach:
            # It appears under the name of an instructor. Who is none at the moment keeps the one they wrote.
            del self.fields["headline"]
        more = [name for name in PROFILE_FIELDS if name not in self.base_fields]
        for name, field in forms.fields_for_model(User, fields=more).items():
            if isinstance(field, forms.CharField) and not isinstance(field.widget, forms.Textarea):
                field.validators.append(one_line)
            self.fields[name] = field

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields that the template does not place itself."""
        return [self[name] for name in self.fields if name not in self.base_fields]

    def clean_username(self) -> str:
        # Wide and composed spellings of the same name are the same name.
        name = unicodedata.normalize("NFKC", self.cleaned_data["username"])
        if not re.fullmatch(r"[\w.-]{3,30}", name) or name.strip("._-") == "":
            raise ValidationError(_("Use letters, numbers, dots, dashes and underscores."), code="invalid")
        if _is_disguised(name):
            raise ValidationError(_("Use letters from one alphabet only."), code="mixed_alphabets")
        if name.lower() in _RESERVED:
            raise ValidationError(_("This username is taken."), code="taken")
        return name


class ProfilePicture(forms.Form):
    """A picture and the square of it to keep (fractions; without them the middle)."""

    picture = forms.FileField(label=_("Picture"), error_messages={"required": _("Choose a picture.")})
    x = forms.FloatField(min_value=0, max_value=1, required=False)
    y = forms.FloatField(min_value=0, max_value=1, required=False)
    size = forms.FloatField(min_value=0.05, max_value=1, required=False)


class ChangeEmail(forms.Form):
    email = _email()
    password = _password(_("Current password"), _("Enter your current password."))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["email"].label = _("New email")
        _ask_who_has_one(self, "password", user)

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if User.objects.normalize_email(email) == self.user.email:
            raise ValidationError(_("This is already your email."), code="same")
        return email


class Goals(forms.Form):
    daily_minutes = forms.IntegerField(label=_("Minutes a day"), min_value=5, max_value=120)
    weekly_lessons = forms.IntegerField(label=_("Lessons a week"), min_value=1, max_value=20)


@cache
def time_zones() -> list[str]:
    """The zones that carry a place's name, and UTC; in order of their names."""
    regions = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")
    return ["UTC", *sorted(name for name in available_timezones() if name.startswith(regions))]


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


class DecideTeaching(forms.Form):
    answer = forms.CharField(label=_("Answer"), max_length=2000, required=False)
    decision = forms.ChoiceField(choices=[("approve", ""), ("decline", "")])

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        if data.get("decision") == "decline" and not data.get("answer"):
            self.add_error("answer", _("Explain why, so they know what to change."))
        return data


class Block(forms.Form):
    reason = forms.CharField(
        label=_("Reason"), max_length=300, validators=[one_line], error_messages={"required": _("Enter a reason.")}
    )


class DeleteAccount(forms.Form):
    password = _password(_("Current password"), _("Enter your current password."))
    sure = forms.BooleanField(
        label=_("I understand that this cannot be undone"),
        error_messages={"required": _("Check this box to continue.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _ask_who_has_one(self, "password", user)


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


class ConfirmPassword(forms.Form):
    password = _password(_("Password"), _("Enter your password."))


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
