"""Countries as taxes see them: ISO 3166-1 codes, the VAT area of the European Union, and names."""

import re
from functools import cache

from babel import Locale
from django.utils.translation import get_language

# Austria to Slovakia. Parts of them with an ISO code of their own (AX, GP, MQ …) are outside the area: Article 6 of
# Directive 2006/112/EC. The United Kingdom left it; Northern Ireland belongs to it for goods alone.
EU_VAT_AREA = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()  # noqa: SIM905
)
# Places that belong to the VAT area of another country: Article 7 of the directive, and the Isle of Man.
_TAXED_AS = {"MC": "FR", "IM": "GB"}
# Parts of countries that are outside the area (Article 6) and have no ISO code that a buyer could choose, or whose
# buyers choose the country all the same: by the first digits of their postal codes. ISO 3166-1 reserves IC for the
# Canary Islands, and EA for Ceuta and Melilla; names stand for places without a code.
_OUTSIDE_AREAS = {
    "DE": {"78266": "Büsingen", "27498": "Helgoland"},
    "ES": {"35": "IC", "38": "IC", "51": "EA", "52": "EA"},
    "FR": {
        "971": "GP", "972": "MQ", "973": "GF", "974": "RE", "975": "PM", "976": "YT", "986": "WF", "987": "PF",
        "988": "NC",
    },
    "GR": {"63086": "Athos", "63087": "Athos"},
    "IT": {"23041": "Livigno", "22061": "Campione"},
}  # fmt: skip
OUTSIDE_CODES = frozenset({"IC", "EA"})
"""Codes of such places for which a rate can be set, beside those of ISO 3166-1."""
_OTHER_CODES = {"EL": "GR", "UK": "GB", "XI": "GB"}  # what VAT numbers and offices write
_NO_COUNTRIES = frozenset({"EU", "EZ", "QO", "UN", "XA", "XB", "XK", "ZZ", "AC", "CP", "CQ", "DG", "EA", "IC", "TA"})


def iso_country(code: str) -> str:
    """Return the ISO code of a country that may be written as in VAT numbers: "EL" -> "GR", "xi" -> "GB"."""
    code = code.strip().upper()
    return _OTHER_CODES.get(code, code)


def tax_country(code: str) -> str:
    """Return the country whose VAT applies in a country: "MC" -> "FR", mostly itself."""
    code = iso_country(code)
    return _TAXED_AS.get(code, code)


def area_outside(code: str, postal_code: str) -> str:
    """Return the part of an EU country outside its VAT area to which a postal code belongs: "ES", "35001" -> "IC".

    "" for all other postal codes, and without one.
    """
    digits = "".join(char for char in postal_code if char.isdecimal())
    areas = _OUTSIDE_AREAS.get(iso_country(code), {})
    return next((area for prefix, area in areas.items() if digits.startswith(prefix)), "")


@cache
def country_codes() -> frozenset[str]:
    """Return the ISO 3166-1 codes of all countries, and XK for Kosovo."""
    found = {str(code) for code in Locale("en").territories if re.fullmatch("[A-Z]{2}", str(code))}
    return frozenset(found - _NO_COUNTRIES | {"XK"})


def country_name(code: str) -> str:
    """Return a country's name in the language of the page: "DE" -> "Germany"; "" for no country."""
    return str(_names(get_language() or "en").get(code, code)) if code else ""


@cache
def _names(language: str) -> dict[str, str]:
    return dict(Locale.parse(language, sep="-").territories)


def country_choices() -> list[tuple[str, str]]:
    """Return all countries as (code, name), by name in the language of the page."""
    return sorted(((code, country_name(code)) for code in country_codes()), key=lambda pair: pair[1].casefold())
