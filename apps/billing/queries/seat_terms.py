"""What the terms for teams say in numbers."""

from typing import Any

from apps.billing import seat_prices
from apps.billing.bank_account import offers_transfer


def seat_terms() -> dict[str, Any]:
    """Return the discounts and periods of seats by their names in `seat_prices`, and whether there are invoices."""
    names = (
        "SEAT_DISCOUNTS",
        "MAX_SEATS_OF_TEAM",
        "INVOICE_DAYS",
        "DAYS_UNTIL_PAUSE",
        "GIVE_BACK_DAYS",
        "MAX_CHANGES_OF_SEAT_A_YEAR",
        "REMINDER_DAYS",
    )
    return {name: getattr(seat_prices, name) for name in names} | {"offers_invoice": offers_transfer()}
