"""Announcements from an instructor to the learners of a course."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.formats import date_format

from apps.accounts import services as people
from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.courses.models import Course, Section
from apps.forum import errors, text
from apps.forum import message_policies as policies
from apps.forum.models import Announcement, AnnouncementCopy
from apps.forum.queries.announcements import recipients
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

MOST = 2000  # characters
WEEK = timedelta(days=7)
BATCH = 200
QUOTE = 300  # characters of the notification
Audience = Announcement.Audience


def send_announcement(
    *,
    course: Course,
    user: User,
    audience: str,
    section: Section | None = None,
    subject: str,
    source: str,
    is_mailed: bool = True,
    key: uuid.UUID | None = None,
    now: datetime,
) -> Announcement:
    """Send an announcement to learners of a course. A job delivers it.

    ``source`` is Markdown of up to `MOST` characters. ``section``: of the audience `SECTION`, learners whose last
    lesson is in it or in an earlier one, and who have not completed the course. ``key`` names the form that was sent,
    as that of a message.

    :raises MessageEmpty: there is no text.
    :raises MessageTooLong: the text is too long.
    :raises AnnouncementLimitReached: `settings.ANNOUNCEMENTS_PER_WEEK` were sent within seven days.
    :raises NoRecipients: no learner belongs to the audience.
    :raises NotFound: the user does not teach the course, or it has no such section.
    :raises AppError: the course is not open, or the user's email is not verified.
    """
    source = check_announcement(source)
    enforce(policies.announce(user, course))
    if audience == Audience.SECTION and (section is None or section.course_id != course.pk):
        raise NotFound
    html = text.render_message(source, is_trusted=True)
    with transaction.atomic():
        # Two sent at once wait for each other here, so neither is counted too late.
        course = Course.objects.select_for_update().get(pk=course.pk)
        done = Announcement.objects.filter(key=key, course=course, sender=user).first() if key else None
        if done is not None:
            return done
        enforce(policies.announce(user, course))
        left, free_at = announcements_left(course, now=now)
        if not left:
            when = date_format((free_at or now).astimezone(zone_of(user)), "l, j F, H:i")
            raise errors.AnnouncementLimitReached(most=settings.ANNOUNCEMENTS_PER_WEEK, when=when)
        expected = recipients(course, audience, section).count()
        if not expected:
            raise errors.NoRecipients
        row = Announcement.objects.create(
            **({"key": key} if key and not Announcement.objects.filter(key=key).exists() else {}),
            course=course,
            sender=user,
            audience=Audience(audience),
            section=section if audience == Audience.SECTION else None,
            subject=" ".join(subject.split()),
            source=source,
            html=html,
            is_mailed=is_mailed,
            created_at=now,
            expected=expected,
        )
        jobs.enqueue("forum.deliver_announcement", key=str(row.pk), announcement_id=row.pk)
    return row


def check_announcement(source: str) -> str:
    """The text as it is stored.

    :raises MessageEmpty: it is empty.
    :raises MessageTooLong: it has more than `MOST` characters.
    """
    if text.length(source) > MOST:
        raise errors.MessageTooLong(most=f"{MOST:,}", length=f"{text.length(source):,}")
    try:
        return text.check(source)
    except errors.PostEmpty:
        raise errors.MessageEmpty from None


def announcements_left(course: Course, *, now: datetime) -> tuple[int, datetime | None]:
    """How many announcements can be sent to the course now, and when the next one can if there is none left."""
    recent = Announcement.objects.filter(course=course, created_at__gt=now - WEEK).order_by("-created_at")
    times = list(recent.values_list("created_at", flat=True)[: settings.ANNOUNCEMENTS_PER_WEEK])
    left = settings.ANNOUNCEMENTS_PER_WEEK - len(times)
    return left, times[-1] + WEEK if times and not left else None


def deliver_announcement(*, announcement_id: int, now: datetime, extend_lease: Callable[[], None]) -> None:
    """Put a copy into the messages of each recipient, and notify them. Continues where an interrupted run stopped.

    ``extend_lease`` is called after each batch. Nobody is notified twice: a batch is written as a whole, and the
    notification's key names the announcement.
    """
    row = Announcement.objects.select_related("course__instructor", "sender", "section").get(pk=announcement_id)
    link = f"/me/messages/announcements/{row.uid}"
    while row.done_at is None:
        with transaction.atomic():
            row = (
                Announcement.objects.select_for_update(of=("self",))
                .select_related("course", "sender", "section")
                .get(pk=row.pk)
            )
            if row.done_at is not None:
                return
            enrollments = recipients(row.course, row.audience, row.section).filter(pk__gt=row.last_enrollment)
            batch = list(enrollments.order_by("pk").select_related("user")[:BATCH])
            copies = [AnnouncementCopy(announcement=row, user_id=one.user_id) for one in batch]
            AnnouncementCopy.objects.bulk_create(copies, ignore_conflicts=True)
            people.notify_all(
                "forum.announcement",
                [one.user for one in batch],
                link,
                row.uid.hex,
                is_mailed=row.is_mailed,
                now=row.created_at,
                course=row.course.title,
                subject=row.subject,
                words=text.excerpt(row.source, QUOTE),
            )
            row.last_enrollment = batch[-1].pk if batch else row.last_enrollment
            row.sent_count += len(batch)
            row.done_at = None if len(batch) == BATCH else now
            row.save(update_fields=["last_enrollment", "sent_count", "done_at"])
        extend_lease()


def mark_announcement_read(*, copy: AnnouncementCopy, now: datetime) -> None:
    """Note that its recipient has opened an announcement. Idempotent."""
    with transaction.atomic():
        if AnnouncementCopy.objects.filter(pk=copy.pk, read_at=None).update(read_at=now):
            Announcement.objects.filter(pk=copy.announcement_id).update(read_count=F("read_count") + 1)
            link = f"/me/messages/announcements/{copy.announcement.uid}"
            people.mark_read_by_link(user=copy.user, kind="forum.announcement", link=link, now=now)


def delete_copies_of(*, user_id: int) -> None:
    """Delete the announcements in the messages of a deleted account."""
    AnnouncementCopy.objects.filter(user=user_id).delete()
