"""Stripe's objects, a module each. Importing this package declares the addresses of all of them."""

from apps.billing.standin.resources import (
    accounts,
    balance,
    bank,
    charges,
    customers,
    endpoints,
    events,
    payment_intents,
    payment_methods,
    prices,
    products,
    refunds,
    setup_intents,
)

prepare = accounts.prepare

__all__ = [
    "accounts",
    "balance",
    "bank",
    "charges",
    "customers",
    "endpoints",
    "events",
    "payment_intents",
    "payment_methods",
    "prepare",
    "prices",
    "products",
    "refunds",
    "setup_intents",
]
