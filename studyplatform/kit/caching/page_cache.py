"""Whole pages that every visitor sees alike, kept in this process while nothing they show has changed."""

import struct
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from operator import itemgetter
from typing import Any, Concatenate, ParamSpec
from urllib.parse import parse_qsl

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from studyplatform.kit.caching import table_versions
from studyplatform.kit.caching.lru import Kept
from studyplatform.kit.web import announcements

P = ParamSpec("P")
SECONDS = 60
LONGEST_QUERY = 300


def same_for_visitors(version: str = "") -> Callable[..., Any]:
    """Mark a page: for whoever is not signed in it depends on its address and on this version alone.

    ``version`` is one of ``versions``; "" for a page that no change of data touches.
    """

    def decorate(
        page: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(page)
        def marked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            # Before anything is read: what changes meanwhile makes the page old, not wrong.
            value = table_versions.current(version) if version else ""
            response = page(request, *args, **kwargs)
            response.same_for_visitors = (version, value)  # type: ignore[attr-defined]
            return response

        return marked

    return decorate


@dataclass(frozen=True)
class _Page:
    """A page cut where its nonce stood."""

    pieces: tuple[bytes, ...]
    headers: Mapping[str, str]
    version: str
    value: str
    until: float

    @property
    def weight(self) -> int:
        return sum(map(len, self.pieces)) + 2_000

    @cached_property
    def packed(self) -> tuple[bytes, ...]:
        """The pieces, each deflated by itself up to the border of a byte, so that others may stand between."""
        packed = []
        for piece in self.pieces:
            packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
            packed.append(packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH))
        return tuple(packed)

    def is_good(self) -> bool:
        """Whether it still tells what is."""
        if self.until < time.monotonic():
            return False
        return not self.version or self.value == table_versions.current(self.version)

    def answer(self, request: HttpRequest) -> HttpResponse:
        nonce = str(request.csp_nonce).encode() if len(self.pieces) > 1 else b""  # type: ignore[attr-defined]
        body = nonce.join(self.pieces)
        is_packed = "gzip" in request.headers.get("Accept-Encoding", "")
        response = HttpResponse(_gzip(self.packed, nonce, body) if is_packed else body)
        for name, value in self.headers.items():
            response.headers[name] = value
        if is_packed:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.content))
        patch_vary_headers(response, ["Accept-Encoding"])
        return response


def _gzip(packed: tuple[bytes, ...], nonce: bytes, body: bytes) -> bytes:
    """The pieces with the nonce between them as one gzip stream: the nonce as a block that is not packed."""
    block = struct.pack("<BHH", 0, len(nonce), len(nonce) ^ 0xFFFF) + nonce
    head, end = b"\x1f\x8b\x08\0\0\0\0\0\0\xff", struct.pack("<BHH", 1, 0, 0xFFFF)
    return head + block.join(packed) + end + struct.pack("<II", zlib.crc32(body), len(body) & 0xFFFFFFFF)


_pages: Kept[_Page] = Kept(32_000_000, weigh=lambda page: page.weight)  # bytes


class VisitorPagesMiddleware:
    """Answers visitors with a page that was made for another, when a view says that it is the same for all.

    A visitor is who carries neither a session nor a message; all others always get a page of their own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in {"GET", "HEAD"}:
            return self.get_response(request)
        with table_versions.steady():
            if request.method == "HEAD" or not settings.VISITOR_PAGES or _is_somebody(request):
                return self.get_response(request)
            key = _key(request)
            known = _pages.get(key)
            if known is not None and known.is_good():
                return known.answer(request)
            response = self.get_response(request)
            page = _cut(request, response)
            if page is not None:
                _pages.put(key, page)
            return response


def _is_somebody(request: HttpRequest) -> bool:
    query = request.META.get("QUERY_STRING", "")
    return (
        settings.SESSION_COOKIE_NAME in request.COOKIES
        or "messages" in request.COOKIES
        or "HTTP_AUTHORIZATION" in request.META
        or len(query) > LONGEST_QUERY
    )


def _key(request: HttpRequest) -> tuple[object, ...]:
    query = request.META.get("QUERY_STRING", "")
    # The same parameters in another order ask for the same page; but of one that is given twice, the last may count.
    asked = tuple(sorted(parse_qsl(query, keep_blank_values=True), key=itemgetter(0))) if query else ()
    return (
        announcements.stamp(),
        request.scheme,
        request.META.get("HTTP_HOST"),
        request.path_info,
        asked,
        translation.get_language(),
    )


def _cut(request: HttpRequest, response: HttpResponseBase) -> _Page | None:
    """The answer as a page for all, if it is one."""
    version, value = getattr(response, "same_for_visitors", ("", None))
    if value is None or response.status_code != 200 or response.cookies or not isinstance(response, HttpResponse):
        return None
    nonce = getattr(request, "_csp_nonce", None)  # where django-csp keeps the one it has given
    pieces = tuple(response.content.split(nonce.encode())) if nonce else (response.content,)
    return _Page(pieces, dict(response.headers), version, value, time.monotonic() + SECONDS)
