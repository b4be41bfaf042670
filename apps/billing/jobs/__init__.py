"""Background jobs of billing."""

from apps.billing.jobs import orders, payments, planned, seats, transfers

__all__ = ["orders", "payments", "planned", "seats", "transfers"]
