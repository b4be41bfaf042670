"""Background jobs of billing."""

from apps.billing.jobs import payments, planned

__all__ = ["payments", "planned"]
