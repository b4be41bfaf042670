"""Which tax consumers pay by country, and where nobody has decided it."""

from dataclasses import dataclass
from datetime import date

from apps.billing.countries import EU_VAT_AREA, tax_country
from apps.billing.eu_vat_rates import rate_since, standard_rate
from apps.billing.models import Payment
from apps.billing.tax import Seller, TaxTreatment, named_rate, seller_of_site


@dataclass(frozen=True)
class CountryRate:
    """The rate in a country on a day, in hundredths of a percent. ``eu_rate``: the Union's; None outside it.

    ``is_set``: by the seller's settings. ``eu_rate_since``: the day from which the Union's rate applies.
    """

    country: str
    rate: int
    is_set: bool
    eu_rate: int | None
    eu_rate_since: date

    @property
    def differs(self) -> bool:
        """Whether the seller has set another rate than the country's standard rate."""
        return self.is_set and self.eu_rate is not None and self.rate != self.eu_rate

    @property
    def is_missing(self) -> bool:
        """Whether consumers in the Union pay no tax, and nobody has decided so."""
        return self.eu_rate is not None and not self.is_set and not self.rate


def rates_by_country(on: date, seller: Seller | None = None) -> list[CountryRate]:
    """Return the rates of all countries of the Union, and of others that the seller has set. None if it is exempt."""
    seller = seller or seller_of_site()
    if seller.exemption:
        return []
    found = []
    for country in sorted(EU_VAT_AREA | seller.named_countries):
        named = named_rate((country,), on, seller)
        eu_rate = standard_rate(country, on)
        rate = named if named is not None else (eu_rate or 0) if seller.charges_eu_rates else 0
        found.append(CountryRate(country, rate, named is not None, eu_rate, rate_since(country, on)))
    return found


def lacks_rate(payment: Payment, on: date) -> bool:
    """Return whether a payment from the Union contains no tax because no rate is set for its country."""
    if payment.tax_rate or payment.tax_treatment != TaxTreatment.STANDARD or not payment.amount:
        return False
    country = tax_country(payment.country)
    return any(each.country == country and each.is_missing for each in rates_by_country(on))
