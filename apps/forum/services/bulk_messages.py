"""Write one text to many learners: each gets a message of their own, in their own conversation."""

import logging
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, QuerySet
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import be_verified, teach
from apps.courses.models import Course
from apps.forum import errors, text
from apps.forum import message_policies as policies
from apps.forum.models import BulkMessage, BulkRecipient
from apps.forum.services.messages import write_of_bulk_message
from apps.forum.text.placeholders import (
    COURSE,
    FIRST_NAME,
    LESSON,
    fill_placeholders,
    names_course,
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
MAX_DELIVERED_AT_ONCE = 5  # so few are written while the sender waits
JOB_DELAY = timedelta(seconds=30)  # of the job that writes what is left of them
ROWS_PER_STATEMENT = 1_000

logger = logging.getLogger(__name__)


def send_bulk_message(
    *, user: User, recipients: QuerySet[Enrollment], source: str, key: uuid.UUID, now: datetime
) -> BulkMessage:
    """Send a text to learners, by their enrollments. A second one with the same ``key`` and text is the first one.

    A learner of several courses gets one message in each if the text names the course or the lesson; otherwise one, in
    the first by title. Up to `MAX_DELIVERED_AT_ONCE` are delivered at once, more by a job, which also continues what is
    interrupted. Whom nobody can write to is counted, not refused.

    :raises MessageEmpty: there is no text.
    :raises MessageTooLong: it has more than `MAX_LENGTH` characters.
    :raises NoLearnersChosen: there is no recipient in a course that the user teaches.
    :raises TooManyRecipients: there are more than `MAX_RECIPIENTS`.
    :raises RateLimitExceeded: too many bulk messages or messages of the user today; to one learner, too many messages.
    :raises AppError: the user's email isn't verified, or the user is banned.
    """
    source = check_bulk_message(source)
    enforce(teach(user) or be_verified(user))
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # the same form, sent twice at once, waits here
        found = BulkMessage.objects.filter(key=key).first()
        if found is not None and (found.sender_id, found.source) != (user.pk, source):
            key = uuid.uuid5(key, f"{user.pk} {source}")  # somebody went back to the form and wrote something else
            found = BulkMessage.objects.filter(key=key).first()
        bulk = found or _store(user, recipients, source, key, now)
    if bulk.done_at is None and bulk.expected <= MAX_DELIVERED_AT_ONCE:
        _deliver_at_once(bulk, now)
    return bulk


def _store(user: User, recipients: QuerySet[Enrollment], source: str, key: uuid.UUID, now: datetime) -> BulkMessage:
    """Store the message with its recipients and the job that delivers it."""
    chosen = _choose(user, recipients, is_per_course=names_course(source))
    if not chosen:
        raise errors.NoLearnersChosen
    if len(chosen) > MAX_RECIPIENTS:
        raise errors.TooManyRecipients(most=f"{MAX_RECIPIENTS:,}")
    if len(chosen) == 1:
        rate_limits.consume("message", str(user.pk), now=now)
    else:
        rate_limits.consume("bulk-message", str(user.pk), now=now)
        rate_limits.consume("message-in-bulk", str(user.pk), now=now, amount=len(chosen))
    bulk = BulkMessage.objects.create(
        key=key, sender=user, source=source, language=get_language() or "", created_at=now, expected=len(chosen)
    )
    rows = [BulkRecipient(bulk_message=bulk, enrollment_id=one) for one in chosen]
    BulkRecipient.objects.bulk_create(rows, batch_size=ROWS_PER_STATEMENT)
    delay = JOB_DELAY if len(chosen) <= MAX_DELIVERED_AT_ONCE else timedelta(0)
    jobs.enqueue("forum.deliver_bulk_message", key=str(bulk.pk), delay=delay, bulk_message_id=bulk.pk)
    return bulk


def _deliver_at_once(bulk: BulkMessage, now: datetime) -> None:
    try:
        deliver_bulk_message(bulk_message_id=bulk.pk, now=now, extend_lease=lambda: None)
    except Exception as error:
        logger.warning("Bulk message %s was interrupted, its job continues: %r", bulk.pk, error)
    bulk.refresh_from_db()


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


def _choose(user: User, recipients: QuerySet[Enrollment], *, is_per_course: bool) -> list[int]:
    """Return the enrollments, by primary key, in courses that the user teaches now and isn't banned from, by title.

    One of each person, unless it is ``is_per_course``. At most `MAX_RECIPIENTS` and one more.
    """
    is_taught: dict[int, bool] = {}
    chosen: dict[int, int] = {}
    rows = recipients.exclude(user=user).order_by("course__title", "pk").values_list("pk", "user_id", "course_id")
    for pk, person, course in rows.iterator(chunk_size=ROWS_PER_STATEMENT):
        if course not in is_taught:
            is_taught[course] = _writes_in(user, Course.objects.get(pk=course))
        if is_taught[course]:
            chosen.setdefault(pk if is_per_course else person, pk)
        if len(chosen) > MAX_RECIPIENTS:
            break
    return list(chosen.values())


def _writes_in(user: User, course: Course) -> bool:
    if not policies.teaches(user, course):
        return False
    enforce(policies.not_banned(user, course))
    return True


def deliver_bulk_message(*, bulk_message_id: int, now: datetime, extend_lease: Callable[[], None]) -> None:
    """Write the messages that are not written yet. Continues where an interrupted run stopped; nobody gets two.

    A recipient at whom something fails doesn't hold up the others. The failure is raised at the end, so that the job
    tries again.
    """
    bulk = BulkMessage.objects.select_related("sender").get(pk=bulk_message_id)
    waiting = BulkRecipient.objects.filter(bulk_message=bulk, handled_at=None).order_by("pk")
    failure, last = None, 0
    while pks := list(waiting.filter(pk__gt=last).values_list("pk", flat=True)[:ROWS_PER_STATEMENT]):
        for number, pk in enumerate(pks, start=1):
            try:
                _deliver(bulk, pk, now)
            except (OperationalError, InterfaceError):  # the database's, not the recipient's
                raise
            except Exception as error:
                logger.warning("Recipient %s of bulk message %s got no message: %r", pk, bulk.pk, error)
                failure = error
            if number % 50 == 0:
                extend_lease()
        last = pks[-1]
        extend_lease()
        sockets.wake("messages")
    if failure is not None:
        raise failure
    BulkMessage.objects.filter(pk=bulk.pk, done_at=None).update(done_at=now)


def give_up_bulk_message(*, bulk_message_id: int, now: datetime) -> None:
    """Note that those who have no message yet get none: its job has failed for good. Idempotent."""
    waiting = BulkRecipient.objects.filter(bulk_message=bulk_message_id, handled_at=None)
    count = waiting.update(refusal=errors.MessageUndelivered.code, handled_at=now)
    rows = BulkMessage.objects.filter(pk=bulk_message_id, done_at=None)
    rows.update(refused_count=F("refused_count") + count, done_at=now)


def reopen_bulk_message(*, bulk_message_id: int) -> None:
    """Undo `give_up_bulk_message`, as the job starts again. Idempotent."""
    failed = BulkRecipient.objects.filter(bulk_message=bulk_message_id, refusal=errors.MessageUndelivered.code)
    count = failed.update(refusal="", handled_at=None)
    rows = BulkMessage.objects.filter(pk=bulk_message_id)
    rows.update(refused_count=F("refused_count") - count, done_at=None)


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
                    source=fill_placeholders(bulk.source, values_for(enrollment, bulk.language)),
                    key=uuid.uuid5(bulk.uid, str(row.pk)),
                    now=now,
                )
        except AppError as refusal:
            row.refusal = refusal.code
        row.handled_at = now
        row.save(update_fields=["message", "refusal", "handled_at"])
        counted = "sent_count" if row.message is not None else "refused_count"
        BulkMessage.objects.filter(pk=bulk.pk).update(**{counted: F(counted) + 1})


def values_for(enrollment: Enrollment, language: str) -> dict[str, str]:
    """Return what stands in the places of the text for one learner: the lesson is that at which they stopped.

    :param language: of the text, for the words that stand there when there is no lesson.
    """
    learner, rollup = enrollment.user, rollup_of(enrollment)
    lesson = (rollup.risk_lesson if rollup is not None else None) or enrollment.last_lesson
    with translation.override(language or settings.LANGUAGE_CODE):
        place = f"{lesson.number} {lesson.title}".strip() if lesson is not None else _("the first lesson")
    return {FIRST_NAME: learner.first_name or learner.display_name, COURSE: enrollment.course.title, LESSON: place}
