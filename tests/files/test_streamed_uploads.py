"""Request bodies that are read while they arrive, and stalled senders. test_killed_server tests a real server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from apps.files import streamed_uploads
from studyplatform.kit.errors import RequestStalled
from studyplatform.kit.web.body_limits import REFUSAL

UPLOADS_PATH = "/api/v1/uploads/5f0c5c2e-0000-4000-8000-000000000000/"


def scope_of(method: str, path: str = UPLOADS_PATH, headers: list[tuple[bytes, bytes]] | None = None) -> dict[str, Any]:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"a=%C3%A4&\xff",
        "headers": headers or [],
        "http_version": "1.1",
    }


@pytest.fixture(autouse=True)
def _echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace Django by an application that returns the received body."""

    def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        start_response("200 OK", [])
        proxy = environ.get("HTTP_X_FORWARDED_FOR", "")
        return [json.dumps([environ["wsgi.input"].read().decode(), proxy]).encode()]

    monkeypatch.setattr(streamed_uploads, "_wsgi_application", lambda: echo)


def call(scope: dict[str, Any], *messages: Any) -> Any:
    """Return the response, or "inner" if the request was passed on. A message may be an exception or a pause."""
    said: list[bytes] = []
    waiting = list(messages)

    async def receive() -> Any:
        message = waiting.pop(0)
        if isinstance(message, Exception):
            raise message
        if isinstance(message, float):
            await asyncio.sleep(message)
            message = {"type": "http.request", "body": b"too late"}
        return message

    async def send(message: Any) -> None:
        said.append(message.get("body", b""))

    async def inner(*_: Any) -> None:
        said.append(b'"inner"')

    run: Callable[..., Awaitable[None]] = streamed_uploads.StreamedUploads(inner)
    asyncio.run(run(scope, receive, send))  # type: ignore[arg-type]
    return json.loads(b"".join(said))


def part(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.mark.parametrize(
    "scope",
    [
        scope_of("GET"),
        scope_of("HEAD"),
        scope_of("DELETE"),
        scope_of("POST", "/auth/login"),
        scope_of("PATCH", "/api/v1/videos/"),
        {**scope_of("PATCH"), REFUSAL: RequestStalled()},
    ],
)
def test_other_requests_are_passed_on(scope: dict[str, Any]) -> None:
    assert call(scope) == "inner"


@pytest.mark.parametrize("method", ["PATCH", "POST"])
def test_chunks_are_read_while_they_arrive(method: str) -> None:
    assert call(scope_of(method), part(b"one ", more=True), part(b"two", more=False)) == ["one two", ""]


@pytest.mark.parametrize("end", [{"type": "http.disconnect"}, RequestStalled(), 5.0], ids=["cut", "stalled", "silent"])
def test_bytes_received_before_the_sender_stalled_are_read(end: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed_uploads, "RECEIVE_TIMEOUT", 0.05)

    assert call(scope_of("PATCH"), part(b"half", more=True), end) == ["half", ""]


def test_a_header_that_wsgi_would_confuse_with_another_is_dropped() -> None:
    headers = [(b"x_forwarded_for", b"6.6.6.6"), (b"x-forwarded-for", b"1.1.1.1")]

    assert call(scope_of("PATCH", headers=headers), part(b"", more=False)) == ["", "1.1.1.1"]
