"""Amounts of money as text. Internally, money is an integer in minor units (ISO 4217) and a lowercase currency code."""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache

from babel.core import get_global
from babel.numbers import (
    format_compact_currency,
    format_compact_decimal,
    format_currency,
    get_currency_name,
    get_territory_currencies,
)
from django.utils.translation import get_language

from studyplatform.kit.text.locales import locale_of, page_locale

# ISO 4217, table A.1, column "minor unit". CLDR gives fewer for some currencies, because cash has no smaller coins.
_WITHOUT_DIGITS = {
    "bif", "clp", "djf", "gnf", "isk", "jpy", "kmf", "krw", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf",
}  # fmt: skip
_WITH_THREE_DIGITS = {"bhd", "iqd", "jod", "kwd", "lyd", "omr", "tnd"}
# The smallest charges of the provider in units, https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts.
_SMALLEST_CHARGES = {
    "aed": "2", "bgn": "1", "czk": "15", "dkk": "2.50", "gbp": "0.30", "hkd": "4", "huf": "175", "inr": "50",
    "jpy": "50", "mxn": "10", "myr": "2", "nok": "3", "pln": "2", "ron": "2", "sek": "3", "thb": "10",
    "clp": "500", "cop": "2000", "idr": "10000", "isk": "100", "krw": "1000", "pyg": "5000", "twd": "20",
    "ugx": "2000", "vnd": "15000", "xaf": "350", "xof": "350", "xpf": "100",
}  # fmt: skip
_OTHER_SMALLEST_CHARGE = "0.50"
_OTHER_SMALLEST_CHARGE_WITHOUT_DIGITS = "100"
# The provider counts ariary without their fifths, ISO 4217 with two digits.
_UNUSABLE = {"mga"}
_DIGITS_OF_PATTERN = re.compile(r"0\.0+|0(?=[^0-9.,#]*$|[^0-9.,#]*;)")

_CODE_BESIDE_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)")  # CLDR's currencySpacing, which babel leaves out


@cache
def currencies() -> frozenset[str]:
    """Return the codes of the currencies that are legal tender somewhere today."""
    found = {code for place in get_global("territory_currencies") for code in get_territory_currencies(place)}
    return frozenset(code.lower() for code in found) - _UNUSABLE


def read_currency(text: str) -> str:
    """Return a currency of the settings as it is stored: "JPY" -> "jpy".

    :raises ValueError: it is not one that the site can charge; the text names it.
    """
    code = text.strip().lower()
    if code not in currencies():
        raise ValueError(
            f"{text.strip() or 'an empty text'} is not the code of a currency (ISO 4217) in use, such as eur"
        )
    return code


def minor_digits(currency: str) -> int:
    """How many decimals amounts in the currency have: 2 for usd, 0 for jpy, 3 for kwd."""
    code = currency.lower()
    return 0 if code in _WITHOUT_DIGITS else 3 if code in _WITH_THREE_DIGITS else 2


def minor_units(currency: str) -> int:
    """How many minor units one unit of the currency has: 100 cents, or 1 where there are none."""
    return int(10 ** minor_digits(currency))


def price_digits(currency: str) -> int:
    """How many decimals a price may have: two at most, because the provider charges no smaller steps."""
    return min(minor_digits(currency), 2)


def price_step(currency: str) -> int:
    """In which steps the provider charges, in minor units: 10 fils, otherwise 1."""
    return int(10 ** (minor_digits(currency) - price_digits(currency)))


def smallest_charge(currency: str) -> int:
    """The least that can be charged, in minor units."""
    other = _OTHER_SMALLEST_CHARGE if minor_digits(currency) else _OTHER_SMALLEST_CHARGE_WITHOUT_DIGITS
    return int(Decimal(_SMALLEST_CHARGES.get(currency.lower(), other)) * minor_units(currency))


