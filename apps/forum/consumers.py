"""The sockets of the forum."""

import contextlib
import time
from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

from channels.db import database_sync_to_async
from django.utils import timezone

from apps.forum.models import Conversation
from apps.forum.queries import finding, live
from apps.forum.queries import messages as queries
from apps.forum.services import live as services
from apps.forum.services import message_reading as reading
from studyplatform.kit.errors import AppError
from studyplatform.kit.sockets import Socket

OVERLAP = timedelta(seconds=10)  # for transactions that took long, and servers whose clocks differ
WRITING_GAP = 1.5  # seconds between two messages of a browser that someone is writing; more are ignored

State = tuple[int, int, int]


class MessagesConsumer(Socket):
    """Conversations of the signed-in user, as they change: /ws/messages/.

    Sends ``{"type": "unread", "learning": 1, "teaching": 0}`` (unread conversations with instructors and with learners)
    first and on each change, ``{"type": "conversation", "conversation": uid, "last": 12, "read": 11}`` when something
    was written or read (``last`` is the newest number, ``read`` the last one that the other person read), and
    ``{"type": "writing", "conversation": uid}`` while the other person writes. The browser asks the page for the
    messages after the last one it has, also whenever it has connected. It says ``{"type": "writing", "conversation":
    uid}`` itself.
    """

    name = "messages"
    unread: tuple[int, int] | None = None

    async def authorize(self) -> None:
        self.subscribe(reading.topic_of(self.user.pk))
        self.since = timezone.now()
        self._known: dict[UUID, State] = {}
        self._wrote_at = 0.0

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """One query for all sockets, and two more if something has changed."""
        now = timezone.now()
        since = min(socket.since for socket in sockets) - OVERLAP
        changed = await database_sync_to_async(queries.changed_conversations)({one.user.pk for one in sockets}, since)
        news = {socket: socket.news_in(changed, now) for socket in sockets}
        to_count = {socket.user.pk for socket, rows in news.items() if rows or socket.unread is None}
        counts = await database_sync_to_async(queries.unread_counts)(to_count) if to_count else {}
        for socket, rows in news.items():
            unread = counts.get(socket.user.pk, socket.unread)
            if unread is not None and unread != socket.unread:
                await socket.send_quietly({"type": "unread", "learning": unread[0], "teaching": unread[1]})
                socket.unread = unread
            for row in rows:
                is_learner = row.learner_id == socket.user.pk
                read = row.read_by_instructor if is_learner else row.read_by_learner
                told = {"type": "conversation", "conversation": str(row.uid), "last": row.last_number, "read": read}
                await socket.send_quietly(told)

    def news_in(self, changed: list[Conversation], now: datetime) -> list[Conversation]:
        """The user's conversations that this browser has not heard of in their present state."""
        mine = [row for row in changed if self.user.pk in queries.people_in(row)]
        states = {row.uid: (row.last_number, row.read_by_learner, row.read_by_instructor) for row in mine}
        news = [row for row in mine if self._known.get(row.uid) != states[row.uid]]
        self._known, self.since = states, now
        return news

    async def handle(self, message: dict[str, Any]) -> None:
        now = time.monotonic()
        if message.get("type") != "writing" or now - self._wrote_at < WRITING_GAP:
            return
        self._wrote_at = now
        await database_sync_to_async(self._tell_of_writing)(message.get("conversation"))

    def _tell_of_writing(self, uid: object) -> None:
        try:
            row = queries.conversation_for(self.user, UUID(str(uid)))
            reading.tell_of_writing(conversation=row, user=self.user)
        except (AppError, ValueError):
            return


class TopicConsumer(Socket):
    """A topic as it changes, for signed-in readers: /ws/forum/topics/42/.

    Sends ``{"type": "topic", "last": 12, "stamp": 57}`` first and on each change: the newest number and the stamp of
    the topic (:func:`apps.forum.services.posts.stamp`). The browser, which knows the stamp of what it shows, fetches
    what is newer from the page. ``{"type": "writing"}`` says that someone else writes a reply, and the browser says it
    itself. Held posts have neither number nor stamp, so nothing tells of them.
    """

    name = "topic"
    told: live.State | None = None

    async def authorize(self) -> None:
        self.topic_id: int = self.scope["url_route"]["kwargs"]["topic"]
        await database_sync_to_async(finding.find_topic)(self.topic_id, self.user)
        self.subscribe(services.name_of(self.topic_id))
        self._wrote_at = 0.0

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """One query for all sockets, however many there are and whatever their topics."""
        states = await database_sync_to_async(live.states)({one.topic_id for one in sockets})
        for socket in sockets:
            state = states.get(socket.topic_id)
            if state is not None and state != socket.told:
                socket.told = state
                await socket.send_quietly({"type": "topic", "last": state[0], "stamp": state[1]})

    async def send_quietly(self, message: dict[str, Any]) -> None:
        if message.get("by") == self.user.pk:
            return
        await super().send_quietly({name: value for name, value in message.items() if name != "by"})

    async def handle(self, message: dict[str, Any]) -> None:
        now = time.monotonic()
        if message.get("type") != "writing" or now - self._wrote_at < WRITING_GAP:
            return
        self._wrote_at = now
        with contextlib.suppress(AppError):
            await database_sync_to_async(services.tell_of_writing)(topic_id=self.topic_id, user=self.user)
