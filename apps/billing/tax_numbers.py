"""Tax identification numbers (TINs) of persons and companies: their format and check digits.

The formats are those of python-stdnum. Where it lacks a kind of number that a country issues (Hungary's and
Luxembourg's of persons, the United Kingdom's National Insurance numbers), the country isn't checked: a wrong "no" would
keep an instructor from giving the right number.
"""

import re
import unicodedata
from importlib import import_module
from typing import Any

from stdnum import luhn
from stdnum.exceptions import ValidationError

from apps.billing.countries import tax_country

MAX_TAX_NUMBER_LENGTH = 30
# A company may give a person's number and the other way round, such as a single-member company in the US.
_FORMATS = {
    "AT": "at.tin at.uid", "AU": "au.tfn au.abn", "BE": "be.nn be.bis be.vat", "BG": "bg.egn bg.pnf bg.vat",
    "BR": "br.cpf br.cnpj", "CA": "ca.sin ca.bn", "CH": "ch.ssn ch.uid", "CY": "cy.vat", "CZ": "cz.rc cz.dic",
    "DE": "de.idnr de.stnr", "DK": "dk.cpr dk.cvr", "EE": "ee.ik ee.registrikood", "ES": "es.nif",
    "FI": "fi.hetu fi.ytunnus", "FR": "fr.nif fr.siren fr.siret", "GR": "gr.vat", "HR": "hr.oib", "IE": "ie.pps ie.vat",
    "IN": "in_.pan", "IS": "is_.kennitala", "IT": "it.codicefiscale it.iva", "LT": "lt.asmens lt.pvm", "LV": "lv.pvn",
    "NL": "nl.bsn", "NO": "no.fodselsnummer no.orgnr", "NZ": "nz.ird", "PL": "pl.pesel pl.nip", "PT": "pt.nif",
    "RO": "ro.cnp ro.cui", "SE": "se.personnummer se.orgnr", "SI": "si.ddv", "SK": "sk.rc sk.dph",
    "US": "us.tin", "ZA": "za.tin",
}  # fmt: skip
_GERMAN = _FORMATS["DE"]
_GERMAN_PERSON = re.compile(r"\d{11}")  # a mistyped number of a person would pass as one of a tax office
_SWEDISH_COORDINATION_NUMBER = re.compile(r"(?:19|20)?(\d{2}(?:0[1-9]|1[0-2])(?:6[1-9]|[78]\d|9[01])\d{4})")


class WrongTaxNumber(ValueError):
    """The number is not one of the country: wrong length, characters or check digit."""


def is_tax_number_checked(country: str) -> bool:
    """Return whether the formats of a country's numbers are known here."""
    return tax_country(country) in _FORMATS


def check_tax_number(text: str, country: str, *, is_company: bool = False) -> str:
    """Return a tax number as it is stored: "86 095 742 719" of Germany -> "86095742719".

    Numbers of countries that aren't checked are returned in upper case, without what can't be printed.

    :raises WrongTaxNumber: it is not a number of this country.
    """
    written = " ".join(unicodedata.normalize("NFKC", text).upper().split())
    if not written or len(written) > MAX_TAX_NUMBER_LENGTH or not written.isprintable():
        raise WrongTaxNumber
    formats = _FORMATS.get(tax_country(country))
    if formats == _GERMAN and not is_company and _GERMAN_PERSON.fullmatch(re.sub(r"[\s-]", "", written)):
        formats = "de.idnr"
    if formats is None:
        return written
    if not written.isascii():
        raise WrongTaxNumber
    for name in formats.split():
        module: Any = import_module(f"stdnum.{name}")
        try:
            return str(module.validate(written))
        except ValidationError:
            continue
    if tax_country(country) == "SE" and _is_coordination_number(written):
        return written
    raise WrongTaxNumber


def _is_coordination_number(written: str) -> bool:
    """Whether it is what Sweden gives to people who aren't registered there: 60 is added to the day of birth."""
    found = _SWEDISH_COORDINATION_NUMBER.fullmatch(re.sub(r"[\s+-]", "", written))
    return found is not None and bool(luhn.is_valid(found[1]))
