"""Background jobs of files."""

from apps.files.jobs import media, uploads

__all__ = ["media", "uploads"]
