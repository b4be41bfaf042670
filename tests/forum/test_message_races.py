"""Simultaneous messages, blocks and announcements, on a real database with threads."""

import threading
import time
from collections import Counter
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.courses.models import Course
from apps.forum import errors
from apps.forum.models import Announcement, AnnouncementCopy, Conversation, Message
from apps.forum.services import announcements, messages
from apps.forum.services import message_reading as reading
from apps.forum.services import message_safety as safety
from studyplatform.kit.errors import RateLimitExceeded
from tests.factories.learning import EnrollmentFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def send(course: Course, learner: User, user: User, **more: object) -> Message:
    given = {"source": "Hello", "now": timezone.now()} | more
    return messages.send_message(course=course, learner=learner, user=user, **given)  # type: ignore[arg-type]


def test_first_messages_of_both_at_once_are_one_conversation(course, leo, ada, enrollment) -> None:
    outcomes = run_simultaneously(*[lambda: send(course, leo, leo), lambda: send(course, leo, ada)] * 3)

    assert all(isinstance(one, Message) for one in outcomes), outcomes
    conversation = Conversation.objects.get()
    assert sorted(conversation.messages.values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert (conversation.last_number, conversation.unread_by_learner, conversation.unread_by_instructor) == (6, 3, 3)


def test_one_form_sent_by_several_clicks_is_one_message(course, leo, enrollment) -> None:
    key = uuid4()
    outcomes = run_simultaneously(*[lambda: send(course, leo, leo, key=key)] * 5)

    assert {one.pk for one in outcomes} == {Message.objects.get().pk}


def test_conversations_in_parallel_do_not_evade_the_limit(settings, course, ada) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "message": (3, 600)}
    learners = [EnrollmentFactory(course=course).user for _ in range(6)]
    outcomes = run_simultaneously(*[lambda one=one: send(course, one, ada) for one in learners])

    assert Counter(map(type, outcomes)) == {Message: 3, RateLimitExceeded: 3}
    assert Message.objects.count() == Conversation.objects.count() == 3


def test_a_block_waits_for_the_message_that_is_being_sent(course, leo, ada, enrollment, monkeypatch) -> None:
    """So that no message is stored after a block that the sender did not see."""
    conversation = send(course, leo, leo).conversation
    is_checked, may_go_on = threading.Event(), threading.Event()
    seen: list[bool] = []

    def pause(*_: object, **__: object) -> None:
        is_checked.set()
        may_go_on.wait(5)

    def block() -> None:
        is_checked.wait(5)
        safety.block(conversation=conversation, user=ada, now=timezone.now())
        seen.append(Message.objects.filter(number=2).exists())

    def let_go() -> None:
        is_checked.wait(5)
        time.sleep(0.2)  # time for a block that does not wait
        may_go_on.set()

    monkeypatch.setattr(messages.rate_limits, "consume", pause)
    outcomes = run_simultaneously(lambda: send(course, leo, leo), block, let_go)

    assert isinstance(outcomes[0], Message), outcomes
    assert seen == [True]
    with pytest.raises(errors.SenderBlocked):
        send(course, leo, leo)


def test_reading_while_the_other_writes_loses_no_count(course, leo, ada, enrollment) -> None:
    conversation = send(course, leo, leo).conversation
    read = lambda: reading.mark_read(  # noqa: E731
        conversation=conversation, user=ada, number=1, now=timezone.now()
    )
    run_simultaneously(lambda: send(course, leo, leo), read, lambda: send(course, leo, leo), read)

    conversation.refresh_from_db()
    assert (conversation.last_number, conversation.read_by_instructor, conversation.unread_by_instructor) == (3, 1, 2)


def test_announcements_at_once_do_not_evade_the_limit(course, ada, enrollment) -> None:
    def announce() -> Announcement:
        given = {"audience": "everyone", "subject": "Office hours", "source": "Thursday", "now": timezone.now()}
        return announcements.send_announcement(course=course, user=ada, **given)

    outcomes = run_simultaneously(*[announce] * 5)

    assert Counter(map(type, outcomes)) == {Announcement: 2, errors.AnnouncementLimitReached: 3}


def test_an_announcement_delivered_by_two_workers_at_once_reaches_everyone_once(course, ada, monkeypatch) -> None:
    monkeypatch.setattr(announcements, "BATCH", 2)
    EnrollmentFactory.create_batch(5, course=course)
    given = {"audience": "everyone", "subject": "Office hours", "source": "Thursday", "now": timezone.now()}
    row = announcements.send_announcement(course=course, user=ada, **given)

    def deliver() -> None:
        announcements.deliver_announcement(announcement_id=row.pk, now=timezone.now(), extend_lease=lambda: None)

    assert run_simultaneously(deliver, deliver) == [None, None]
    row.refresh_from_db()
    told = Notification.objects.filter(kind="forum.announcement").values_list("user_id", flat=True)
    assert (row.sent_count, AnnouncementCopy.objects.count(), len(told), len(set(told))) == (5, 5, 5, 5)
