"""Billing in Django's admin."""

from apps.billing.admin import books, provider_copies, sales

__all__ = ["books", "provider_copies", "sales"]
