"""The form of a new personal token."""

from datetime import timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.accounts.forms.fields import one_line
from apps.accounts.models import Scope

LIFETIMES = {"30": _("30 days"), "90": _("90 days"), "365": _("A year"), "never": _("Never")}


class NewPersonalToken(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        validators=[one_line],
        error_messages={"required": _("Enter a name you'll recognize later.")},
    )
    days = forms.ChoiceField(
        label=_("Expires after"),
        choices=list(LIFETIMES.items()),
        initial="90",
        error_messages={"required": _("Choose when the token expires.")},
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it can do"),
        choices=Scope.choices,
        initial=[Scope.READ_COURSES, Scope.READ_PROGRESS],
        error_messages={"required": _("Choose at least one.")},
    )

    @property
    def chosen_scopes(self) -> list[Scope]:
        return [Scope(value) for value in self.cleaned_data["scopes"]]

    @property
    def lifetime(self) -> timedelta | None:
        """How long it works; None: it never expires."""
        days = self.cleaned_data["days"]
        return None if days == "never" else timedelta(days=int(days))
