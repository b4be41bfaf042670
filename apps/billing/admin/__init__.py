"""Billing in Django's admin."""

from apps.billing.admin import books, sales

__all__ = ["books", "sales"]
