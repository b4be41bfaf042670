"""Maintenance mode."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from studyplatform.kit.errors import MaintenanceMode
from studyplatform.kit.web.problem_details import problem_json_response

OPEN = ("/static/", "/healthz", "/readyz", "/status")
RETRY_AFTER = 20 * 60  # seconds; maintenance usually takes 15 to 30 minutes


class MaintenanceMiddleware:
    """Answer every request with 503 while ``MAINTENANCE`` is set: the API with a problem detail, others with a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.MAINTENANCE or request.path_info.startswith(OPEN):
            return self.get_response(request)
        error = MaintenanceMode()
        response: HttpResponse
        if request.path_info.startswith("/api/"):
            response = problem_json_response(error)
        else:
            response = render(request, "errors/maintenance.html", {"error": error}, status=error.status)
        response["Retry-After"] = str(RETRY_AFTER)
        response["Cache-Control"] = "no-store"
        return response
