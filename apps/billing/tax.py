"""Which tax is in a price: one function decides it for the page, the order, the document, the books and reports.

Rates are hundredths of a percent. Prices include the tax: another decision changes the tax in a price, never the price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.billing.countries import EU_VAT_AREA, country_codes, iso_country, tax_country
from apps.billing.errors import CountryMissing
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
    which it applies instead of the one in ``rates``.
    """

    country: str
    exemption: str
    rates: Mapping[str, int]
    rate_changes: Sequence[tuple[str, int, date]] = ()


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
    )


def needs_country() -> bool:
    """Return whether the country of a buyer decides about the tax in prices."""
    return bool(settings.TAX_RATES or settings.TAX_RATE_CHANGES) and not settings.TAX_EXEMPTION


def check_country(country: str) -> None:
    """Refuse to sell to a buyer who has not said in which country they are, if it decides about the tax.

    :raises CountryMissing: they named none, or none of ISO 3166-1.
    """
    if needs_country() and iso_country(country) not in country_codes():
        raise CountryMissing


def decide_tax(*, country: str, vat_id: str = "", on: date, seller: Seller | None = None) -> Tax:
    """Decide the tax in what a buyer pays.

    :param country: of the buyer, ISO 3166-1; "" if it is unknown: then the seller's decides, so that saying nothing,
        or naming no country, is never a way around the tax.
    :param vat_id: of a business, as it was written; one that fails its check changes nothing.
    :param on: the day of the sale.
    :param seller: that of the settings if it is left out.

    A business in another country of the EU than the seller's accounts for the tax itself (Article 196 of Directive
    2006/112/EC). Without a rate of its own, a country outside the EU is outside its VAT.
    """
    seller = seller or seller_of_site()
    if iso_country(country) not in country_codes():
        rate = 0 if seller.exemption else _rate_of(seller.country, on, seller)
        treatment = TaxTreatment.EXEMPT if seller.exemption else TaxTreatment.STANDARD
        return Tax(rate, treatment, seller.country if rate else "")
    if seller.exemption:
        return Tax(0, TaxTreatment.EXEMPT, country)
    ours, theirs = tax_country(seller.country), tax_country(country)
    is_foreign_business = ours in EU_VAT_AREA and theirs in EU_VAT_AREA and ours != theirs and _passes(vat_id, theirs)
    if is_foreign_business:
        return Tax(0, TaxTreatment.REVERSE_CHARGE, country)
    rate = _rate_of(country, on, seller)
    if not rate and theirs and ours in EU_VAT_AREA and theirs not in EU_VAT_AREA:
        return Tax(0, TaxTreatment.OUTSIDE_EU, country)
    return Tax(rate, TaxTreatment.STANDARD, country)


def wording_of(treatment: str) -> str:
    """Return what documents must say about a treatment, in the language of the page; "" if nothing."""
    match treatment:
        case TaxTreatment.REVERSE_CHARGE:
            return _("Reverse charge: the customer accounts for the VAT (Article 196, Directive 2006/112/EC).")
        case TaxTreatment.OUTSIDE_EU:
            return _("Not subject to EU VAT: the customer is outside the European Union.")
        case TaxTreatment.EXEMPT:
            return str(settings.TAX_EXEMPTION)
        case _taxed:
            return ""


def _passes(vat_id: str, country: str) -> bool:
    try:
        return bool(vat_id) and bool(check_vat_id(vat_id, country))
    except WrongVatId:
        return False


def _rate_of(country: str, on: date, seller: Seller) -> int:
    """The rate of the country itself, or of the country to whose VAT area it belongs."""
    own, area = iso_country(country), tax_country(country)
    for code in (own, area):
        changes = [(since, rate) for changed, rate, since in seller.rate_changes if changed == code and since <= on]
        if changes:
            return max(changes)[1]
        if code in seller.rates:
            return seller.rates[code]
    return 0


def find_conflicts(evidence: Mapping[str, str]) -> list[str]:
    """Return which sources name another country than the one that is taxed: "address", "card", "browser", "network".

    :param evidence: country codes by source; "" is no evidence. What is taxed is what the buyer "declared", or else
        the country "taxed".
    """
    taxed = tax_country(evidence.get("declared") or evidence.get("taxed", ""))
    sources = ("address", "card", "browser", "network")
    return [name for name in sources if taxed and evidence.get(name) and tax_country(evidence[name]) != taxed]
