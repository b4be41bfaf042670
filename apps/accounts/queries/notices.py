"""Notifications as people read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max

from apps.accounts.kinds import KINDS, Words
from apps.accounts.models import BrowserSession, Notification, User
from apps.accounts.models.notices import NotificationQuerySet


@dataclass(frozen=True)
class Notice:
    """A notification in words. Plain text, as the people in it wrote it: whoever shows it must escape it."""

    uid: UUID
    icon: str
    headline: str
    text: str
    quote: str
    action: Words
    link: str
    created_at: datetime
    is_read: bool


def as_notice(row: Notification) -> Notice | None:
    """The row in words; None if its kind is gone, or its words need what an older row does not have."""
    kind = KINDS.get(row.kind)
    params: dict[str, Any] = row.params
    try:
        words = kind.words(params) if kind else None
    except KeyError:
        words = None
    if kind is None or words is None:
        return None
    return Notice(row.uid, kind.icon, *words, kind.action, row.link, row.created_at, row.read_at is not None)


def notices_of(user: User, *, unread: bool = False) -> NotificationQuerySet:
    """What is shown to this person on the site, the newest first. Kinds that are gone are left out."""
    rows = Notification.objects.of(user).shown().filter(kind__in=KINDS)
    return (rows.unread() if unread else rows).order_by("-created_at", "-pk")


def unread_count(user: User) -> int:
    """How many notifications wait for this person."""
    return Notification.objects.of(user).shown().unread().count()


def people_of_sessions(keys: set[str], *, now: datetime) -> dict[str, int]:
    """Of these sessions those that stand, with whose they are: of people who are not blocked."""
    rows = BrowserSession.objects.live(now).filter(session_key__in=keys, user__is_active=True)
    return dict(rows.values_list("session_key", "user_id"))


def unread_states(user_ids: set[int]) -> dict[int, tuple[int, int]]:
    """For each person with something unread: how much, and the key of the newest."""
    rows = Notification.objects.filter(user__in=user_ids).shown().unread().order_by()
    found = rows.values("user_id").annotate(count=Count("pk"), newest=Max("pk"))
    return {row["user_id"]: (row["count"], row["newest"]) for row in found}


def notices_by_pk(pks: list[int]) -> dict[int, Notice]:
    """These notifications in words, by their key."""
    found = ((row.pk, as_notice(row)) for row in Notification.objects.filter(pk__in=pks))
    return {pk: notice for pk, notice in found if notice}
