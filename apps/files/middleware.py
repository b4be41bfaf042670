"""Middleware of files: the content host."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from apps.files.content_links import is_content_host
from apps.files.pages.content import answer


class ContentHostMiddleware:
    """Answer requests to ``CONTENT_HOST`` here: no session, no cookies, no page of the site."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return answer(request) if is_content_host(request) else self.get_response(request)
