"""Write one text to many learners: each gets a message of their own, in their own conversation."""

import uuid
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import be_verified, teach
from apps.forum import errors, text
from apps.forum import message_policies as policies
from apps.forum.models import BulkMessage, BulkRecipient
from apps.forum.services.messages import write_of_bulk_message
from apps.forum.text.placeholders import (
    COURSE,
    FIRST_NAME,
    LESSON,
    differs_by_course,
    fill_placeholders,
    with_plain_placeholders,
)
from apps.forum.text.placeholders import placeholders as placeholders
from apps.forum.text.placeholders import with_shown_placeholders as with_shown_placeholders
from apps.learning.analytics.lists import rollup_of
from apps.learning.models import Enrollment
from studyplatform.kit import jobs, sockets
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

MAX_LENGTH = 2_000  # characters, before anything is filled in
MAX_RECIPIENTS = 20_000
DELIVERED_AT_ONCE = 5  # so few are written while the sender waits
ROWS_AT_ONCE = 1_000
SAFETY_DELAY = timedelta(minutes=1)
"""After which a job delivers what a process that was stopped didn't."""


def send_bulk_message(
    *, user: User, recipients: Iterable[Enrollment], source: str, key: uuid.UUID, now: datetime
) -> BulkMessage:
    """Send a text to learners, by their enrollments, each once. A second one with the same ``key`` is the first one.

    Who is chosen in several courses gets it in the one in which they were active last; in each of them if the text
    names the course or a lesson.

    Up to `DELIVERED_AT_ONCE` are delivered at once, more by a job. Whom nobody can write to is counted, not refused.

    :raises MessageEmpty: there is no text.
    :raises MessageTooLong: it has more than `MAX_LENGTH` characters.
    :raises NoLearnersChosen: there is no recipient in a course that the user teaches.
    :raises TooManyRecipients: there are more than `MAX_RECIPIENTS`.
    :raises RateLimitExceeded: too many bulk messages or messages of the user today.
    :raises AppError: the user's email isn't verified, or the user is banned.
    """
    source = check_bulk_message(source)
    enforce(teach(user) or be_verified(user))
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # the same form, sent twice at once, waits here
        done = BulkMessage.objects.filter(key=key, sender=user).first()
        if done is not None:
            return done
        chosen = _recipients_of(user, recipients, source)
        if not chosen:
            raise errors.NoLearnersChosen
        if len(chosen) > MAX_RECIPIENTS:
            raise errors.TooManyRecipients(most=f"{MAX_RECIPIENTS:,}")
        rate_limits.consume("bulk-message", str(user.pk), now=now)
        rate_limits.consume("message-in-bulk", str(user.pk), now=now, amount=len(chosen))
        bulk = BulkMessage.objects.create(key=key, sender=user, source=source, created_at=now, expected=len(chosen))
        rows = [BulkRecipient(bulk_message=bulk, enrollment_id=one) for one in chosen]
        BulkRecipient.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
        wait = SAFETY_DELAY if len(chosen) <= DELIVERED_AT_ONCE else timedelta(0)
        jobs.enqueue("forum.deliver_bulk_message", key=str(bulk.pk), delay=wait, bulk_message_id=bulk.pk)
    if len(chosen) <= DELIVERED_AT_ONCE:
        deliver_bulk_message(bulk_message_id=bulk.pk, now=now, extend_lease=lambda: None)
        bulk.refresh_from_db()
    return bulk


def check_bulk_message(source: str) -> str:
    """Return the text as it is stored.

    :raises MessageEmpty: nothing in it can be seen.
    :raises MessageTooLong: it has more than `MAX_LENGTH` characters.
    """
    if text.length(source) > MAX_LENGTH:
        raise errors.MessageTooLong(most=f"{MAX_LENGTH:,}", length=f"{text.length(source):,}")
    try:
        return with_plain_placeholders(text.check(source))
    except errors.PostEmpty:
        raise errors.MessageEmpty from None


def _recipients_of(user: User, recipients: Iterable[Enrollment], source: str) -> list[int]:
    """Return the enrollments to which the text goes, by primary key: of each person one, unless it differs by course.

    Only courses that the user teaches now and isn't banned from count.
    """
    is_for_each_course = differs_by_course(source)
    taught: dict[int, bool] = {}
    chosen: dict[int, Enrollment] = {}
    for one in recipients:
        if one.course_id not in taught:
            taught[one.course_id] = policies.teaches(user, one.course)
            if taught[one.course_id]:
                enforce(policies.not_banned(user, one.course))
        if not taught[one.course_id] or one.user_id == user.pk:
            continue
        key = one.pk if is_for_each_course else one.user_id
        if key not in chosen or one.last_activity_at > chosen[key].last_activity_at:
            chosen[key] = one
    return [one.pk for one in chosen.values()]


def deliver_bulk_message(*, bulk_message_id: int, now: datetime, extend_lease: Callable[[], None]) -> None:
    """Write the messages that are not written yet. Continues where an interrupted run stopped; nobody gets two."""
    bulk = BulkMessage.objects.select_related("sender").get(pk=bulk_message_id)
    waiting = BulkRecipient.objects.filter(bulk_message=bulk, handled_at=None).order_by("pk")
    while pks := list(waiting.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        for number, pk in enumerate(pks, start=1):
            _deliver(bulk, pk, now)
            if number % 50 == 0:
                extend_lease()
        extend_lease()
        sockets.wake("messages")
    BulkMessage.objects.filter(pk=bulk.pk, done_at=None).update(done_at=now)


def _deliver(bulk: BulkMessage, pk: int, now: datetime) -> None:
    """Write to one learner, or note why nobody can. Both in one transaction: a killed run leaves neither half."""
    with transaction.atomic():
        rows = BulkRecipient.objects.select_for_update(of=("self",)).select_related(
            "enrollment__user",
            "enrollment__course__instructor",
            "enrollment__last_lesson",
            "enrollment__rollup__risk_lesson",
        )
        row = rows.filter(pk=pk, handled_at=None).first()
        if row is None:
            return
        enrollment = row.enrollment
        try:
            with transaction.atomic():
                row.message = write_of_bulk_message(
                    course=enrollment.course,
                    learner=enrollment.user,
                    user=bulk.sender,
                    source=fill_placeholders(bulk.source, values_for(enrollment)),
                    key=uuid.uuid5(bulk.uid, str(row.pk)),
                    now=now,
                )
        except AppError as refusal:
            row.refusal = refusal.code
        row.handled_at = now
        row.save(update_fields=["message", "refusal", "handled_at"])
        counted = "sent_count" if row.message is not None else "refused_count"
        BulkMessage.objects.filter(pk=bulk.pk).update(**{counted: F(counted) + 1})


def values_for(enrollment: Enrollment) -> dict[str, str]:
    """Return what stands in the places of the text for one learner: the lesson is that at which they stopped."""
    learner, rollup = enrollment.user, rollup_of(enrollment)
    lesson = (rollup.risk_lesson if rollup is not None else None) or enrollment.last_lesson
    return {
        FIRST_NAME: learner.first_name or learner.display_name,
        COURSE: enrollment.course.title,
        LESSON: f"{lesson.number} {lesson.title}".strip() if lesson is not None else _("the first lesson"),
    }
