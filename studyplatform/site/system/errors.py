"""The error pages: bad request, forbidden, not found, server error."""

import sys

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import redirect, render

from studyplatform.kit.errors import (
    AppError,
    CookiesMissing,
    FormOutdated,
    NotFound,
    PermissionRefused,
    ServerError,
    StoreFull,
    ValidationFailed,
)
from studyplatform.kit.web.failures import is_out_of_space
from studyplatform.kit.web.problem_details import problem_json_response
from studyplatform.kit.web.request_id import request_id
from studyplatform.kit.web.requests import MAX_ADDRESS_LENGTH, safe_next

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if not hasattr(request, "user"):  # refused before the session was read, e.g. for its Host header
        request.user = AnonymousUser()
    return _error_response(request, ValidationFailed(), "errors/refused.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_response(request, PermissionRefused(), "errors/refused.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The CSRF token is not the session's. This is usually an old page rather than a forgery.

    A user who has signed in in another tab meanwhile continues from the sign-in page of this one.
    """
    back = safe_next(request, request.headers.get("Referer"), "/")
    page = request.resolver_match.view_name if request.resolver_match else ""
    if page == "accounts:sign-in" and request.user.is_authenticated:
        return redirect(request.get_full_path() if len(request.get_full_path()) <= MAX_ADDRESS_LENGTH else "/")
    refusal = CookiesMissing(back=back) if reason == REASON_NO_CSRF_COOKIE else FormOutdated(back=back)
    return _error_response(request, refusal, "errors/refused.html", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_response(request, NotFound(), "errors/not_found.html", status=404)


def crash(request: HttpRequest) -> HttpResponse:
    error = sys.exception()
    if error is not None and is_out_of_space(error):  # the database cannot be opened
        return _error_response(request, StoreFull(), "errors/crash.html", status=StoreFull.status)
    return _error_response(request, ServerError(reference=request_id.get()), "errors/crash.html", status=500)


def _error_response(request: HttpRequest, error: AppError, page: str, *, status: int) -> HttpResponse:
    """A problem detail for the API, otherwise a page."""
    if request.path_info.startswith(API):
        return problem_json_response(error)
    return render(request, page, {"error": error}, status=status)
