"""A user's public profile and its picture."""

import re
import unicodedata
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import name_field, one_line
from apps.accounts.models import PROFILE_FIELDS, User

_RESERVED = {"admin", "administrator", "deleted", "deleted-user", "help", "moderator", "root", "staff", "support"}


_LOOK_ALIKE = ("LATIN", "CYRILLIC", "GREEK")  # alphabets whose letters are taken for each other's


def _is_disguised(name: str) -> bool:
    """Whether letters of several alphabets make a name that reads like another one (a Cyrillic a in "admin")."""
    alphabets = {unicodedata.name(c, "").partition(" ")[0] for c in name}
    return len(alphabets.intersection(_LOOK_ALIKE)) > 1


class Profile(forms.Form):
    """The profile of ``user``. A field of PROFILE_FIELDS that is not declared here is as its model field says."""

    username = forms.CharField(
        label=_("Username"), min_length=3, max_length=30, error_messages={"required": _("Choose a username.")}
    )
    first_name = name_field(_("First name"), _("Enter your first name."))
    last_name = name_field(_("Last name"), _("Enter your last name."))
    time_zone = forms.ChoiceField(label=_("Time zone"), error_messages={"required": _("Choose a time zone.")})
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


@cache
def time_zones() -> list[str]:
    """The zones that carry a place's name, and UTC; in order of their names."""
    regions = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")
    return ["UTC", *sorted(name for name in available_timezones() if name.startswith(regions))]
