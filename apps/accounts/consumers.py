"""What is new for a person, as it happens: /ws/notifications/."""

import asyncio
import contextlib
import logging
from typing import Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.utils import timezone

from apps.accounts import queries
from apps.accounts.models import User
from studyplatform.kit.sockets import MOST_SOCKETS, SIGNED_OUT

logger = logging.getLogger(__name__)

EVERY = 1.0  # seconds between two looks at the tables


class NotificationsConsumer(AsyncJsonWebsocketConsumer):
    """Says ``{"type": "unread", "unread": 3}`` at first and when it changes, with ``notice`` if something is new.

    Ended with 4401 when the browser is signed out, anywhere, or its person blocked.
    """

    unread: int | None = None
    newest = 0

    async def connect(self) -> None:
        user, session = self.scope.get("user"), self.scope.get("session")
        if not isinstance(user, User) or not user.is_active or not session.session_key:
            await self.close()  # before it is accepted: the handshake is refused
            return
        self.user_id, self.session_key = user.pk, session.session_key
        if not _hub().has_place(self):
            await self.close()
            return
        await self.accept()
        _hub().join(self)

    async def disconnect(self, code: int) -> None:
        _hub().leave(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **_: Any) -> None:
        """Nothing is asked through this socket."""


class Hub:
    """Looks at the tables for all sockets of this process together: two small queries a second however many there
    are. So it is right with any number of web and worker processes, and nothing is lost when one is killed."""

    def __init__(self) -> None:
        self.sockets: set[NotificationsConsumer] = set()
        self._task: asyncio.Task[None] | None = None

    def has_place(self, socket: NotificationsConsumer) -> bool:
        return sum(one.user_id == socket.user_id for one in self.sockets) < MOST_SOCKETS

    def join(self, socket: NotificationsConsumer) -> None:
        self.sockets.add(socket)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())

    def leave(self, socket: NotificationsConsumer) -> None:
        self.sockets.discard(socket)

    async def _watch(self) -> None:
        while self.sockets:
            try:
                await self._look()
            except Exception:
                logger.exception("Looking for notifications failed")
            await asyncio.sleep(EVERY)

    async def _look(self) -> None:
        sockets = list(self.sockets)
        keys = {socket.session_key for socket in sockets}
        present, states = await database_sync_to_async(_read)(keys)
        fresh: dict[int, int] = {}
        for socket in sockets:
            if present.get(socket.session_key) != socket.user_id:
                self.leave(socket)
                await _quietly(socket.close(code=SIGNED_OUT))
                continue
            unread, newest = states.get(socket.user_id, (0, 0))
            if newest > socket.newest and socket.unread is not None:
                fresh[socket.user_id] = newest
        notices = await database_sync_to_async(_notices)(list(fresh.values())) if fresh else {}
        for socket in sockets:
            if socket not in self.sockets:
                continue
            unread, newest = states.get(socket.user_id, (0, 0))
            is_new = socket.unread is not None and newest > socket.newest
            if socket.unread != unread or is_new:
                notice = notices.get(newest) if is_new else None
                message = {"type": "unread", "unread": unread} | ({"notice": notice} if notice else {})
                await _quietly(socket.send_json(message))
            socket.unread, socket.newest = unread, max(newest, socket.newest)


async def _quietly(sending: Any) -> None:
    """A socket that has just gone away is no reason to fail the others."""
    with contextlib.suppress(Exception):
        await sending


def _read(keys: set[str]) -> tuple[dict[str, int], dict[int, tuple[int, int]]]:
    present = queries.people_of_sessions(keys, now=timezone.now())
    return present, queries.unread_states(set(present.values()))


def _notices(pks: list[int]) -> dict[int, dict[str, str]]:
    return {
        pk: {"uid": str(notice.uid), "headline": notice.headline, "link": notice.link}
        for pk, notice in queries.notices_by_pk(pks).items()
    }


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def _hub() -> Hub:
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
