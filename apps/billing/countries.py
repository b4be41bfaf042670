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
