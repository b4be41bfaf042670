"""Forms of a team's page."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.accounts.models import User
from apps.billing.mail_domains import readable_domain
from apps.billing.models import MAX_TEAM_NAME_LENGTH
from apps.billing.seat_addresses import MAX_TEXT_LENGTH, read_addresses
from studyplatform.kit.names import NameFormField
from studyplatform.kit.text.lists import list_names, quote

MAX_INVALID_SHOWN = 10


class AssignSeats(forms.Form):
    """Whom to give seats: addresses, one per line, and whether the owner's domain may take free ones.

    ``kinds``: (key, title) of what the seats are for. ``domain``: the owner's; "" leaves the choice out.
    """

    kind = forms.ChoiceField(label=gettext_lazy("Seats for"), required=False)
    emails = forms.CharField(
        label=gettext_lazy("Email addresses, one per line"),
        max_length=MAX_TEXT_LENGTH,
        required=False,
        widget=forms.Textarea,
    )
    is_domain_open = forms.BooleanField(required=False)

    def __init__(self, *args: Any, kinds: Iterable[tuple[str, str]], domain: str, was_open: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        self.kinds, self.was_open = list(kinds), was_open
        chosen: Any = self.fields["kind"]
        chosen.choices = self.kinds
        self.fields["is_domain_open"].initial = was_open
        if domain:
            said = _("Anyone at %(domain)s may take a free seat") % {"domain": readable_domain(domain)}
            self.fields["is_domain_open"].label = said
        else:
            del self.fields["is_domain_open"]

    def clean_kind(self) -> str:
        """The first one where nothing is chosen: most teams have seats of one kind."""
        return self.cleaned_data["kind"] or self.kinds[0][0]

    def clean_emails(self) -> list[str]:
        """The addresses, each once.

        :raises ValidationError: it names each that isn't one.
        """
        found = read_addresses(self.cleaned_data["emails"])
        if found.invalid:
            shown = [text[:80] for text in found.invalid[:MAX_INVALID_SHOWN]]
            more = len(found.invalid) - len(shown)
            names = list_names([quote(text) for text in shown], more=more)
            said = ngettext(
                "This isn't an email address: %(names)s", "These aren't email addresses: %(names)s", len(found.invalid)
            )
            raise ValidationError(said % {"names": names})
        return found.addresses

    @property
    def changes_domain(self) -> bool:
        """Whether the choice about the domain differs from what it was."""
        return "is_domain_open" in self.fields and self.cleaned_data.get("is_domain_open") != self.was_open

    def clean(self) -> None:
        if not self.errors and not self.cleaned_data["emails"] and not self.changes_domain:
            self.add_error("emails", _("Enter at least one email address."))


class TeamName(forms.Form):
    """The name of a team."""

    name = NameFormField(
        label=gettext_lazy("Name"),
        max_length=MAX_TEAM_NAME_LENGTH,
        help_text=gettext_lazy("Shown to everyone with a seat or an invitation."),
        error_messages={"required": gettext_lazy("Enter a name.")},
    )


class NewOwner(forms.Form):
    """Who manages a team from now on: one of those who have a seat."""

    holder = forms.ModelChoiceField(
        queryset=User.objects.none(),
        label=gettext_lazy("New manager"),
        to_field_name="uid",
        empty_label=gettext_lazy("Choose someone with a seat"),
        error_messages={"required": gettext_lazy("Choose someone."), "invalid_choice": gettext_lazy("Choose someone.")},
    )

    def __init__(self, *args: Any, holders: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        chosen: Any = self.fields["holder"]
        chosen.queryset = holders
        chosen.label_from_instance = lambda user: user.display_name
