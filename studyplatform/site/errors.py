"""The screens for what is not found and what failed."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from studyplatform.kit.errors import FormOutdated, NotFound, PermissionRefused, UnknownError, ValidationFailed
from studyplatform.kit.pages import safe_next
from studyplatform.kit.references import request_id


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if not hasattr(request, "user"):  # refused before it was asked who this is, e.g. for its Host header
        request.user = AnonymousUser()
    return render(request, "errors/refused.html", {"error": ValidationFailed()}, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "errors/refused.html", {"error": PermissionRefused()}, status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token is not the session's: an old page far more often than a forgery; what it asked is not done."""
    back = safe_next(request, request.headers.get("Referer"), "/")
    return render(request, "errors/refused.html", {"error": FormOutdated(back=back)}, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "errors/not_found.html", {"error": NotFound()}, status=404)


def crash(request: HttpRequest) -> HttpResponse:
    return render(request, "errors/crash.html", {"error": UnknownError(reference=request_id.get())}, status=500)
