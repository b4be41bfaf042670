"""The form of an instructor's tax details."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from apps.billing.countries import EU_VAT_AREA, country_choices, country_name
from apps.billing.models import TaxDetails
from apps.billing.postal_codes import WrongPostalCode, check_postal_code
from apps.billing.queries.tax_details import TaxIdentity
from apps.billing.tax_numbers import MAX_TAX_NUMBER_LENGTH, WrongTaxNumber, check_tax_number
from apps.billing.vat_ids import WrongVatId, check_vat_id
from studyplatform.kit.names import NameFormField

FIRST_BIRTH_YEAR = 1900
OF_COMPANIES, OF_PERSONS = ("registration_number",), ("birth_date", "birth_place")


def _choices() -> list[tuple[str, Any]]:
    return [("", _("Choose a country")), *country_choices()]


class TaxDetailsForm(forms.ModelForm[TaxDetails]):
    """A person gives their birth date, a company its registration number; both a tax number or why there is none.

    :param identity: what is stored encrypted. Its number is never shown; an empty field keeps it.
    """

    country = forms.ChoiceField(
        label=_("Country"), choices=lazy(_choices, list), error_messages={"required": _("Choose a country.")}
    )
    residence = forms.ChoiceField(
        label=_("Country of tax residence"),
        choices=lazy(_choices, list),
        error_messages={"required": _("Choose the country in which you pay taxes.")},
    )
    tax_number = forms.CharField(label=_("Tax number (TIN)"), max_length=MAX_TAX_NUMBER_LENGTH, required=False)
    has_no_tax_number = forms.BooleanField(label=_("My country issues no tax numbers"), required=False)
    birth_date = forms.DateField(
        label=_("Birth date"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": _("Enter a date.")},
    )
    birth_place = NameFormField(label=_("Place of birth"), max_length=120, required=False)
    confirms = forms.BooleanField(
        label=_("These details are complete and correct, and I'll change them here when they change"),
        error_messages={"required": _("Confirm that the details are correct.")},
    )

    class Meta:
        model = TaxDetails
        fields = (
            "is_company", "name", "street", "extra", "postal_code", "city", "region", "country", "residence", "vat_id",
            "registration_number",
        )  # fmt: skip
        error_messages = {
            "name": {"required": _("Enter your legal name.")},
            "street": {"required": _("Enter the street address.")},
            "city": {"required": _("Enter the city or town.")},
        }

    def __init__(self, *args: Any, identity: TaxIdentity | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.identity = identity or TaxIdentity()
        self.initial.setdefault("birth_date", self.identity.born_on)
        self.initial.setdefault("birth_place", self.identity.birth_place)
        self.initial.setdefault("has_no_tax_number", identity is not None and not identity.tax_number)
        self.earlier_residence = self.instance.residence

    def clean_birth_date(self) -> date | None:
        found: date | None = self.cleaned_data["birth_date"]
        if found is not None and not FIRST_BIRTH_YEAR <= found.year <= timezone.localdate().year - 1:
            raise ValidationError(_("Enter your birth date."))
        return found

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        for name in OF_PERSONS if given.get("is_company") else OF_COMPANIES:
            given[name] = None if name == "birth_date" else ""
            self.errors.pop(name, None)
        self._check_number(given)
        self._check_person_or_company(given)
        country = given.get("country", "")
        if country and "postal_code" not in self.errors:
            try:
                given["postal_code"] = check_postal_code(given.get("postal_code", ""), country, is_required=True)
            except WrongPostalCode as fault:
                self.add_error("postal_code", str(fault))
        if given.get("vat_id") and country and "vat_id" not in self.errors:
            try:
                given["vat_id"] = check_vat_id(given["vat_id"], country)
            except WrongVatId:
                self.add_error("vat_id", _("This isn't a VAT number of that country. Check it for a typing error."))
        return given

    def _check_number(self, given: dict[str, Any]) -> None:
        residence, number = given.get("residence", ""), given.get("tax_number", "").strip()
        if "tax_number" in self.errors:
            return
        if number and residence:
            try:
                given["tax_number"] = check_tax_number(number, residence, is_company=bool(given.get("is_company")))
            except WrongTaxNumber:
                message = _("This isn't a tax number of %(country)s. Check it for a typing error.")
                self.add_error("tax_number", message % {"country": country_name(residence)})
        elif not number and given.get("has_no_tax_number"):
            given["tax_number"] = ""
        elif not number and self.identity.tax_number and residence == self.earlier_residence:
            given["tax_number"] = self.identity.tax_number
        elif not number:
            self.add_error("tax_number", _("Enter your tax number."))

    def _check_person_or_company(self, given: dict[str, Any]) -> None:
        has_number = bool(given.get("tax_number")) or "tax_number" in self.errors
        if given.get("is_company"):
            is_needed = given.get("residence") in EU_VAT_AREA or not has_number
            if is_needed and not given.get("registration_number") and "registration_number" not in self.errors:
                self.add_error("registration_number", _("Enter the registration number."))
            return
        if not given.get("birth_date") and "birth_date" not in self.errors:
            self.add_error("birth_date", _("Enter your birth date."))
        if not has_number and not given.get("birth_place") and "birth_place" not in self.errors:
            self.add_error("birth_place", _("Enter your place of birth: you have no tax number."))
