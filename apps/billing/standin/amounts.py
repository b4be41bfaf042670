"""Amounts in the texts of the stand-in, which counts as the provider does."""

from apps.billing.provider_amounts import from_provider
from studyplatform.kit.text.money import plain_amount


def amount_text(amount: int, currency: str) -> str:
    """Return "49.00 USD" of 4900, "4900 ISK" of 490000."""
    return f"{plain_amount(from_provider(amount, currency), currency)} {currency.upper()}"
