"""Read the bodies of uploads while they arrive, under ASGI.

Django's ASGI handler receives the whole body of a request before it calls a view, so that an interrupted upload would
leave nothing. Requests with a chunk of a file are therefore handled by Django's WSGI handler in threads, with the same
middleware and the same view, whose `read` returns what has arrived so far.
"""

import asyncio
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


class StreamedUploads:
    """ASGI middleware: passes requests with a chunk of a file to Django by WSGI, and all others on."""

    def __init__(self, inner: App) -> None:
        self._inner = inner
        self._wsgi = WSGIMiddleware(lambda *call: _wsgi_application()(*call), workers=MAX_CONCURRENT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in {"PATCH", "POST"} and scope["path"].startswith(UPLOADS_PATH) and REFUSAL not in scope:
            await self._wsgi(_wsgi_scope(scope), _with_timeout(receive), send)  # type: ignore[arg-type]
        else:
            await self._inner(scope, receive, send)


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


def _with_timeout(receive: Receive) -> Receive:
    """End the body like a broken connection if the client sends nothing for `RECEIVE_TIMEOUT`, or the server stops."""

    async def receive_or_disconnect() -> Message:
        try:
            return await asyncio.wait_for(receive(), RECEIVE_TIMEOUT)
        except (TimeoutError, asyncio.CancelledError, RequestStalled):
            return {"type": "http.disconnect"}

    return receive_or_disconnect
