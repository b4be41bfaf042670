"""Customers (https://docs.stripe.com/api/customers)."""

import contextlib

import stripe

from apps.billing.gateway.client import client, translates_errors
from apps.billing.provider_amounts import from_provider


@translates_errors
def create_customer(*, email: str, name: str, user: str, key: str) -> str:
    """Create a customer and return its id. ``user``: our own id, for those who look at the provider's dashboard."""
    made = client().v1.customers.create(
        {"email": email, "name": name, "metadata": {"user": user}}, {"idempotency_key": key}
    )
    return made.id


@translates_errors
def get_balance(customer: str) -> tuple[int, str]:
    """Return the customer's balance and its currency: negative is credit that later invoices deduct.

    The currency is "" until the customer has had an invoice.
    """
    found = client().v1.customers.retrieve(customer)
    if getattr(found, "deleted", False) or not found.currency:
        return 0, ""
    return from_provider(found.balance or 0, found.currency), found.currency


@translates_errors
def is_customer_gone(customer: str) -> bool:
    """Return whether a customer was deleted, or was never one of ours."""
    try:
        return bool(getattr(client().v1.customers.retrieve(customer), "deleted", False))
    except stripe.InvalidRequestError as error:
        if error.code == "resource_missing":
            return True
        raise


@translates_errors
def delete_customer(customer: str) -> None:
    """Delete a customer with its cards, and end its subscriptions at once. Idempotent."""
    with contextlib.suppress(stripe.InvalidRequestError):  # it was deleted before
        client().v1.customers.delete(customer)


@translates_errors
def set_default_card(*, customer: str, card: str | None) -> None:
    """Charge invoices of the customer to this card; None: to no card."""
    client().v1.customers.update(customer, {"invoice_settings": {"default_payment_method": card or ""}})
