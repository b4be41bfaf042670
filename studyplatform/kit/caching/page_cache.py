"""Whole pages that every visitor sees alike, cached in this process until something they show changes."""

import gzip
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
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
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.web import announcements

P = ParamSpec("P")
SECONDS = 60
_values: ContextVar[dict[str, str | None] | None] = ContextVar("page_cache_values", default=None)
LONGEST_QUERY = 300  # characters


def cache_for_visitors(version: str = "") -> Callable[..., Any]:
    """Mark a page that is the same for everyone who is not signed in: it depends on its URL and this version only.

    ``version`` is a name of ``table_versions``; "" for a page that shows no data. What the page shows beside it calls
    :func:`depends_on`.
    """

    def decorate(
        page: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(page)
        def marked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            # Read the version before the data: a change in between makes the cached page outdated, never wrong.
            values = {version: table_versions.current(version)} if version else {}
            token = _values.set(values)
            try:
                response = page(request, *args, **kwargs)
            finally:
                _values.reset(token)
            response.cache_for_visitors = values  # type: ignore[attr-defined]
            return response

        return marked

    return decorate


def depends_on(version: str, value: str | None) -> None:
    """Say that the page which is being made shows data of this value of another version. It costs no query.

    With None, the page is not cached.
    """
    values = _values.get()
    if values is not None:
        values[version] = value if values.get(version, value) == value else None


@dataclass(frozen=True)
class _Page:
    body: bytes
    headers: Mapping[str, str]
    values: Mapping[str, str]
    """Of the versions on which it depends."""
    valid_until: float

    @property
    def weight(self) -> int:
        return len(self.body) + 2_000

    @cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.body, 6)

    def is_valid(self) -> bool:
        if self.valid_until < time.monotonic():
            return False
        return all(value == table_versions.current(version) for version, value in self.values.items())

    def response(self, request: HttpRequest) -> HttpResponse:
        takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
        response = HttpResponse(self.compressed if takes_gzip else self.body)
        for name, value in self.headers.items():
            response.headers[name] = value
        if takes_gzip:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.content))
        patch_vary_headers(response, ["Accept-Encoding"])
        return response


_pages: LruCache[_Page] = LruCache(32_000_000, weigh=lambda page: page.weight)  # bytes


class VisitorCacheMiddleware:
    """Answer visitors from the cache where a view is marked with :func:`cache_for_visitors`.

    A visitor has neither a session nor a flash message; everyone else gets a page rendered for them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in {"GET", "HEAD"}:
            return self.get_response(request)
        with table_versions.read_once():
            if request.method == "HEAD" or not settings.VISITOR_PAGES or not _is_visitor(request):
                return self.get_response(request)
            key = _key(request)
            cached = _pages.get(key)
            if cached is not None and cached.is_valid():
                return cached.response(request)
            response = self.get_response(request)
            page = _page_of(request, response)
            if page is not None:
                _pages.put(key, page)
            return response


def _is_visitor(request: HttpRequest) -> bool:
    return not (
        settings.SESSION_COOKIE_NAME in request.COOKIES
        or "messages" in request.COOKIES
        or "HTTP_AUTHORIZATION" in request.META
        or len(request.META.get("QUERY_STRING", "")) > LONGEST_QUERY
    )


def _key(request: HttpRequest) -> tuple[object, ...]:
    query = request.META.get("QUERY_STRING", "")
    # The order of different parameters does not matter, but of a repeated parameter the last value may count.
    parameters = tuple(sorted(parse_qsl(query, keep_blank_values=True), key=itemgetter(0))) if query else ()
    return (
        announcements.cache_key(),
        request.scheme,
        request.META.get("HTTP_HOST"),
        request.path_info,
        parameters,
        translation.get_language(),
    )


def _page_of(request: HttpRequest, response: HttpResponseBase) -> _Page | None:
    """The response as a page for all visitors; None if it is not one."""
    values: dict[str, str | None] | None = getattr(response, "cache_for_visitors", None)
    known = {version: value for version, value in (values or {}).items() if value is not None}
    if (
        values is None
        or len(known) < len(values)
        or response.status_code != 200
        or response.cookies
        or not isinstance(response, HttpResponse)
    ):
        return None
    if getattr(request, "csp_nonce", None):  # true once it was used: the page holds a nonce, which serves one response
        return None
    return _Page(response.content, dict(response.headers), known, time.monotonic() + SECONDS)
