"""Amounts between the site, which counts by ISO 4217, and the provider, which counts some currencies otherwise.

See https://docs.stripe.com/currencies#special-cases: krónur and Ugandan shillings have two decimals there, always 00.
"""

from studyplatform.kit.text.money import minor_digits

_PROVIDER_DIGITS = {"isk": 2, "ugx": 2}


def _factor(currency: str) -> int:
    code = currency.lower()
    return int(10 ** (_PROVIDER_DIGITS.get(code, minor_digits(code)) - minor_digits(code)))


def to_provider(amount: int, currency: str) -> int:
    """Return minor units as the provider counts them: 4900 isk -> 490000."""
    return amount * _factor(currency)


def from_provider(amount: int, currency: str) -> int:
    """Return an amount of the provider in minor units, rounded to whole ones: 490000 isk -> 4900."""
    factor = _factor(currency)
    return amount if factor == 1 else round(amount / factor)
