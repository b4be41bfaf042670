"""Notifying users: on the site, by email at once, or in a daily digest."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from apps.accounts.errors import NotificationNotFound
from apps.accounts.kinds import KINDS, Kind, Mail, kinds_for
from apps.accounts.models import Notification, NotificationChoice, User
from apps.accounts.models.notifications import MAX_KEY_LENGTH
from apps.accounts.queries import as_notice, grouped_unread_pks
from apps.accounts.services.digests import enqueue_digest, next_digest
from apps.accounts.services.unsubscribing import unsubscribe_link
from studyplatform.kit import jobs, mail, sockets

KEPT, KEPT_FOR_MAIL = timedelta(days=365), timedelta(days=30)
NEWS = timedelta(days=1)  # of older events there is no email
_LONGEST = 500  # characters of a parameter; what is longer is read where the link leads


def notify(
    kind: str,
    user: User,
    link: str,
    key: str = "",
    *,
    to: str = "",
    attachments: Sequence[mail.Attached] = (),
    now: datetime | None = None,
    **params: Any,
) -> None:
    """Notify a user in the way they have chosen: on the site, by email at once, in the daily digest, or not at all.

    Safe inside a transaction: the row and the job that sends the email are saved or rolled back with it.

    ``key`` names the fact within its kind. Another report with the same key is ignored as long as the user's first
    notification exists: for a year, or for 30 days if it was only emailed (``KEPT``, ``KEPT_FOR_MAIL``). For a user
    who has turned the kind off there is no row, so nothing is remembered: once they turn it on, a later report of
    the same fact reaches them. A fact that can be reported again after that needs a mark in the caller's own table.

    ``to`` is where the email goes if not to the user's own address; ``attachments`` are made when it is sent. ``now``
    is when it happened: what is older than a day is shown on the site only, unless its kind is always emailed.

    :raises ValueError: the link leads off this site, or the key is too long for its column.
    :raises KeyError: the kind is unknown, or its words need a parameter that is not there.
    """
    notify_all(kind, [user], link, key, to=to, attachments=attachments, now=now, **params)


def notify_all(
    kind: str,
    users: Iterable[User],
    link: str,
    key: str = "",
    *,
    to: str = "",
    attachments: Sequence[mail.Attached] = (),
    is_mailed: bool = True,
    now: datetime | None = None,
    **params: Any,
) -> None:
    """Notify many users of the same thing, as :func:`notify` does one, in a fixed number of queries (and a job per
    email). Without ``is_mailed`` there is no email to anyone, whatever they chose.
    """
    what, today = KINDS[kind], timezone.now()
    now = now or today
    if not is_internal_link(link):
        raise ValueError(f"{link!r} does not lead to a page of this site")
    if len(key) > MAX_KEY_LENGTH:
        raise ValueError(f"the key {key!r} is longer than {MAX_KEY_LENGTH} characters")
    clean = {name: value if isinstance(value, int) else str(value)[:_LONGEST] for name, value in params.items()}
    what.words(clean)
    people = {user.pk: user for user in users if user.deleted_at is None}
    ways = _ways(what, people)
    if (now < today - NEWS and not what.is_always_mailed) or not is_mailed:
        ways = {pk: (in_app, Mail.OFF) for pk, (in_app, _) in ways.items()}
    rows = [
        Notification(
            user_id=pk,
            kind=kind,
            params=clean,
            link=link,
            key=key,
            in_app=in_app,
            created_at=now,
            digest_due_at=next_digest(people[pk].time_zone, now=now) if way == Mail.DIGEST else None,
        )
        for pk, (in_app, way) in ways.items()
        if in_app or way != Mail.OFF
    ]
    with transaction.atomic():
        Notification.objects.bulk_create(rows, ignore_conflicts=True, batch_size=200)
        # Rows that existed already are unchanged and have another uid.
        new = Notification.objects.filter(uid__in=[row.uid for row in rows])
        for pk, user_id, due in new.values_list("pk", "user_id", "digest_due_at"):
            if due is not None:
                enqueue_digest(user_id=user_id, due=due, now=now)
            elif ways[user_id][1] == Mail.NOW:
                files = [list(each) for each in attachments]
                jobs.enqueue("accounts.mail_notification", key=str(pk), notification_id=pk, to=to, attachments=files)
        sockets.wake("notifications")


def notify_again(kind: str, users: Iterable[User], link: str, key: str, *, now: datetime, **params: Any) -> None:
    """Notify many users as :func:`notify_all` does; those who have this notification find it changed and unread.

    There is no second email. Calling it again with the same words changes nothing.
    """
    people = list(users)
    with transaction.atomic():
        before = Notification.objects.filter(kind=kind, key=key, user__in=people).select_for_update()
        changed = [row.pk for row in before if row.params != params or row.link != link]
        Notification.objects.filter(pk__in=changed).update(params=params, link=link, created_at=now, read_at=None)
        notify_all(kind, people, link, key, now=now, **params)


def mail_notification(*, notification_id: int, to: str = "", attachments: Sequence[mail.Attached] = ()) -> None:
    """Send the email of one notification; none if its user is deleted, or blocked and it is not about security."""
    row = Notification.objects.select_related("user").filter(pk=notification_id).first()
    notice = as_notice(row) if row else None
    if row is None or notice is None or row.user.deleted_at:
        return
    kind = KINDS[row.kind]
    if not row.user.is_active and not kind.is_always_mailed:
        return
    mail.send(
        "notice",
        to=to or row.user.email,
        unsubscribe="" if kind.is_always_mailed else unsubscribe_link(row.user, kind.name),
        priority=0 if kind.is_security else -1,
        attachments=attachments,
        is_transactional=kind.is_transactional,
        user=row.user,
        notice=notice,
        settings=mail.absolute_url("/settings/notifications"),
        link=notice.link,
    )


def mark_read(*, user: User, uid: UUID, now: datetime) -> None:
    """Mark a notification as read, with those shown as one entry with it. Idempotent.

    :raises NotificationNotFound: the user has no such notification.
    """
    mine = Notification.objects.of(user).shown()
    row = mine.filter(uid=uid).select_related("user").first()
    if row is None:
        raise NotificationNotFound
    mine.unread().filter(Q(pk=row.pk) | Q(pk__in=grouped_unread_pks(row))).update(read_at=now)


def mark_read_by_link(*, user: User, kind: str, link: str, now: datetime) -> None:
    """Mark the notifications of this kind that lead to an address as read, as the user has just read it there."""
    Notification.objects.of(user).shown().unread().filter(kind=kind, link=link).update(read_at=now)


def mark_all_read(*, user: User, now: datetime) -> None:
    """Mark all of the user's notifications as read."""
    Notification.objects.of(user).shown().unread().filter(created_at__lte=now).update(read_at=now)


