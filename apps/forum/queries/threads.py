"""The messages of a conversation as one of its two people reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Prefetch
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from markupsafe import Markup

from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.forum.models import Conversation, Message, MessageFile

THREAD = 30  # messages
AROUND = 10  # messages before one that was searched for


@dataclass(frozen=True)
class Said:
    """A message as one of its readers reads it. ``time`` is in their time zone. ``is_read``: by the other side.

    ``is_mine``: of the reader's side. ``writer``: who wrote it, if that is neither the reader nor the person whom the
    page is named after; several people may teach a course.
    """

    message: Message
    files: Sequence[MessageFile]
    html: Markup
    time: str
    is_mine: bool
    is_read: bool
    writer: str


@dataclass(frozen=True)
class Day:
    """The messages of one day of the reader."""

    day: date
    name: str
    said: list[Said]


@dataclass(frozen=True)
class Thread:
    """A part of a conversation. ``earlier`` and ``later``: numbers from which the neighboring parts are read."""

    days: list[Day]
    earlier: int | None
    later: int | None
    last: int
    """The number of the last message of this part; 0 without any."""


def thread(
    conversation: Conversation,
    user: User,
    *,
    before: int | None = None,
    after: int | None = None,
    at: int | None = None,
    now: datetime,
) -> Thread:
    """Up to `THREAD` messages: the newest, those before or after a number, or those around one. Two queries."""
    rows = conversation.messages.select_related("author").prefetch_related(
        Prefetch("files", MessageFile.objects.select_related("upload").order_by("position"))
    )
    if at is not None:
        after = max(0, at - AROUND)
    if after is not None:
        found = list(rows.filter(number__gt=after).order_by("number")[:THREAD])
    else:
        older = rows.filter(number__lt=before) if before is not None else rows
        found = list(reversed(older.order_by("-number")[:THREAD]))
    first, last = (found[0].number, found[-1].number) if found else (1, 0)
    return Thread(
        days=_days(found, conversation, user, now),
        earlier=first if first > 1 else None,
        later=last if found and last < conversation.last_number else None,
        last=last,
    )


def _days(messages: Sequence[Message], conversation: Conversation, user: User, now: datetime) -> list[Day]:
    zone, is_learner = zone_of(user), user.pk == conversation.learner_id
    read = conversation.read_by_instructor if is_learner else conversation.read_by_learner
    today = now.astimezone(zone).date()
    days: dict[date, Day] = {}
    for one in messages:
        at = one.created_at.astimezone(zone)
        day = days.setdefault(at.date(), Day(at.date(), day_name(at.date(), today), []))
        is_mine = one.is_by_learner == is_learner
        html = Markup(one.html)  # noqa: S704 (sanitized when it was written)
        is_known = one.author_id in {user.pk, conversation.learner_id, conversation.course.instructor_id}
        is_known = one.author_id == user.pk if is_mine else is_known
        writer = "" if is_known else one.author.display_name
        files = list(one.files.all())
        day.said.append(Said(one, files, html, f"{at:%H:%M}", is_mine, one.number <= read, writer))
    return list(days.values())


def day_name(day: date, today: date) -> str:
    """The day in words, for a reader whose day it is today."""
    if day == today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return date_format(day, "l, j F" if day.year == today.year else "l, j F Y")
