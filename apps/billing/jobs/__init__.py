"""Background jobs of billing."""

from apps.billing.jobs import payments, planned, seats

__all__ = ["payments", "planned", "seats"]