def delete_notifications(
    *, kinds: Collection[str], keys: Collection[str], except_of: QuerySet[User] | None = None
) -> None:
    """Delete what users were told about facts that are not true any longer, also from their next digest. Idempotent.

    :param except_of: users who keep theirs.
    """
    gone = Notification.objects.exclude(key="").filter(key__in=keys, kind__in=kinds)
    if except_of is not None:
        gone = gone.exclude(user__in=except_of)
    if gone.delete()[0]:
        sockets.wake("notifications")


def change_notifications(*, kinds: Collection[str], keys: Collection[str], **params: Any) -> None:
    """Change what is said in notifications of facts, also in the next digest: a text in them was edited. Idempotent.

    ``params``: those that change. Notifications whose kind has no such param are left as they are.
    """
    rows = list(Notification.objects.exclude(key="").filter(key__in=keys, kind__in=kinds))
    for row in rows:
        row.params |= {name: str(value)[:_LONGEST] for name, value in params.items() if name in row.params}
    Notification.objects.bulk_update(rows, ["params"], batch_size=200)
    if rows:
        sockets.wake("notifications")


def save_notification_choices(*, user: User, choices: dict[str, tuple[bool, str]]) -> None:
    """Save how the user wants to receive these kinds: (on the site, email).

    :raises ValueError: a kind does not exist or cannot be turned off, or a way is unknown. Then nothing is saved.
    """
    open_to_choice = {kind.name for kind in kinds_for(user) if not kind.is_security}
    if not choices.keys() <= open_to_choice or not {way for _, way in choices.values()} <= set(Mail.values):
        raise ValueError("there is no such choice")
    with transaction.atomic():
        for name, (in_app, chosen) in choices.items():
            way = Mail.NOW if KINDS[name].is_transactional else chosen
            NotificationChoice.objects.update_or_create(user=user, kind=name, defaults={"in_app": in_app, "mail": way})
            if way == Mail.OFF:  # nor in the next digest
                Notification.objects.of(user).filter(kind=name).update(digest_due_at=None)


def delete_old_notifications(*, now: datetime) -> None:
    """Delete notifications after a year, and those sent by email alone after a month."""
    Notification.objects.filter(created_at__lt=now - KEPT).delete()
    Notification.objects.filter(in_app=False, created_at__lt=now - KEPT_FOR_MAIL, digest_due_at=None).delete()


def is_internal_link(link: str) -> bool:
    """Whether this is an address of this site, without a host."""
    return (
        link.startswith("/")
        and link.isprintable()
        and len(link) <= 300
        and url_has_allowed_host_and_scheme(link, allowed_hosts=None)
    )


def _ways(kind: Kind, people: dict[int, User]) -> dict[int, tuple[bool, str]]:
    """By user: whether on the site, and how by email. Only security emails go to unverified addresses."""
    if kind.is_security:
        return dict.fromkeys(people, (True, Mail.NOW))
    chosen = {
        choice.user_id: (choice.in_app, choice.mail)
        for choice in NotificationChoice.objects.filter(user__in=people, kind=kind.name)
    }
    ways = {}
    for pk, user in people.items():
        in_app, way = chosen.get(pk, (kind.in_app, kind.mail))
        way = Mail.NOW if kind.is_transactional else way if user.email_verified_at else Mail.OFF
        ways[pk] = (in_app, way)
    return ways
