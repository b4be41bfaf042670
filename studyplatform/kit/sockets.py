"""Websockets are opened by pages of this site alone."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import validate_host

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
MOST_SOCKETS = 24  # of one person, one kind and one process
SIGNED_OUT = 4401  # closed with this when the browser was signed out; pages know it (assets/site/noticesLive.ts)
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


class OwnOrigin:
    """Refuse the handshake unless the page that asks came from here: the same host and port, or one of
    ``SITE_URL`` and ``CSRF_TRUSTED_ORIGINS``. A cookie is sent to every port of a host, so the host alone says little.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"] if name in {b"origin", b"host"}}
        is_own = _is_own(headers.get(b"origin", ""), headers.get(b"host", ""), scope.get("scheme", "ws"))
        await (self.app if is_own else WebsocketDenier())(scope, receive, send)


def _is_own(origin: str, host: str, scheme: str) -> bool:
    asking = _place(origin)
    if asking is None:
        return False
    if asking in {_place(one) for one in (settings.SITE_URL, *settings.CSRF_TRUSTED_ORIGINS)}:
        return True
    name = f"[{asking[0]}]" if ":" in asking[0] else asking[0]  # as hosts of IPv6 are written
    if not validate_host(name, settings.ALLOWED_HOSTS):
        return False
    # Behind a proxy that speaks TLS the scheme here is not the page's: its own default port stands for itself.
    return asking in {_place(f"{scheme}://{host}"), _place(f"{urlsplit(origin).scheme}://{host}")}


def _place(address: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(address)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None
