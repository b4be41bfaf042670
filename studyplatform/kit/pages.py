"""What every server-rendered page shares: request ids, both spellings of an address, refusals as pages."""

import re
import uuid
from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

from studyplatform.kit.errors import AppError
from studyplatform.kit.references import request_id

Answer = Callable[[HttpRequest], HttpResponseBase]

_GOOD_ID = re.compile(r"^[0-9A-Za-z-]{8,64}$")


class RequestIdMiddleware:
    """Give each request a reference that stands in the log and in error answers."""

    def __init__(self, get_response: Answer) -> None:
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


class PermissionsPolicyMiddleware:
    """Tell the browser which of its abilities this site never asks for."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        return response


def _resolves(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


class SlashMiddleware:
    """Let an address work with and without its final slash.

    A page that is asked for in the other spelling is redirected; an API call is answered in place,
    because a redirect would lose its body.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if path != "/" and not path.startswith(settings.STATIC_URL) and not _resolves(path):
            other = path[:-1] if path.endswith("/") else path + "/"
            if _resolves(other):
                if path.startswith("/api/") or request.method not in {"GET", "HEAD"}:
                    request.path_info = other
                    request.path = other
                else:
                    query = request.META.get("QUERY_STRING", "")
                    # A path of two slashes would be another host's address.
                    target = "/" + other.lstrip("/")
                    return HttpResponsePermanentRedirect(target + (f"?{query}" if query else ""))
        return self.get_response(request)


class RefusalMiddleware:
    """Turn an AppError into a page: a flash message and the way back for a form, a screen for the rest."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, AppError):
            return None
        if error.leads_to:
            messages.error(request, error.detail, extra_tags=error.code)
            return redirect(error.leads_to)
        if request.method == "POST" and not request.path.startswith("/api/"):
            messages.error(request, error.detail, extra_tags=error.code)
            return redirect(safe_next(request, request.headers.get("Referer", ""), "/"))
        return render(request, "errors/refused.html", {"error": error}, status=error.status)


def safe_next(request: HttpRequest, address: str | None, default: str) -> str:
    """The address if it belongs to this site, else the default: nobody is sent elsewhere."""
    if address and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return address
    return default
