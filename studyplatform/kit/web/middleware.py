"""Middleware: request IDs, compression, static files, URLs with and without a final slash, refusals as pages."""

import re
import uuid
from collections.abc import Callable
from typing import cast

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.gzip import GZipMiddleware
from django.urls import Resolver404, resolve
from django.utils.encoding import iri_to_uri
from whitenoise.middleware import WhiteNoiseMiddleware

from studyplatform.kit.text.numbers import format_of_languages
from studyplatform.kit.web.dates import read_by
from studyplatform.kit.web.failures import refusal_of, refusal_response
from studyplatform.kit.web.inline_scripts import csp_hashes
from studyplatform.kit.web.request_id import request_id
from studyplatform.kit.web.requests import MAX_ADDRESS_LENGTH

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_GOOD_ID = re.compile(r"^[0-9A-Za-z-]{8,64}$")


class RequestIdMiddleware:
    """Give each request a reference that appears in the log and in error responses."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        offered = request.headers.get("X-Request-ID", "")
        reference = offered if _GOOD_ID.match(offered) else uuid.uuid4().hex[:12]
        request.reference = reference  # type: ignore[attr-defined]
        token = request_id.set(reference)
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(token)
        response["X-Request-ID"] = reference
        return response


class ReaderMiddleware:
    """Read the numbers that a request sends in the format of its language, and put moments in its user's time zone."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with format_of_languages(request.META.get("HTTP_ACCEPT_LANGUAGE", "")), read_by(request):
            return self.get_response(request)


class TextCompressionMiddleware(GZipMiddleware):
    """Compress pages and API responses, but not streamed or partial ones.

    A file's length and ranges must not change, and media are already compressed.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.streaming or response.status_code == 206:
            return response
        return super().process_response(request, response)


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Serve static files; respond with 404 to one that was deleted since the server started."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return cast(HttpResponseBase, super().__call__(request))
        except FileNotFoundError:  # only from a static file: Django turns the exceptions of views into responses
            return cast(HttpResponseBase, self.get_response(request))


class PolicyMiddleware(CSPMiddleware):
    """django-csp's header, which allows the inline scripts by the hashes of their present texts.

    JSON loads nothing, so it gets the strictest policy; building the one of a page costs as much as a query.
    """

    JSON_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind in {"application/json", "application/problem+json"}:
            response.headers.setdefault("Content-Security-Policy", self.JSON_POLICY)
            return response
        return super().process_response(request, response)

    def get_policy_parts(
        self,
        request: HttpRequest,
        response: HttpResponseBase,
        report_only: bool = False,  # noqa: FBT001, FBT002
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if not report_only:
            update = dict(parts.update or {})
            parts.update = {**update, "script-src": [*update.get("script-src", []), *csp_hashes()]}
        return parts


class PermissionsPolicyMiddleware:
    """Tell the browser which of its features this site never uses."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        return response


class PrivateCacheMiddleware:
    """Let no cache keep what a signed-in user gets, unless a view decides otherwise.

    A browser asks again for a page, also when one goes back to it after signing out; data are not stored at all.
    """

    PAGE, DATA = "private, no-cache", "private, no-store"

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if "Cache-Control" in response.headers:
            return response
        if settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers:
            is_page = response.headers.get("Content-Type", "").startswith("text/html")
            response.headers["Cache-Control"] = self.PAGE if is_page else self.DATA
        return response


class SlashMiddleware:
    """Let a URL work with and without its final slash.

    Acts only if no URL pattern matched. A page is redirected to the other spelling; API calls and requests with a
    body are handled in place, because a redirect would lose the body.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 404 or request.resolver_match is not None:
            return response
        path = request.path_info
        other = other_spelling(path)
        # As a redirect target, a path that begins with two slashes would be another host.
        if path == "/" or path.startswith("//") or not _resolves(other):
            return response
        if path.startswith("/api/") or request.method not in {"GET", "HEAD"}:
            request.path_info = request.path = other
            return self.get_response(request)
        query = request.META.get("QUERY_STRING", "")
        return HttpResponsePermanentRedirect(
            iri_to_uri(other) + (f"?{query}" if 0 < len(query) <= MAX_ADDRESS_LENGTH else "")
        )


def other_spelling(path: str) -> str:
    """The path with a final slash if it has none, else without it."""
    return path[:-1] if path.endswith("/") else path + "/"


def _resolves(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


class RefusalMiddleware:
    """Turn a refusal raised by a view into a response (:func:`refusal_response`)."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        refusal = refusal_of(error)
        return refusal_response(request, refusal, has_read_body=True) if refusal else None
