"""A websocket is opened by a page of this site, on its own port, or not at all."""

import asyncio

import pytest
from channels.testing import WebsocketCommunicator

from studyplatform.asgi import application


async def inside(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})


def is_let_in(monkeypatch, host: str, origin: str | None) -> bool:
    guard = application.application_mapping["websocket"]
    monkeypatch.setattr(guard, "app", inside)
    headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin is not None else [])]

    async def knock() -> bool:
        return (await WebsocketCommunicator(guard, "/ws/videos/", headers=headers).connect())[0]

    return asyncio.run(knock())


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("learn.example", "http://learn.example"),
        ("learn.example", "https://learn.example"),  # a proxy speaks TLS
        ("learn.example", "https://LEARN.example:443"),
        ("127.0.0.1:8001", "https://school.example"),  # a proxy that does not pass the host on: SITE_URL
        ("127.0.0.1:8001", "https://other.example:8443"),  # CSRF_TRUSTED_ORIGINS
    ],
)
def test_a_socket_accepts_pages_of_the_same_site(settings, monkeypatch, host, origin):
    settings.SITE_URL, settings.CSRF_TRUSTED_ORIGINS = "https://school.example", ["https://other.example:8443"]

    assert is_let_in(monkeypatch, host, origin)


def test_a_socket_accepts_pages_of_a_site_with_an_ipv6_address(settings, monkeypatch):
    settings.ALLOWED_HOSTS = ["[::1]"]

    assert is_let_in(monkeypatch, "[::1]:8000", "http://[::1]:8000")
    assert not is_let_in(monkeypatch, "[::1]:8000", "http://[::1]:9000")
    assert not is_let_in(monkeypatch, "[::2]:8000", "http://[::2]:8000")


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:9000"),
        ("127.0.0.1:8000", "http://127.0.0.1"),
        ("learn.example", "https://evil.example"),
        ("learn.example", "https://school.example:8443"),
        ("learn.example", "null"),
        ("learn.example", "http://learn.example:99999"),
        ("learn.example", "file://"),
        ("learn.example", ""),
        ("learn.example", None),
    ],
)
def test_a_socket_refuses_pages_of_other_sites(settings, monkeypatch, host, origin):
    settings.SITE_URL, settings.CSRF_TRUSTED_ORIGINS = "https://school.example", []

    assert not is_let_in(monkeypatch, host, origin)


def test_a_socket_refuses_an_unknown_host(settings, monkeypatch):
    settings.ALLOWED_HOSTS = ["learn.example"]

    assert not is_let_in(monkeypatch, "evil.example", "https://evil.example")
