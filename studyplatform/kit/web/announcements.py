"""What the operator tells everyone, on top of every page.

A process looks at the table twice a minute, so that a page pays no query for it. A change is shown at once by the
process that made it, and within half a minute by the others; pages kept for visitors follow, because what is announced
is part of what they are kept under (``visitors``).
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from studyplatform.kit.caching.versioned import Memo
from studyplatform.kit.models import Announcement

MOST = 20  # rows that are looked through
_memo: Memo[list[Announcement]] = Memo(None, seconds=30)
_changes = 0  # made in this process


def announced(now: datetime) -> list[Announcement]:
    """What is shown now, the earliest first."""
    if not settings.ANNOUNCEMENTS:
        return []
    rows = _memo.get(_changes, lambda: _rows(now))
    return [one for one in rows if one.shown_from <= now < one.shown_until]


def stamp() -> tuple[str, ...]:
    """What a page that was made now announces: another stamp, another page."""
    return tuple(f"{one.uid} {one.text}" for one in announced(timezone.now()))


def _rows(now: datetime) -> list[Announcement]:
    try:
        return list(Announcement.objects.filter(shown_until__gt=now).order_by("shown_from", "pk")[:MOST])
    except DatabaseError:
        return []  # what can be shown without the database is shown without announcements


@receiver([post_save, post_delete], sender=Announcement)
def _changed(**kwargs: Any) -> None:
    global _changes
    _changes += 1
