"""The daily digest: one email with the new notifications, at 7:00 in the user's time zone."""

from datetime import UTC, datetime, time, timedelta

from django.db import transaction

from apps.accounts.models import Notification, User
from apps.accounts.queries import as_notice
from apps.accounts.services.unsubscribing import DIGEST, unsubscribe_link
from studyplatform.kit import jobs, mail
from studyplatform.kit.text.zones import zone_named

HOUR = time(7)
MOST = 20  # are named in the mail


def next_digest(time_zone: str, *, now: datetime) -> datetime:
    """The next seven o'clock of this time zone, in UTC: on a day of 23 or 25 hours too."""
    zone = zone_named(time_zone)
    here = now.astimezone(zone)
    due = datetime.combine(here.date(), HOUR, tzinfo=zone)
    if due <= here:
        due = datetime.combine(here.date() + timedelta(days=1), HOUR, tzinfo=zone)
    return due.astimezone(UTC)


def enqueue_digest(*, user_id: int, due: datetime, now: datetime) -> None:
    """Schedule the user's digest: one job, however many notifications there are."""
    jobs.enqueue("accounts.send_digest", key=f"{user_id} {due:%Y%m%d%H%M}", delay=due - now, user_id=user_id)


def send_digest(*, user_id: int, now: datetime) -> None:
    """Send the notifications that are due and unread; nothing if none is left.

    The rows are released in the transaction that enqueues the email, so running it twice sends one.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().filter(pk=user_id).first()
        if user is None:
            return
        waiting = Notification.objects.of(user).filter(digest_due_at__lte=now)
        unread = list(waiting.unread().order_by("-created_at", "-pk")[: MOST + 200])
        waiting.update(digest_due_at=None)
        notices = [notice for row in unread if (notice := as_notice(row))]
        if not notices or not user.is_active or not user.email_verified_at or user.deleted_at:
            return
        mail.send(
            "digest",
            to=user.email,
            unsubscribe=unsubscribe_link(user, DIGEST),
            priority=-1,
            user=user,
            count=len(notices),
            notices=notices[:MOST],
            notices_and_links=[(notice, mail.absolute_url(notice.link)) for notice in notices[:MOST]],
            more=len(notices[MOST:]),
            settings=mail.absolute_url("/settings/notifications"),
            link="/notifications",
        )


def reschedule_late_digests(*, now: datetime) -> None:
    """Enqueue digests again whose job was lost or ran a moment too early."""
    late = Notification.objects.filter(digest_due_at__lt=now - timedelta(minutes=10))
    for user_id in late.order_by().values_list("user_id", flat=True).distinct()[:1000]:
        jobs.enqueue("accounts.send_digest", key=f"{user_id} late", user_id=user_id)
