"""Whether the site can do its work at the moment."""

from datetime import timedelta

from django.core.cache import cache
from django.db import DatabaseError
from django.utils import timezone

from studyplatform.kit.models import Tally

CHECK_INTERVAL = 5  # seconds between two attempts of a process to write to the database


def takes_writes() -> bool:
    """Return whether the database saves a row. The answer is kept for a few seconds, so anyone may ask often."""
    known: bool | None = cache.get("takes-writes")
    if known is None:
        try:
            Tally.objects.update_or_create(key="readyz", defaults={"ends_at": timezone.now() + timedelta(minutes=1)})
            known = True
        except DatabaseError:
            known = False
        cache.set("takes-writes", known, CHECK_INTERVAL)
    return known
