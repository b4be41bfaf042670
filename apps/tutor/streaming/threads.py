"""Threads for database access and retrieval, so that the event loop is never blocked."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Event, Lock
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")


LINGER = 1.0
"""Seconds for which a thread that has nothing to do keeps its connection."""


class Lane:
    """One thread, whose connection to the database stays open while calls come.

    To open a connection takes longer than most calls, and ``database_sync_to_async`` opens one for each.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, name)
        self._lock = Lock()
        self._called = Event()
        self.waiting = 0
        """Calls that have not ended."""

    async def run(self, call: Callable[[], T]) -> T:
        """Call it in the thread."""
        with self._lock:
            self.waiting += 1
        future = self._pool.submit(copy_context().run, self._call, call)
        self._called.set()
        future.add_done_callback(self._ended)
        return await asyncio.wrap_future(future)

    def _call(self, call: Callable[[], T]) -> T:
        self._called.clear()
        is_sound = False
        try:
            # A server that was restarted has closed the connection.
            connection.health_check_done = False  # type: ignore[attr-defined]
            connection.close_if_health_check_failed()
            result = call()
            is_sound = True
            return result
        finally:
            if not is_sound:
                connection.close()
            elif self.waiting <= 1:
                self._pool.submit(self._linger)

    def _linger(self) -> None:
        """Close the connection, unless a call comes within :data:`LINGER`."""
        if not self._called.wait(LINGER):
            connection.close()

    def _ended(self, _: object) -> None:  # also if it was canceled before it began
        with self._lock:
            self.waiting -= 1


# Finding passages is CPU: more threads would only wait for each other.
FINDERS = (Lane("tutor-find-1"), Lane("tutor-find-2"))
_WRITER = Lane("tutor-write")  # of its own, so that no write waits for a search or a check
_READER = Lane("tutor-read")

in_callers_thread: ContextVar[bool] = ContextVar("in_callers_thread", default=False)
"""Whether everything runs in the thread that waits for the event loop, with its connection and its transaction."""


async def to_prepare(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what searches or compares texts, in a thread."""
    lane = min(FINDERS, key=lambda one: one.waiting)
    return await _run(lane, partial(function, *args, **kwargs))


async def in_tables(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what writes a few rows, in a thread."""
    return await _run(_WRITER, partial(function, *args, **kwargs))


async def to_read(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what a socket reads or claims, in a thread."""
    return await _run(_READER, partial(function, *args, **kwargs))


async def _run(lane: Lane, call: Callable[[], T]) -> T:
    if in_callers_thread.get():
        return await sync_to_async(call)()  # it may be in a transaction: the connection stays open
    return await lane.run(call)