def to_minor(amount: Decimal, currency: str) -> int:
    """Return an amount in units as minor units: 12.50 usd -> 1250.

    :raises ValueError: it has more decimals than the currency.
    """
    minor = amount * minor_units(currency)
    if minor != int(minor):
        raise ValueError(f"{amount} has more decimals than {currency}")
    return int(minor)


def in_units(amount: int, currency: str) -> Decimal:
    """Return minor units as an amount in units: 1250 usd -> 12.50, 1000 jpy -> 1000."""
    return Decimal(amount).scaleb(-minor_digits(currency))


def units_of_a_dollar(currency: str) -> int:
    """Return about how many units of the currency a US dollar has, as a power of ten: 100 for jpy. For round sums."""
    return int(10 ** max(0, round((in_units(smallest_charge(currency), currency) * 2).log10())))


def scaled_price(cents: int, currency: str) -> int:
    """Return a price in US cents as one of about the same size in the currency, in minor units. Not for real prices."""
    scaled = Decimal(cents * smallest_charge(currency)) / smallest_charge("usd")
    return int(scaled.quantize(Decimal(1), rounding=ROUND_HALF_UP)) // price_step(currency) * price_step(currency)


def money(amount: int, currency: str, *, cents: bool = False) -> str:
    """Write an amount in the language of the page.

    In English 4900, "usd" -> "$49"; 1250, "eur" -> "€12.50"; 900, "isk" -> "ISK 900"; -1250, "usd" -> "−$12.50".
    With ``cents``, for what is paid (checkout, receipts, columns of amounts), 4900, "usd" -> "$49.00".
    """
    return _money(amount, currency.upper(), cents, get_language() or "en")


@lru_cache(maxsize=4096)
def _money(amount: int, code: str, cents: bool, language: str) -> str:  # noqa: FBT001 (cached by position)
    locale = locale_of(language)
    digits = minor_digits(code) if cents or amount % minor_units(code) else 0
    pattern = locale.currency_formats["standard"].pattern
    pattern = _DIGITS_OF_PATTERN.sub(f"0.{'0' * digits}" if digits else "0", pattern)
    written = format_currency(in_units(abs(amount), code), code, pattern, locale=locale, currency_digits=False)
    written = _CODE_BESIDE_DIGIT.sub("\u00a0", written)
    return f"\u2212{written}" if amount < 0 else written


def short_amount(amount: int, currency: str) -> str:
    """Write an amount without its currency in few signs, in the language of the page: 1234500, "usd" -> "12.3K"."""
    locale = page_locale()
    units = in_units(amount, currency)
    units = units if abs(units) >= 1000 else units.quantize(Decimal(1))
    return str(format_compact_decimal(units, fraction_digits=1, locale=locale))


def short_money(amount: int, currency: str, *, digits: int = 1) -> str:
    """Write an amount in few signs, in the language of the page: 150000, "usd" -> "$1.5K"; below 1,000 in full."""
    units = in_units(abs(amount), currency)
    if units < 1000:
        return money(amount, currency)
    written = format_compact_currency(units, currency.upper(), fraction_digits=digits, locale=page_locale())
    if not is_short(written, float(units)):
        return money(amount, currency)
    written = _CODE_BESIDE_DIGIT.sub("\u00a0", written)
    return f"\u2212{written}" if amount < 0 else written


def is_short(written: str, value: float) -> bool:
    """Tell whether a number was shortened: "12.5K" was, while German has no shorter form of 12500."""
    return "".join(char for char in written if char.isdigit()) != str(abs(round(value)))


def currency_name(currency: str) -> str:
    """Return the name of the currency in the language of the page, as it is counted: "US dollars"."""
    return str(get_currency_name(currency.upper(), count=2, locale=page_locale()))


def plain_amount(amount: int, currency: str) -> str:
    """An amount without its currency, for files: -1250, "usd" -> "-12.50"; 900, "jpy" -> "900"."""
    return f"{in_units(amount, currency):f}"
