"""Which pages may open a websocket here."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import validate_host

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


class OwnOrigin:
    """Refuse the handshake of a page from another site.

    Allowed are the host and port of the request, ``SITE_URL`` and ``CSRF_TRUSTED_ORIGINS``. The port counts, because
    browsers send cookies to every port of a host.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"] if name in {b"origin", b"host"}}
        is_own = is_own_origin(headers.get(b"origin", ""), headers.get(b"host", ""), scope.get("scheme", "ws"))
        await (self.app if is_own else WebsocketDenier())(scope, receive, send)


def is_own_origin(origin: str, host: str, scheme: str) -> bool:
    """Whether a page of this origin may open a websocket to this host.

    ``origin`` and ``host`` are the request's headers, ``scheme`` is ``ws`` or ``wss``.
    """
    page = _address(origin)
    if page is None:
        return False
    if page in {_address(one) for one in (settings.SITE_URL, *settings.CSRF_TRUSTED_ORIGINS)}:
        return True
    name = f"[{page[0]}]" if ":" in page[0] else page[0]  # hosts write IPv6 addresses in brackets
    if not validate_host(name, settings.ALLOWED_HOSTS):
        return False
    # Behind a TLS proxy the scheme is http here and https in the page, so their default ports differ: compare both.
    return page in {_address(f"{scheme}://{host}"), _address(f"{urlsplit(origin).scheme}://{host}")}


def _address(url: str) -> tuple[str, int] | None:
    """Host and port; None if there is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None
