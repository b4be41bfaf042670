"""Whether the site is ready to serve."""

from datetime import timedelta

from django.core.cache import cache
from django.db import DatabaseError
from django.utils import timezone

from studyplatform.kit.models import Tally

CHECK_INTERVAL = 5  # seconds for which the result is cached


def is_database_writable() -> bool:
    """Return whether the database saves a row. The result is cached for a few seconds, so it may be called often."""
    is_writable: bool | None = cache.get("database-writable")
    if is_writable is None:
        try:
            Tally.objects.update_or_create(key="readyz", defaults={"ends_at": timezone.now() + timedelta(minutes=1)})
            is_writable = True
        except DatabaseError:
            is_writable = False
        cache.set("database-writable", is_writable, CHECK_INTERVAL)
    return is_writable
