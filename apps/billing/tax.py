"""Which tax is in a price: one function decides it for the page, the order, the document, the books and reports.

Rates are hundredths of a percent. Prices include the tax: another decision changes the tax in a price, never the price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.billing.countries import EU_VAT_AREA, area_outside, country_codes, iso_country, tax_country
from apps.billing.errors import CountryMissing
from apps.billing.eu_vat_rates import standard_rate
from apps.billing.vat_ids import WrongVatId, check_vat_id


class TaxTreatment(TextChoices):
    """Why a price contains the tax that it contains."""

    STANDARD = "standard", gettext_lazy("Taxed")
    REVERSE_CHARGE = "reverse_charge", gettext_lazy("Reverse charge")
    OUTSIDE_EU = "outside_eu", gettext_lazy("Outside the EU")
    EXEMPT = "exempt", gettext_lazy("Exempt")


@dataclass(frozen=True)
class Seller:
    """What decides the tax on the seller's side.

    ``exemption``: the words of a seller who charges no tax, or "". ``rate_changes``: country, rate, and the day from
    which it applies instead of the one in ``rates``. ``has_eu_rates``: the Union's standard rates apply where these
    name none.
    """

    country: str
    exemption: str
    rates: Mapping[str, int]
    rate_changes: Sequence[tuple[str, int, date]] = ()
    has_eu_rates: bool = False

    @property
    def named_countries(self) -> set[str]:
        """The countries whose rates are set."""
        return {*self.rates, *(country for country, _rate, _since in self.rate_changes)}

    @property
    def charges_eu_rates(self) -> bool:
        """Whether the Union's rates apply: the seller is in its VAT area, or charges the tax of one of its countries.

        A seller elsewhere who charges none of them may not be registered there, and must not charge it.
        """
        is_registered = tax_country(self.country) in EU_VAT_AREA or bool(self.named_countries & EU_VAT_AREA)
        return self.has_eu_rates and is_registered and not self.exemption


@dataclass(frozen=True)
class Tax:
    """The rate that applies, and why. ``country``: the buyer's; the seller's if it is unknown and taxed, else ""."""

    rate: int
    treatment: TaxTreatment
    country: str = ""

    @property
    def wording(self) -> str:
        """What documents must say about it, in the language of the page; "" if nothing."""
        return wording_of(self.treatment)


def seller_of_site() -> Seller:
    """Return the seller that the settings describe."""
    return Seller(
        country=settings.SELLER_COUNTRY,
        exemption=settings.TAX_EXEMPTION,
        rates=settings.TAX_RATES,
        rate_changes=settings.TAX_RATE_CHANGES,
        has_eu_rates=settings.EU_TAX_RATES,
    )


def needs_country() -> bool:
    """Return whether the country of a buyer decides about the tax in prices."""
    seller = seller_of_site()
    return bool(seller.named_countries or seller.charges_eu_rates) and not seller.exemption


def check_country(country: str) -> None:
    """Refuse to sell to a buyer who has not said in which country they are, if it decides about the tax.

    :raises CountryMissing: they named none, or none of ISO 3166-1.
    """
    if needs_country() and iso_country(country) not in country_codes():
        raise CountryMissing


def decide_tax(*, country: str, vat_id: str = "", postal_code: str = "", on: date, seller: Seller | None = None) -> Tax:
    """Decide the tax in what a buyer pays.

    :param country: of the buyer, ISO 3166-1; "" if it is unknown: then the seller's decides, so that saying nothing,
        or naming no country, is never a way around the tax.
    :param vat_id: of a business, as it was written; one that fails its check changes nothing.
    :param postal_code: of the buyer, if it is known: parts of some countries are outside their VAT.
    :param on: the day of the sale.
    :param seller: that of the settings if it is left out.

    A business in another country of the EU than the seller's accounts for the tax itself, also if the seller is outside
    the EU (Articles 44 and 196 of Directive 2006/112/EC). Without a rate of its own, a place outside the EU's VAT area
    is outside its VAT.
    """
    seller = seller or seller_of_site()
    if iso_country(country) not in country_codes():
        rate = 0 if seller.exemption else _rate_of(seller.country, "", on, seller)
        treatment = TaxTreatment.EXEMPT if seller.exemption else TaxTreatment.STANDARD
        return Tax(rate, treatment, seller.country if rate else "")
    if seller.exemption:
        return Tax(0, TaxTreatment.EXEMPT, country)
    ours, theirs = tax_country(seller.country), area_outside(country, postal_code) or tax_country(country)
    is_foreign_business = bool(ours) and theirs in EU_VAT_AREA and ours != theirs and _passes(vat_id, theirs)
    if is_foreign_business:
        return Tax(0, TaxTreatment.REVERSE_CHARGE, country)
    rate = _rate_of(country, postal_code, on, seller)
    if not rate and theirs and ours in EU_VAT_AREA and theirs not in EU_VAT_AREA:
        return Tax(0, TaxTreatment.OUTSIDE_EU, country)
    return Tax(rate, TaxTreatment.STANDARD, country)


def postal_code_in(buyer: Mapping[str, Any], country: str) -> str:
    """Return the postal code of a buyer's address (a copy of `BuyerDetails`), if it is in the country of the sale."""
    return (
        str(buyer.get("postal_code", "")) if iso_country(str(buyer.get("country", ""))) == iso_country(country) else ""
    )


def wording_of(treatment: str) -> str:
    """Return what documents must say about a treatment, in the language of the page; "" if nothing."""
    match treatment:
        case TaxTreatment.REVERSE_CHARGE:
            return _("Reverse charge: the customer accounts for the VAT (Article 196, Directive 2006/112/EC).")
        case TaxTreatment.OUTSIDE_EU:
            return _("Not subject to EU VAT: the customer is outside the VAT area of the European Union.")
        case TaxTreatment.EXEMPT:
            return str(settings.TAX_EXEMPTION)
        case _taxed:
            return ""


def _passes(vat_id: str, country: str) -> bool:
    try:
        return bool(vat_id) and bool(check_vat_id(vat_id, country))
    except WrongVatId:
        return False


def _rate_of(country: str, postal_code: str, on: date, seller: Seller) -> int:
    """The rate of a part of a country outside its VAT; or else of the country, or of that to whose VAT it belongs."""
    own, area = iso_country(country), tax_country(country)
    outside = area_outside(country, postal_code)
    found = named_rate((outside,) if outside else (own, area), on, seller)
    if found is not None:
        return found
    return (standard_rate(area, on, postal_code) or 0) if seller.charges_eu_rates and not outside else 0


def named_rate(codes: Sequence[str], on: date, seller: Seller) -> int | None:
    """Return the rate that the seller has set for the first of these countries that has one; None for none."""
    for code in codes:
        changes = [(since, rate) for changed, rate, since in seller.rate_changes if changed == code and since <= on]
        if changes:
            return max(changes)[1]
        if code in seller.rates:
            return seller.rates[code]
    return None


def find_conflicts(evidence: Mapping[str, str]) -> list[str]:
    """Return which sources name another country than the one that is taxed: "address", "card", "browser", "network".

    :param evidence: country codes by source; "" is no evidence. What is taxed is what the buyer "declared", or else
        the country "taxed".
    """
    taxed = tax_country(evidence.get("declared") or evidence.get("taxed", ""))
    sources = ("address", "card", "browser", "network")
    return [name for name in sources if taxed and evidence.get(name) and tax_country(evidence[name]) != taxed]
