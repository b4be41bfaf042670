"""Bodies of uploads, read while they arrive.

Under ASGI, Django collects the whole body of a request before any view runs: an upload that breaks off would leave
nothing. So calls that bring a piece of a file go to Django by WSGI instead, in threads: the same middleware and the
same view, and its `read` answers what has arrived by now.
"""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

from studyplatform.kit.errors import RequestStalled
from studyplatform.kit.web.body_limits import REFUSED, App, Message, Receive, Scope, Send

UPLOADS_PATH = "/api/v1/uploads/"
MAX_CONCURRENT = 64  # pieces on their way; each waits for its sender in a thread of its own
RECEIVE_TIMEOUT = 30.0  # seconds without a byte after which the connection counts as broken


class StreamedUploads:
    """An ASGI application around Django's: takes the calls that bring a piece of a file, and hands on all others."""

    def __init__(self, inner: App) -> None:
        self._inner = inner
        self._wsgi = WSGIMiddleware(lambda *call: _wsgi_application()(*call), workers=MAX_CONCURRENT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in {"PATCH", "POST"} and scope["path"].startswith(UPLOADS_PATH) and REFUSED not in scope:
            await self._wsgi(_wsgi_scope(scope), _with_timeout(receive), send)  # type: ignore[arg-type]
        else:
            await self._inner(scope, receive, send)


@cache
def _wsgi_application() -> Callable[..., Any]:
    """Made when the first piece arrives: a second chain of middleware that a site without uploads need not load."""
    return get_wsgi_application()


def _wsgi_scope(scope: Scope) -> Scope:
    """Without headers that WSGI could not tell from others (`X_Forwarded_For`), as Django does for ASGI, and without
    a query, which no upload has."""
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name]
    return {**scope, "headers": headers, "query_string": b""}


def _with_timeout(receive: Receive) -> Receive:
    """A sender that has gone without a word, or a server that stops, ends the body like a broken connection."""

    async def receive_or_disconnect() -> Message:
        try:
            return await asyncio.wait_for(receive(), RECEIVE_TIMEOUT)
        except (TimeoutError, asyncio.CancelledError, RequestStalled):
            return {"type": "http.disconnect"}

    return receive_or_disconnect
