"""Standard VAT rates in the European Union, by the day from which they apply. Hundredths of a percent.

Online courses are taxed at the standard rate of the buyer's country (Articles 58 and 96 of Directive 2006/112/EC). The
rates are shipped as data, so that a seller who forgets a country doesn't sell there without tax; the settings override
them (`tax.decide_tax`).
"""

from collections.abc import Mapping, Sequence
from datetime import date

SOURCE = "European Commission, Taxes in Europe Database (TEDB)"
CHECKED_ON = date(2026, 9, 29)
"""The day of the source's data with which the rates of countries were compared: those of the package eu-vat-rates-data
2026.9.29, and for each day since `_FIRST_DAY` those of duty27-eu-vat 0.1.0. Neither has the rates of regions."""
MAX_AGE_IN_DAYS = 365
"""After this, the rates may be outdated, and the site says so."""

_FIRST_DAY = date(2021, 7, 1)  # of the One Stop Shop; earlier sales get the first rate that is listed
_STANDARD: Mapping[str, int] = {
    "AT": 2000, "BE": 2100, "BG": 2000, "CY": 1900, "CZ": 2100, "DE": 1900, "DK": 2500, "EE": 2000, "ES": 2100,
    "FI": 2400, "FR": 2000, "GR": 2400, "HR": 2500, "HU": 2700, "IE": 2300, "IT": 2200, "LT": 2100, "LU": 1700,
    "LV": 2100, "MT": 1800, "NL": 2100, "PL": 2300, "PT": 2300, "RO": 1900, "SE": 2500, "SI": 2200, "SK": 2000,
}  # fmt: skip
_CHANGES: Mapping[str, Sequence[tuple[date, int]]] = {
    "EE": [(date(2024, 1, 1), 2200), (date(2025, 7, 1), 2400)],
    "FI": [(date(2024, 9, 1), 2550)],
    "LU": [(date(2023, 1, 1), 1600), (date(2024, 1, 1), 1700)],
    "RO": [(date(2025, 8, 1), 2100)],
    "SK": [(date(2025, 1, 1), 2300)],
}
# Regions with a standard rate of their own (Articles 104 and 105 of the directive): the first digits of postal codes.
_REGIONS: Mapping[str, Sequence[tuple[tuple[str, ...], int]]] = {
    "AT": [(("6691", "6991", "6992", "6993"), 1900)],  # Jungholz and Mittelberg
    "PT": [(("90", "91", "92", "93", "94"), 2200), (("95", "96", "97", "98", "99"), 1600)],  # Madeira, the Azores
}


def standard_rate(country: str, on: date, postal_code: str = "") -> int | None:
    """Return the standard rate on a day in a country, or in its region that has a postal code; None outside the Union.

    :param country: ISO 3166-1.
    """
    digits = "".join(char for char in postal_code if char.isdecimal())
    for prefixes, rate in _REGIONS.get(country, ()):
        if digits.startswith(prefixes):
            return rate
    changes = [(since, rate) for since, rate in _CHANGES.get(country, ()) if since <= on]
    return max(changes)[1] if changes else _STANDARD.get(country)


def rate_since(country: str, on: date) -> date:
    """Return from which day the standard rate of that day applies; the first day of the One Stop Shop, or later."""
    return max((since for since, _rate in _CHANGES.get(country, ()) if since <= on), default=_FIRST_DAY)


def are_rates_old(on: date) -> bool:
    """Return whether the rates were last compared with their source too long ago."""
    return (on - CHECKED_ON).days > MAX_AGE_IN_DAYS
