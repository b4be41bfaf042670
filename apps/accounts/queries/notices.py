"""Notifications as users read them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, Max

from apps.accounts.kinds import KINDS, Words
from apps.accounts.models import BrowserSession, Notification, User
from apps.accounts.models.notifications import NotificationQuerySet
from studyplatform.kit.text.zones import zone_named


@dataclass(frozen=True)
class Notice:
    """A notification in words: plain text that contains what users wrote, so templates must escape it."""

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
    """The row in words; None if its kind no longer exists, or needs a parameter that an older row lacks."""
    kind = KINDS.get(row.kind)
    params: dict[str, Any] = row.params
    try:
        words = kind.words(params) if kind else None
    except KeyError:
        words = None
    if kind is None or words is None:
        return None
    return Notice(row.uid, kind.icon, *words, kind.action, row.link, row.created_at, row.read_at is not None)


@dataclass(frozen=True)
class Entry:
    """Notifications of one day with the same text, shown as one: the newest, and all of them, the newest first."""

    newest: Notice
    notices: list[Notice]

    @property
    def unread(self) -> list[Notice]:
        return [notice for notice in self.notices if not notice.is_read]


def by_day(rows: Iterable[Notification], user: User) -> dict[date, list[Entry]]:
    """The rows' notices by day in the user's time zone; those with the same headline and link are one entry.

    ``rows`` are the newest first, and so are the days and their entries. Rows without words are left out.
    """
    zone = zone_of(user)
    days: dict[date, dict[tuple[str, str], list[Notice]]] = {}
    for row in rows:
        if notice := as_notice(row):
            day = days.setdefault(notice.created_at.astimezone(zone).date(), {})
            day.setdefault((notice.headline, notice.link), []).append(notice)
    return {day: [Entry(alike[0], alike) for alike in entries.values()] for day, entries in days.items()}


def grouped_unread_pks(row: Notification) -> list[int]:
    """The keys of the user's unread notifications that are shown as one entry with this one."""
    zone = zone_of(row.user)
    first = datetime.combine(row.created_at.astimezone(zone).date(), datetime.min.time(), zone)
    rows = notices_of(row.user, unread=True).filter(kind=row.kind, link=row.link)
    rows = rows.filter(created_at__gte=first, created_at__lt=first + timedelta(days=1))
    mine = as_notice(row)
    return [
        one.pk for one in rows if mine and (notice := as_notice(one)) is not None and notice.headline == mine.headline
    ]


def zone_of(user: User) -> ZoneInfo:
    """The user's time zone; UTC if this machine does not know it."""
    return zone_named(user.time_zone)


def day_zone_of(user: User, now: datetime) -> ZoneInfo:
    """The time zone that counts the user's days: a new one counts from the next day."""
    return zone_named(user.day_zone(now))


def notices_of(user: User, *, unread: bool = False) -> NotificationQuerySet:
    """The notifications that this user sees on the site, the newest first, without kinds that no longer exist."""
    rows = Notification.objects.of(user).shown().filter(kind__in=KINDS)
    return (rows.unread() if unread else rows).order_by("-created_at", "-pk")


def unread_count(user: User) -> int:
    """The number of unread notifications of this user."""
    return Notification.objects.of(user).shown().unread().count()


def users_of_sessions(keys: set[str], *, now: datetime) -> dict[str, int]:
    """By session key, the user of each of these sessions that is alive and whose user is not blocked."""
    rows = BrowserSession.objects.live(now).filter(session_key__in=keys, user__is_active=True)
    return dict(rows.values_list("session_key", "user_id"))


def user_of_session(key: str, *, now: datetime) -> User | None:
    """The user of this session, if it is alive and the user is not blocked."""
    row = BrowserSession.objects.live(now).filter(session_key=key, user__is_active=True).select_related("user").first()
    return row.user if row else None


def unread_states(user_ids: set[int]) -> dict[int, tuple[int, int]]:
    """For each user with unread notifications: how many, and the key of the newest."""
    rows = Notification.objects.filter(user__in=user_ids).shown().unread().order_by()
    found = rows.values("user_id").annotate(count=Count("pk"), newest=Max("pk"))
    return {row["user_id"]: (row["count"], row["newest"]) for row in found}


def notices_by_pk(pks: list[int]) -> dict[int, Notice]:
    """These notifications in words, by their key."""
    found = ((row.pk, as_notice(row)) for row in Notification.objects.filter(pk__in=pks))
    return {pk: notice for pk, notice in found if notice}
