"""The price of a course in a form."""

from decimal import Decimal

from django import forms
from django.utils.translation import gettext as _

from studyplatform.kit.text.money import currency_name, minor_units, money, price_digits, smallest_charge, to_minor

MAX_PRICE = 99_999_999  # minor units: the largest charge of the provider
MAX_PRICES = {"idr": 2_000_000_000}


def price_field(currency: str) -> forms.DecimalField:
    """The price of a course in units of the currency, in steps that can be charged."""
    digits, unit = price_digits(currency), minor_units(currency)
    least = max(Decimal(1), Decimal(smallest_charge(currency)) / unit)
    most = Decimal(MAX_PRICES.get(currency, MAX_PRICE)) / unit // 1
    between = _("Enter a price from %(least)s to %(most)s.") % {
        "least": money(to_minor(least, currency), currency),
        "most": money(to_minor(most, currency), currency),
    }
    texts = dict.fromkeys(("invalid", "min_value", "max_value"), between)
    if digits == 0:
        texts["max_decimal_places"] = _("Enter a price without decimals.")
    return forms.DecimalField(
        label=_("Price in %(currency)s") % {"currency": currency_name(currency)},
        min_value=least,
        max_value=most,
        decimal_places=digits,
        required=False,
        error_messages=texts,
    )
