"""The form of buyer details, for the page and the checkout."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.billing.countries import country_choices
from apps.billing.models import BuyerDetails
from apps.billing.models.buyers import SNAPSHOT_FIELDS
from apps.billing.postal_codes import WrongPostalCode, check_postal_code
from apps.billing.vat_ids import WrongVatId, check_vat_id, is_checked

_REQUIRED_OF_COMPANIES = {
    "name": gettext_lazy("Enter the company's name."),
    "street": gettext_lazy("Enter the street address."),
    "city": gettext_lazy("Enter the city or town."),
    "country": gettext_lazy("Choose a country."),
}


def _choices() -> list[tuple[str, Any]]:
    return [("", _("Choose a country")), *country_choices()]


@dataclass(frozen=True)
class VatIdCheck:
    """What a form says about a VAT number before it is sent. ``is_valid``: None if it can't be decided."""

    is_valid: bool | None
    message: str


def explain_vat_id(text: str, country: str) -> VatIdCheck:
    """Return what `BuyerForm` would say about a company's VAT number in a country, and how it will be printed."""
    if not text.strip():
        return VatIdCheck(None, "")
    if not country:
        return VatIdCheck(None, _("Choose a country to check the number."))
    try:
        number = check_vat_id(text, country)
    except WrongVatId:
        return VatIdCheck(is_valid=False, message=str(_fault_of_vat_id(country)))
    if not is_checked(country):
        return VatIdCheck(None, _("Numbers of this country aren't checked."))
    return VatIdCheck(is_valid=True, message=_("Valid format: %(number)s") % {"number": number})


def _fault_of_vat_id(country: str) -> Any:
    if is_checked(country):
        return gettext_lazy("This isn't a VAT number of that country. Check it for a typing error.")
    return gettext_lazy("Enter at most 30 letters and digits.")


class BuyerForm(forms.ModelForm[BuyerDetails]):
    """A company needs its name and address, and its VAT number must be one of its country. A person needs nothing."""

    country = forms.ChoiceField(
        label=gettext_lazy("Country"),
        choices=lazy(_choices, list),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("Choose a country from the list.")},
    )

    class Meta:
        model = BuyerDetails
        fields = SNAPSHOT_FIELDS

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        country = given.get("country", "")
        if given.get("is_company"):
            for name, message in _REQUIRED_OF_COMPANIES.items():
                if not given.get(name) and name not in self.errors:
                    self.add_error(name, message)
        else:
            given["vat_id"] = ""
        if country and "postal_code" not in self.errors:
            self._check_postal_code(given, country)
        if given.get("vat_id") and country and "vat_id" not in self.errors:
            self._check_vat_id(given, country)
        return given

    def _check_postal_code(self, given: dict[str, Any], country: str) -> None:
        try:
            given["postal_code"] = check_postal_code(
                given.get("postal_code", ""), country, is_required=bool(given.get("is_company"))
            )
        except WrongPostalCode as fault:
            self.add_error("postal_code", str(fault))

    def _check_vat_id(self, given: dict[str, Any], country: str) -> None:
        try:
            given["vat_id"] = check_vat_id(given["vat_id"], country)
        except WrongVatId:
            self.add_error("vat_id", _fault_of_vat_id(country))
