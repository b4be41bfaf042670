"""Redirecting visitors to the sign-in page and back."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, QueryDict

from apps.accounts.errors import SessionExpired
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.web.requests import MAX_ADDRESS_LENGTH, safe_next


class LoginMiddleware(LoginRequiredMiddleware):
    """Default deny: visitors cannot open a page that names no guard.

    The settings place it after RefusalMiddleware, so that it handles a NotAuthenticated first.
    """

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        # Django would load the session before it finds that the page is open to visitors, and a segment of a
        # video must cost no query.
        if not getattr(view_func, "login_required", True):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(self, request: HttpRequest, view_func: object) -> HttpResponseRedirect:
        return redirect_to_sign_in(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseRedirect | None:
        return redirect_to_sign_in(request) if isinstance(error, NotAuthenticated) else None


def redirect_to_sign_in(request: HttpRequest) -> HttpResponseRedirect:
    """Redirect to the sign-in page, which leads back to this address, or to the page whose form was sent."""
    announce_ended_session(request)
    return HttpResponseRedirect(f"{settings.LOGIN_URL}?{return_query(request)}")


def announce_ended_session(request: HttpRequest) -> None:
    """If the user's session has ended, show a message on the next page: the response to this request deletes the
    cookie.
    """
    if _has_ended(request):
        expired = SessionExpired()
        messages.warning(request, expired.detail, extra_tags=expired.code)


def _has_ended(request: HttpRequest) -> bool:
    """Whether the cookie names a session that has ended. A visitor may have a session too, but a live one."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.user.is_authenticated:
        return False
    return request.session.is_empty() or auth.SESSION_KEY in request.session


def return_query(request: HttpRequest) -> str:
    """The query string that leads back to this address, or to the page whose form was sent.

    Without that page's own query if it is long: browsers and proxies refuse long redirects.
    """
    back = request.get_full_path()
    if request.method not in {"GET", "HEAD"}:
        parts = urlsplit(safe_next(request, request.headers.get("Referer"), "/"))
        back = parts.path + (f"?{parts.query}" if parts.query else "")
    if len(back) > MAX_ADDRESS_LENGTH:
        back = back.partition("?")[0][:MAX_ADDRESS_LENGTH]
    query = QueryDict(mutable=True)
    query["next"] = back
    return query.urlencode(safe="/")
