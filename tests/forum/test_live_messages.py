"""The socket /ws/messages/: nothing lost, nothing doubled, nothing for others."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum import consumers
from apps.forum.models import Conversation
from apps.forum.services import message_reading as reading
from apps.forum.services import message_safety as safety
from apps.forum.services import messages as services
from studyplatform.kit import sockets as hub
from tests.forum.sockets import heard, with_sockets

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "REFRESH_GAP", 0.01)
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)


@pytest.fixture
def begun(course: Course, leo: User, enrollment) -> Conversation:
    return say(course, leo, leo)


def say(course: Course, learner: User, user: User) -> Conversation:
    message = services.send_message(course=course, learner=learner, user=user, source="Hello", now=timezone.now())
    return message.conversation


def test_both_hear_of_a_message_once_and_nobody_else(
    begun: Conversation, course: Course, leo: User, ada: User, eve: User, browser_of
) -> None:
    uid = str(begun.uid)

    async def story(learner: Any, instructor: Any, stranger: Any) -> None:
        # A browser that has just connected gets the changes of the last seconds again.
        first = {"type": "conversation", "conversation": uid, "last": 1, "read": 0}
        assert await heard(learner, 2) == [{"type": "unread", "learning": 0, "teaching": 0}, first]
        assert await heard(instructor, 2) == [{"type": "unread", "learning": 0, "teaching": 1}, first]
        assert await heard(stranger, 1) == [{"type": "unread", "learning": 0, "teaching": 0}]

        await sync_to_async(say)(course, leo, ada)
        second = {"type": "conversation", "conversation": uid, "last": 2, "read": 0}
        assert await heard(learner, 2) == [{"type": "unread", "learning": 1, "teaching": 0}, second]
        assert await heard(instructor, 1) == [second]

        await sync_to_async(reading.mark_read)(conversation=begun, user=leo, number=2, now=timezone.now())
        assert (await heard(learner, 1))[0]["learning"] == 0
        assert (await heard(instructor, 1))[0]["read"] == 2
        assert await stranger.receive_nothing(0.2)

    with_sockets([browser_of(leo), browser_of(ada), browser_of(eve)], "/ws/messages/", story)


def test_someone_is_writing_is_told_to_the_other_person_only(
    begun: Conversation, leo: User, ada: User, eve: User, browser_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "WRITING_GAP", 0)
    writing = {"type": "writing", "conversation": str(begun.uid)}

    async def story(learner: Any, instructor: Any, stranger: Any) -> None:
        await heard(learner, 2)
        await heard(instructor, 2)
        await heard(stranger, 1)
        for broken in ({"type": "writing"}, {"type": "writing", "conversation": ["x"]}, {"type": "dance"}):
            await learner.send_json_to(broken)
        await stranger.send_json_to(writing)
        await learner.send_json_to(writing)
        assert await heard(instructor, 1) == [writing]
        assert await learner.receive_nothing(0.1)

        await sync_to_async(safety.block)(conversation=begun, user=ada, now=timezone.now())
        await learner.send_json_to(writing)
        assert await instructor.receive_nothing(0.2)

    with_sockets([browser_of(leo), browser_of(ada), browser_of(eve)], "/ws/messages/", story)


def test_a_browser_that_says_too_often_that_it_writes_is_ignored(
    begun: Conversation, leo: User, ada: User, browser_of
) -> None:
    writing = {"type": "writing", "conversation": str(begun.uid)}

    async def story(learner: Any, instructor: Any) -> None:
        await heard(learner, 2)
        await heard(instructor, 2)
        for _ in range(5):
            await learner.send_json_to(writing)
        assert await heard(instructor, 1) == [writing]
        assert await instructor.receive_nothing(0.2)

    with_sockets([browser_of(leo), browser_of(ada)], "/ws/messages/", story)
