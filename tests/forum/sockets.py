"""Browsers with a websocket of the forum."""

import asyncio
from collections.abc import Callable
from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from studyplatform.asgi import application


def open_socket(browser: Client, path: str) -> WebsocketCommunicator:
    """A websocket with the session of a browser, not connected yet."""
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME].value
    headers = [
        (b"origin", b"http://127.0.0.1"),
        (b"host", b"127.0.0.1"),
        (b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()),
    ]
    return WebsocketCommunicator(application, path, headers=headers)


def with_sockets(browsers: list[Client], path: str, story: Callable[..., Any]) -> Any:
    """Open a socket for each browser, run ``story`` with them and close them."""

    async def run() -> Any:
        sockets = []
        for browser in browsers:
            sockets.append(open_socket(browser, path))
            assert (await sockets[-1].connect(timeout=30))[0]
        try:
            return await story(*sockets)
        finally:
            for socket in sockets:
                await socket.disconnect()

    return asyncio.run(run())


def is_refused(browser: Client, path: str) -> bool:
    """Whether the handshake of a socket is refused."""

    async def run() -> bool:
        socket = open_socket(browser, path)
        is_open = (await socket.connect(timeout=30))[0]
        await socket.disconnect()
        return not is_open

    return asyncio.run(run())


async def heard(socket: WebsocketCommunicator, count: int) -> list[dict[str, Any]]:
    """The next messages of a socket."""
    return [await socket.receive_json_from(30) for _ in range(count)]
