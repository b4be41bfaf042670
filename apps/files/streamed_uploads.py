"""Read the bodies of uploads while they arrive, under ASGI.

Django's ASGI handler receives the whole body of a request before it calls a view, so that an interrupted upload would
leave nothing. Requests with a chunk of a file are therefore handled by Django's WSGI handler in threads, with the same
middleware and the same view, whose `read` returns what has arrived so far.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

from studyplatform.kit.errors import RequestStalled
from studyplatform.kit.web.body_limits import REFUSAL, App, Message, Receive, Scope, Send

UPLOADS_PATH = "/api/v1/uploads/"
MAX_CONCURRENT = 64  # requests; each waits for its client in a thread of its own
RECEIVE_TIMEOUT = 30.0  # seconds without data until the connection counts as broken
READ_AHEAD = 2**22  # bytes of one request that wait for its view
READ_AHEAD_OF_ALL = 2**26  # bytes of all requests
SAVE_TIMEOUT = 4.0  # seconds; with uvicorn's own, less than the supervisor grants


class StreamedUploads:
    """ASGI middleware: passes requests with a chunk of a file to Django by WSGI, and all others on."""

    def __init__(self, inner: App) -> None:
        self._inner = inner
        self._wsgi = WSGIMiddleware(lambda *call: _wsgi_application()(*call), workers=MAX_CONCURRENT)
        self._responses: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"PATCH", "POST"} or not scope["path"].startswith(UPLOADS_PATH) or REFUSAL in scope:
            await self._inner(scope, receive, send)
            return
        body = _Body(receive)
        response = asyncio.create_task(self._wsgi(_wsgi_scope(scope), body.receive, send))  # type: ignore[arg-type]
        self._responses.add(response)
        response.add_done_callback(self._responses.discard)
        response.add_done_callback(lambda _: body.discard())
        # In this task, so that it waits for data before the server learns of the end of the connection.
        await body.read_ahead()
        while not response.done():
            with contextlib.suppress(asyncio.CancelledError):  # by a server that stops: the view still saves
                await asyncio.shield(response)
        response.result()

    async def lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI application of the scope "lifespan": the server ends only after views have saved what has arrived.

        A server that stops cancels the requests whose clients go on sending, and would end at once.
        """
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self._responses:
            await asyncio.wait(self._responses, timeout=SAVE_TIMEOUT)
        await send({"type": "lifespan.shutdown.complete"})


class _Body:
    """A request's body, received ahead of the view that reads it.

    A server drops data that nobody waits for when the connection ends. While the view writes to the disk, this waits,
    so that what arrived before the end is kept.
    """

    _waiting_of_all = 0  # bytes

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._data: deque[bytes] = deque()
        self._size = 0
        self._has_more = True
        self._problem: Exception | None = None
        self._changed = asyncio.Event()

    async def read_ahead(self) -> None:
        """Receive until the body or the connection ends, the sender stalls, or the server stops."""
        try:
            while self._has_more:
                async with asyncio.timeout(RECEIVE_TIMEOUT):
                    message = await self._receive()
                self._add(message.get("body", b""), has_more=message.get("more_body", False))
                while self._has_more and self._is_full():
                    self._changed.clear()
                    await self._changed.wait()
        except (TimeoutError, asyncio.CancelledError, RequestStalled):
            self.stop()
        except Exception as problem:
            self._problem = problem
            self.stop()

    def stop(self) -> None:
        """Receive nothing more; what has arrived can still be read."""
        self._add(b"", has_more=False)

    def discard(self) -> None:
        """Forget what the view has not read."""
        self.stop()
        self._data.clear()
        self._count(-self._size)

    async def receive(self) -> Message:
        """The next piece that has arrived; waits until one has."""
        while self._has_more and not self._data:
            self._changed.clear()
            try:
                await self._changed.wait()
            except asyncio.CancelledError:
                self.stop()
        if self._problem and not self._data:
            raise self._problem
        body = self._data.popleft() if self._data else b""
        self._count(-len(body))
        self._changed.set()
        has_more = self._has_more or bool(self._data) or self._problem is not None
        return {"type": "http.request", "body": body, "more_body": has_more}

    def _add(self, data: bytes, *, has_more: bool) -> None:
        if data:
            self._data.append(data)
            self._count(len(data))
        self._has_more = self._has_more and has_more
        self._changed.set()

    def _count(self, difference: int) -> None:
        self._size += difference
        _Body._waiting_of_all += difference

    def _is_full(self) -> bool:
        return self._size > 0 and (self._size >= READ_AHEAD or _Body._waiting_of_all >= READ_AHEAD_OF_ALL)


@cache
def _wsgi_application() -> Callable[..., Any]:
    """Created for the first chunk: a second middleware chain that a site without uploads does not need."""
    return get_wsgi_application()


def _wsgi_scope(scope: Scope) -> Scope:
    """Remove headers with underscores, which WSGI cannot tell from those with hyphens (`X_Forwarded_For`).

    Django does so for ASGI. Also removes the query string, which no upload has.
    """
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name]
    return {**scope, "headers": headers, "query_string": b""}
