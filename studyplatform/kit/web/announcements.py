"""The operator's announcements at the top of every page.

A process reads the table twice a minute, so pages need no query for them. A change appears at once in the
process that made it and within half a minute in the others; cached pages follow, because announcements are part of
their cache key.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from studyplatform.kit.caching.versioned import VersionedCache
from studyplatform.kit.models import Announcement

MAX_ROWS = 20
_announcements: VersionedCache[list[Announcement]] = VersionedCache(None, seconds=30)
_changes = 0  # made in this process


def announced(now: datetime) -> list[Announcement]:
    """The announcements to show now, the earliest first."""
    if not settings.ANNOUNCEMENTS:
        return []
    rows = _announcements.get(_changes, lambda: _rows(now))
    return [one for one in rows if one.shown_from <= now < one.shown_until]


def cache_key() -> tuple[str, ...]:
    """The announcements of a page rendered now, as part of its cache key."""
    return tuple(f"{one.uid} {one.text}" for one in announced(timezone.now()))


def _rows(now: datetime) -> list[Announcement]:
    try:
        return list(Announcement.objects.filter(shown_until__gt=now).order_by("shown_from", "pk")[:MAX_ROWS])
    except DatabaseError:
        return []  # pages that use no database still work


@receiver([post_save, post_delete], sender=Announcement)
def _changed(**kwargs: Any) -> None:
    global _changes
    _changes += 1
