"""VAT numbers of businesses: their format and checksum. Whether an office knows a number is not asked."""

import unicodedata

from stdnum.ch import vat as switzerland
from stdnum.eu import vat as european_union
from stdnum.exceptions import ValidationError
from stdnum.gb import vat as great_britain
from stdnum.no import mva as norway

from apps.billing.countries import EU_VAT_AREA, tax_country

MAX_LENGTH = 30
_PREFIXES = {"GR": "EL"}  # of a number, where it isn't the ISO code
CHECKED_COUNTRIES = EU_VAT_AREA | {"GB", "NO", "CH"}
"""Countries whose numbers are checked. A number of another country is stored as it is written."""


class WrongVatId(ValueError):
    """The number is not one of the country: wrong length, characters or check digit."""


def is_checked(country: str) -> bool:
    """Return whether the format of the numbers of a country is known here."""
    return tax_country(country) in CHECKED_COUNTRIES


def check_vat_id(text: str, country: str) -> str:
    """Return a VAT number as it is stored: "de 136 695-976" -> "DE136695976".

    The prefix may be missing, or be the ISO code (GR for EL). Of the United Kingdom, XI stands for Northern Ireland.
    In countries that are not checked, the number is returned without what can't be printed.

    :raises WrongVatId: it is not a number of this country.
    """
    written = " ".join(unicodedata.normalize("NFKC", text).upper().split())
    home = tax_country(country)
    if not is_checked(country):
        if not written or len(written) > MAX_LENGTH or not written.isprintable():
            raise WrongVatId
        return written
    compact = "".join(char for char in written if char.isalnum())
    if not compact.isascii() or len(compact) > MAX_LENGTH:
        raise WrongVatId
    try:
        if home == "GB":
            prefix = "XI" if compact.startswith("XI") else "GB"
            return prefix + great_britain.validate(compact)
        if home == "NO":
            return "NO" + norway.validate(compact.removeprefix("NO"))
        if home == "CH":
            return switzerland.validate(compact)
        return _check_in_union(compact, home)
    except ValidationError:
        raise WrongVatId from None


def _check_in_union(compact: str, home: str) -> str:
    prefix = _PREFIXES.get(home, home)
    if home != prefix and compact.startswith(home):
        compact = prefix + compact.removeprefix(home)
    candidates = [compact] if compact.startswith(prefix) else []
    # A number without its prefix may begin with the same letters: French and Spanish ones begin with any.
    candidates.append(prefix + compact)
    for candidate in candidates:
        if european_union.is_valid(candidate):
            found = european_union.compact(candidate)
            return prefix + found.removeprefix(prefix)
    raise WrongVatId
