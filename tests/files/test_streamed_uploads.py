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


class Server:
    """A connection of uvicorn's behavior: it drops what nobody waits for when the connection ends."""

    def __init__(self) -> None:
        self._next: asyncio.Future[Any] | None = None
        self.dropped = 0

    async def receive(self) -> Any:
        self._next = asyncio.get_running_loop().create_future()
        return await self._next

    async def deliver(self, message: Any) -> None:
        if self._next is None or self._next.done():
            self.dropped += 1
        else:
            self._next.set_result(message)
        await asyncio.sleep(0)


def test_bytes_that_arrive_while_the_view_is_busy_are_kept() -> None:
    """The view writes to the disk when the last bytes and the end of the connection arrive."""

    async def scenario() -> tuple[int, list[Any]]:
        server = Server()
        body = streamed_uploads._Body(server.receive)
        reading = asyncio.create_task(body.read_ahead())
        await asyncio.sleep(0)
        for message in (part(b"one ", more=True), part(b"two", more=True), {"type": "http.disconnect"}):
            await server.deliver(message)
        await reading
        return server.dropped, [await body.receive(), await body.receive()]

    dropped, (first, last) = asyncio.run(scenario())

    assert dropped == 0
    assert (first["body"], first["more_body"]) == (b"one ", True)
    assert (last["body"], last["more_body"]) == (b"two", False)


def test_a_slow_disk_slows_the_client_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed_uploads, "READ_AHEAD", 8)

    async def scenario() -> tuple[int, bytes, int]:
        received = 0

        async def receive() -> Any:
            nonlocal received
            received += 1
            await asyncio.sleep(0)
            return part(b"1234", more=received < 5)

        body = streamed_uploads._Body(receive)
        reading = asyncio.create_task(body.read_ahead())
        for _ in range(20):
            await asyncio.sleep(0)
        ahead, read = received, b""
        while (message := await body.receive())["more_body"]:
            read += message["body"]
        await reading
        return ahead, read + message["body"], streamed_uploads._Body._waiting_of_all

    ahead, read, waiting = asyncio.run(scenario())

    assert ahead == 2
    assert read == b"1234" * 5
    assert waiting == 0


def test_a_stopping_server_waits_until_views_have_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn cancels the request of a client that continues to send, and ends after the scope "lifespan"."""
    saved: list[bytes] = []

    def save(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        saved.append(environ["wsgi.input"].read())
        start_response("204 No Content", [])
        return []

    monkeypatch.setattr(streamed_uploads, "_wsgi_application", lambda: save)

    async def scenario() -> list[Any]:
        waiting = [part(b"half", more=True)]

        async def receive() -> Any:
            return waiting.pop() if waiting else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message["type"])

        async def inner(*_: Any) -> None:
            raise AssertionError

        async def receive_lifespan() -> Any:
            return {"type": "lifespan"}

        sent: list[str] = []
        uploads = streamed_uploads.StreamedUploads(inner)
        request = asyncio.create_task(uploads(scope_of("PATCH"), receive, send))  # type: ignore[arg-type]
        await asyncio.sleep(0.05)
        request.cancel()
        await uploads.lifespan({}, receive_lifespan, send)
        assert saved == [b"half"]
        return sent

    assert asyncio.run(scenario())[-1] == "lifespan.shutdown.complete"
