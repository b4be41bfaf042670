"""Where the tables are read and written, and passages found, so that the event loop goes on."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")
_FINDERS = ThreadPoolExecutor(2, "tutor-find")  # finding passages is CPU: more threads would only wait for each other
_WRITERS = ThreadPoolExecutor(1, "tutor-write")  # of its own, so that no write waits for a search

in_callers_thread: ContextVar[bool] = ContextVar("in_callers_thread", default=False)
"""Whether everything runs in the thread that waits for the event loop, with its connection and its transaction."""


async def to_prepare(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what searches, in a thread."""
    return await _run(_FINDERS, function, *args, **kwargs)


async def in_tables(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what reads or writes a few rows, in a thread."""
    return await _run(_WRITERS, function, *args, **kwargs)


async def in_open_tables(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what writes several times a second, as :func:`in_tables`, but leave the connection open: opening one costs
    more than the write. The next call of ``in_tables`` closes it."""
    if in_callers_thread.get():
        return await sync_to_async(function)(*args, **kwargs)
    return await sync_to_async(_leave_open, thread_sensitive=False, executor=_WRITERS)(function, *args, **kwargs)


def _leave_open(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return function(*args, **kwargs)
    except Exception:
        connection.close()  # the next write gets a new one
        raise


async def _run(pool: ThreadPoolExecutor, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    if in_callers_thread.get():
        called = sync_to_async(function)  # it may be in a transaction: the connection stays open
    else:
        called = database_sync_to_async(function, thread_sensitive=False, executor=pool)
    result: T = await called(*args, **kwargs)
    return result
