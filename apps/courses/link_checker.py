"""Ask other sites whether an address still leads somewhere: politely, and never inside the operator's own network.

A name is resolved here, its addresses must be public, and the connection goes to what was resolved, so that a name
which resolves differently a moment later leads nowhere else. Each redirect is checked alike. Nothing of an answer is
read but its status and headers.
"""

import asyncio
import hashlib
import ipaddress
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from apps.courses.external_video import Host, stored_video
from apps.courses.models import LinkCheck

MAX_REDIRECTS = 5
REQUEST_SECONDS = 10.0
"""For a whole request, so that a site which answers a letter at a time holds nothing up."""
REDIRECT_SECONDS = 15.0
"""From the first request for an address to the last redirect that is followed."""
HOST_PAUSE_SECONDS = 1.0
"""Between two requests to the same host."""
_PORTS = {"http": 80, "https": 443}
_OEMBED = {
    Host.YOUTUBE: "https://www.youtube.com/oembed?format=json&url=",
    Host.VIMEO: "https://vimeo.com/api/oembed.json?url=",
}

State = LinkCheck.State
Answer = tuple[int, dict[str, str]]
"""The status, and the headers with their names in lower case."""
Ask = Callable[[str], Answer]


class Unreachable(Exception):
    """Nothing answered."""


class ForbiddenTarget(Exception):
    """The address leads into a private network, or somewhere that is no website.

    ``is_certain``: its text alone says so. Otherwise a network whose every name leads to a page to sign in looks alike.
    """

    def __init__(self, *, is_certain: bool = False) -> None:
        super().__init__()
        self.is_certain = is_certain


@dataclass(frozen=True)
class Outcome:
    """What a check found. ``is_answered``: a website answered, so that our own network works."""

    state: str
    status: int | None = None
    detail: str = ""
    is_final: bool = True
    """Whether it counts at once; otherwise the address is asked again before it is called dead."""
    is_answered: bool = True
    needs_network: bool = True
    """Whether it says nothing while our own network is down."""
    wait_seconds: int = 0
    """How long the site asks us to wait."""


def digest_of(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


def check_address(address: str, ask: Ask) -> Outcome:
    """Return whether an address that a course links or plays leads somewhere."""
    video = stored_video(address)
    if video is not None and video.host in _OEMBED:
        return _check(_OEMBED[video.host] + quote(video.address.partition("#")[0], safe=""), ask, is_embed=True)
    return _check(address.partition("#")[0], ask, is_file=video is not None)


def _check(address: str, ask: Ask, *, is_embed: bool = False, is_file: bool = False) -> Outcome:
    try:
        status, headers = _follow(address, ask)
    except ForbiddenTarget as found:
        return Outcome(
            State.DEAD,
            detail=_("Learners can't reach this host."),
            is_final=found.is_certain,
            is_answered=False,
            needs_network=not found.is_certain,
        )
    except Unreachable:
        return Outcome(State.DEAD, detail=_("Its site doesn't answer."), is_final=False, is_answered=False)
    if 200 <= status < 300:
        if is_file and headers.get("content-type", "").startswith("text/html"):
            return Outcome(State.DEAD, status, _("It leads to a page, not to a video file."))
        return Outcome(State.ALIVE, status)
    if is_embed and status in {401, 403}:
        return Outcome(State.DEAD, status, _("Its owner doesn't allow it on other sites, or it is private."))
    if status in {404, 410} or (is_embed and status == 400):
        words = _("The video was removed or is private.") if is_embed else _("There is no such page.")
        return Outcome(State.DEAD, status, words, is_final=False)
    if status >= 500 and status != 503:
        return Outcome(State.UNSURE, status, _("Its site has an error."), is_final=False)
    wait = headers.get("retry-after", "")
    return Outcome(
        State.UNSURE,
        status,
        _("Its site doesn't let programs check it (%(status)d).") % {"status": status},
        wait_seconds=min(int(wait), 86_400) if wait.isdecimal() else 0,
    )


def _follow(address: str, ask: Ask) -> Answer:
    end = time.monotonic() + REDIRECT_SECONDS
    for hop in range(MAX_REDIRECTS + 1):
        try:
            status, headers = ask(address)
        except ForbiddenTarget as found:
            raise ForbiddenTarget(is_certain=found.is_certain and hop == 0) from None
        target = headers.get("location", "")
        if status not in {301, 302, 303, 307, 308} or not target:
            return status, headers
        try:
            address = urljoin(address, target)
        except ValueError:
            raise Unreachable from None
        if time.monotonic() > end:
            break
    raise Unreachable


def public_address(parts: SplitResult) -> str:
    """Return an IP address of the host, if all of its addresses are public.

    :raises ForbiddenTarget: one isn't, or the URL has another scheme or port, or a user name.
    :raises Unreachable: the name isn't known.
    """
    try:
        port = parts.port
    except ValueError:
        raise ForbiddenTarget(is_certain=True) from None
    is_website = parts.scheme in _PORTS and port in {None, _PORTS.get(parts.scheme)}
    if not is_website or "@" in parts.netloc or not parts.hostname:
        raise ForbiddenTarget(is_certain=True)
    try:
        found = socket.getaddrinfo(parts.hostname, _PORTS[parts.scheme], type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unreachable from None
    addresses = [str(one[4][0]) for one in found]
    if not addresses or not all(_is_public(one) for one in addresses):
        raise ForbiddenTarget(is_certain=_is_number(parts.hostname))
    return addresses[0]


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else ip)
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


class WebClient:
    """Asks for addresses one after the other, each host at most once a second."""

    def __init__(self) -> None:
        self._httpx = import_module("httpx")  # only in the worker that checks links
        self._context = self._httpx.create_ssl_context(trust_env=False)
        self._asked: dict[str, float] = {}

    def ask(self, address: str) -> Answer:
        """Return the status and the headers. The body isn't read.

        :raises ForbiddenTarget: as :func:`public_address`.
        :raises Unreachable: nothing answers.
        """
        try:
            parts = urlsplit(address)
        except ValueError:
            raise ForbiddenTarget(is_certain=True) from None
        ip = public_address(parts)
        host = parts.hostname or ""
        self._pause(host)
        shown = f"[{ip}]" if ":" in ip else ip
        target = parts._replace(netloc=f"{shown}:{_PORTS[parts.scheme]}", fragment="").geturl()
        headers = {
            "Host": host,
            "User-Agent": f"{settings.SITE_NAME} link check (+{settings.SITE_URL})",
            "Accept": "*/*",
            "Range": "bytes=0-0",
        }
        try:
            return asyncio.run(self._request(target, headers, host))
        except (self._httpx.HTTPError, self._httpx.InvalidURL, TimeoutError, ValueError):
            raise Unreachable from None

    async def _request(self, target: str, headers: dict[str, str], host: str) -> Answer:
        options: dict[str, Any] = {"verify": self._context, "timeout": REQUEST_SECONDS, "trust_env": False}
        async with asyncio.timeout(REQUEST_SECONDS), self._httpx.AsyncClient(**options) as client:
            extensions = {"sni_hostname": host}
            async with client.stream("GET", target, headers=headers, extensions=extensions) as answer:
                return answer.status_code, {name.lower(): value for name, value in answer.headers.items()}

    def _pause(self, host: str) -> None:
        wait = self._asked.get(host, float("-inf")) + HOST_PAUSE_SECONDS - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        self._asked[host] = time.monotonic()
