"""The error pages: bad request, forbidden, not found, server error."""

import sys

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studyplatform.kit.errors import (
    AppError,
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
from studyplatform.kit.web.requests import safe_next

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if not hasattr(request, "user"):  # refused before the session was read, e.g. for its Host header
        request.user = AnonymousUser()
    return _error_response(request, ValidationFailed(), "errors/refused.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_response(request, PermissionRefused(), "errors/refused.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The CSRF token is not the session's. This is usually an old page rather than a forgery."""
    back = safe_next(request, request.headers.get("Referer"), "/")
    return _error_response(request, FormOutdated(back=back), "errors/refused.html", status=403)


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
