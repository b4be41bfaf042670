"""The hub of all websockets: who may open one, how many, when they close, and how a message reaches them.

The tables are the truth. Each second a process reads them once for all its sockets (:meth:`Socket.refresh`), so a
socket is right with any number of web and worker processes, and nothing is lost when one of them is killed.
:func:`publish` and :func:`wake` make it faster: they reach the sockets of all processes through the channel layer if
``REDIS_URL`` is set, and the sockets of this process otherwise.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.layers import InMemoryChannelLayer, get_channel_layer
from django.db import transaction

from studyplatform.kit.errors import AppError

logger = logging.getLogger(__name__)

MAX_SOCKETS = 24  # per user, class of socket and process
SIGNED_OUT = 4401  # close code: the session has ended; pages know it (assets/site/notificationSocket.ts)
BAD_MESSAGE = 4400  # close code: the browser sent something else than a JSON object
TOO_MANY_MESSAGES = 4429  # close code: the browser sent more than `MESSAGES_PER_SECOND` for a while
MESSAGES_PER_SECOND = 4.0  # of a user, over all sockets of a process; no page sends more than one in two seconds
MAX_MESSAGES_AT_ONCE = 60  # a page that reconnects asks for all that it shows
MAX_MESSAGE_LENGTH = 4_096  # characters
MAX_BUDGETS = 1_000  # users whose budgets are kept before full ones are forgotten
REFRESH_EVERY = 1.0  # seconds
REFRESH_GAP = 0.1  # seconds between two refreshes, however often the hub is woken
SEND_TIMEOUT = 2.0  # seconds for a message to leave, before the socket counts as dead
RECONNECT_AFTER = 5.0  # seconds until the hub subscribes to a channel layer again that failed
GROUP = "sockets"  # the group of the channel layer to which every process belongs


class Socket(AsyncJsonWebsocketConsumer):
    """A websocket of a signed-in user; the base class of all consumers.

    Refuses visitors, blocked users and more than :data:`MAX_SOCKETS` of a user. Closes with :data:`SIGNED_OUT` when the
    browser's session ends or the user is blocked. A subclass overrides what it needs: :meth:`authorize`,
    :meth:`refresh`, :meth:`handle`.
    """

    name: ClassVar[str] = ""  # for wake()
    # No channel of its own: the hub has one for all. Otherwise nobody could connect while Redis doesn't answer.
    channel_layer_alias = "none"
    is_open = False

    async def connect(self) -> None:
        user, session = self.scope.get("user"), self.scope.get("session")
        if user is None or not user.is_active or not session.session_key:  # visitors are never active
            await self.close()  # before accept(): the handshake is refused with 403
            return
        self.user, self.session_key = user, session.session_key
        self.topics: set[str] = set()
        hub = current_hub()
        if not hub.add(self):
            await self.close()
            return
        try:
            await self.authorize()
            await self.accept()
        except AppError:
            hub.discard(self)
            await self.close()
            return
        except BaseException:
            hub.discard(self)
            raise
        self.is_open = True
        hub.wake()

    async def disconnect(self, code: int) -> None:
        self.is_open = False
        current_hub().discard(self)

    async def authorize(self) -> None:
        """Called before the handshake ends: subscribe to topics, or raise an AppError to refuse."""

    @classmethod
    async def refresh(cls, sockets: "list[Self]") -> None:
        """Read the tables and send what is new to these sockets of the class. Called at least every second."""

    async def handle(self, message: dict[str, Any]) -> None:
        """A JSON object from the browser. Without an override, incoming messages are ignored."""

    def subscribe(self, topic: str) -> None:
        """Receive what is published to this topic. Check the policy first."""
        self.topics.add(topic)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **_: Any) -> None:
        if not current_hub().admit_message(self.user.pk):
            await self.close(code=TOO_MANY_MESSAGES)
            return
        if type(self).handle is Socket.handle:
            return
        try:
            message = json.loads(text_data or "") if len(text_data or "") <= MAX_MESSAGE_LENGTH else None
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            await self.close(code=BAD_MESSAGE)
            return
        await self.handle(message)

    async def send_quietly(self, message: dict[str, Any]) -> None:
        """Send to a socket that may have closed, or whose browser no longer reads: neither may hold up the others.

        A browser that went away without a word leaves a full buffer, and a send that waits for minutes.
        """
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                await self.send_json(message)
        except TimeoutError:
            current_hub().end(self)
        except Exception:  # noqa: S110 (it has just closed)
            pass


def publish(topic: str, message: dict[str, Any]) -> None:
    """Send a JSON message to every socket that subscribed to the topic, once the transaction has committed.

    A message may be lost (Redis is down, a process restarts): what matters must be in a table that ``refresh`` reads.
    """
    _after_commit({"topic": topic, "message": message})


def wake(name: str) -> None:
    """Refresh the sockets of this class now instead of within a second, once the transaction has committed."""
    _after_commit({"wake": name})


def _after_commit(event: dict[str, Any]) -> None:
    transaction.on_commit(lambda: _broadcast(event), robust=True)


def _broadcast(event: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is not None and not isinstance(layer, InMemoryChannelLayer):
        async_to_sync(layer.group_send)(GROUP, {"type": "socket.event", **event})
        return
    # The in-memory layer does not reach other threads, and pages run in threads.
    for loop, hub in list(_hubs.items()):
        with contextlib.suppress(RuntimeError):  # a loop that has just closed
            loop.call_soon_threadsafe(hub.dispatch, event)


UsersOfSessions = Callable[[set[str]], dict[str, Any]]
_session_readers: list[UsersOfSessions] = []


def register_session_reader(reader: UsersOfSessions) -> UsersOfSessions:
    """Tell the hub how to read sessions: ``reader(session_keys)`` returns the user id of each that is still valid."""
    _session_readers[:] = [reader]
    return reader


class Hub:
    """The sockets of one process (of one event loop), and the task that keeps them up to date."""

    def __init__(self) -> None:
        self.sockets: set[Socket] = set()
        self._woken = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # asyncio itself holds tasks only weakly
        self._budgets: dict[Any, tuple[float, float]] = {}
        """By user: how many messages they may send at once, and when that was."""

    def add(self, socket: Socket) -> bool:
        """Take a socket in, unless its user has too many of its class."""
        same = [one for one in self.sockets if one.user.pk == socket.user.pk and type(one) is type(socket)]
        if len(same) >= MAX_SOCKETS:
            return False
        self.sockets.add(socket)
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        return True

    def discard(self, socket: Socket) -> None:
        self.sockets.discard(socket)
        if len(self._budgets) > MAX_BUDGETS:  # a new connection must not be a new budget
            self._budgets = {key: it for key, it in self._budgets.items() if self._budget(key) < MAX_MESSAGES_AT_ONCE}

    def admit_message(self, user_id: Any) -> bool:
        """Count a message of a user; False if there are too many (a token bucket)."""
        left = self._budget(user_id)
        self._budgets[user_id] = (max(0.0, left - 1), time.monotonic())
        return left >= 1

    def _budget(self, user_id: Any) -> float:
        left, at = self._budgets.get(user_id, (float(MAX_MESSAGES_AT_ONCE), 0.0))
        return min(float(MAX_MESSAGES_AT_ONCE), left + (time.monotonic() - at) * MESSAGES_PER_SECOND)

    def wake(self) -> None:
        self._woken.set()

    def dispatch(self, event: dict[str, Any]) -> None:
        """Handle what :func:`publish` or :func:`wake` sent. Runs in the hub's event loop."""
        if "wake" in event:
            if any(socket.name == event["wake"] for socket in self.sockets):
                self.wake()
            return
        for socket in [one for one in self.sockets if one.is_open and event["topic"] in one.topics]:
            self._start(socket.send_quietly(event["message"]))

    def end(self, socket: Socket, code: int | None = None) -> None:
        """Close a socket, without waiting for a browser that no longer reads."""
        self.discard(socket)
        if socket.is_open:
            socket.is_open = False
            self._start(_close(socket, code))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        listener = asyncio.create_task(self._listen())
        try:
            while self.sockets and not _is_cancelled():
                self._woken.clear()
                await self._refresh()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), REFRESH_EVERY)
                await asyncio.sleep(min(REFRESH_GAP, REFRESH_EVERY))
        finally:
            listener.cancel()

    async def _refresh(self) -> None:
        try:
            await self._close_ended()
        except Exception:  # the database does not answer: try again at the next refresh
            logger.exception("Reading the sessions of websockets failed")
            return
        by_class: dict[type[Socket], list[Any]] = {}
        for socket in self.sockets:
            if socket.is_open:
                by_class.setdefault(type(socket), []).append(socket)
        for kind, sockets in by_class.items():
            try:
                await kind.refresh(sockets)
            except Exception:
                logger.exception("Refreshing the sockets of %s failed", kind.__name__)

    async def _close_ended(self) -> None:
        opened = [socket for socket in self.sockets if socket.is_open]
        users = await database_sync_to_async(_session_readers[0])({socket.session_key for socket in opened})
        for socket in opened:
            if users.get(socket.session_key) != socket.user.pk:
                self.end(socket, SIGNED_OUT)

    async def _listen(self) -> None:
        """Pass on what other processes publish, where a channel layer connects them."""
        layer = get_channel_layer()
        if layer is None or isinstance(layer, InMemoryChannelLayer):
            return
        while not _is_cancelled():
            try:
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
                while not _is_cancelled():
                    self.dispatch(await layer.receive(channel))
            except Exception:  # Redis does not answer: the refresh each second continues
                logger.warning("The channel layer failed; subscribing again", exc_info=True)
            await asyncio.sleep(RECONNECT_AFTER)


def _is_cancelled() -> bool:
    """Whether the running task was cancelled: asgiref, while the database answers, and ``asyncio.wait_for`` of Python
    3.11 swallow the exception, and a loop that went on would keep its process from ending.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _close(socket: Socket, code: int | None) -> None:
    with contextlib.suppress(Exception):
        await socket.close(code=code)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def current_hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]
