"""Amounts in the texts of the stand-in, which counts as the provider does."""

from apps.billing.provider_amounts import from_provider, to_provider
from studyplatform.kit.text.money import plain_amount, smallest_charge


def amount_text(amount: int, currency: str) -> str:
    """Return "49.00 USD" of 4900, "4900 ISK" of 490000."""
    return f"{plain_amount(from_provider(amount, currency), currency)} {currency.upper()}"


def least_amount(currency: str) -> int:
    """Return the least amount of an invoice that is charged; a smaller one moves to the customer's balance.

    https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
    """
    return to_provider(smallest_charge(currency), currency)
