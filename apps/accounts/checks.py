"""Imported at start: registers the schema's name of our authentication."""

from apps.accounts import schema  # noqa: F401
