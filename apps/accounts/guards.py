"""The doors of pages: each page names one of these guards, and a test checks that none forgot.

    @open_to_everyone    visitors too
    @signed_in           whoever has an account
    @teaches             instructors and admins
    @administers         admins
    @recently_authenticated  users who have proved their identity within ten minutes
    @confirms_identity   the same for users without a password; the page's own form asks the others for theirs

A missing or ended login is sent to the sign-in page, which leads back to the address that was asked
for; a wrong role is sent home with a sentence that says why. A page with a finer rule enforces its own
policy inside; the refusal finds its way by itself (``AppError.leads_to``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request

from apps.accounts import policies, sessions
from apps.accounts.errors import SessionExpired
from apps.accounts.models import BrowserSession, User
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.policies import Verdict, enforce
from studyplatform.kit.web.requests import safe_next

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def _guarded_by(name: str, policy: Callable[[User | AnonymousUser], Verdict]) -> Callable[[Page[P]], Page[P]]:
    def decorate(page: Page[P]) -> Page[P]:
        @wraps(page)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            enforce(policy(request.user))
            return page(request, *args, **kwargs)

        guarded.guard = name  # type: ignore[attr-defined]
        return guarded

    return decorate


def open_to_everyone(page: Page[P]) -> Page[P]:
    """Visitors may open this page too. tests/architecture lists these pages, each with its reason."""

    @wraps(page)
    def opened(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return page(request, *args, **kwargs)

    opened.guard = "everyone"  # type: ignore[attr-defined]
    return login_not_required(opened)


def signed_in(page: Page[P]) -> Page[P]:
    """Only for people with an account; the others are asked to sign in."""
    return _guarded_by("signed_in", policies.be_signed_in)(page)


def teaches(page: Page[P]) -> Page[P]:
    """Only for instructors and admins. Whose course it is, the page must still ask."""
    return _guarded_by("teaches", policies.teach)(page)


def administers(page: Page[P]) -> Page[P]:
    """Only for admins."""
    return _guarded_by("administers", policies.administer)(page)


def recently_authenticated(page: Page[P]) -> Page[P]:
    """Only for who has proved within ten minutes that they are who is signed in: a browser left open, or a stolen
    session, must not change the way into an account. The others do it first and come back to this address."""
    return _proved("recently_authenticated", lambda user: False)(page)


def recently_authenticated_from(onward: str) -> Callable[[Page[P]], Page[P]]:
    """The same, and the proof leads to this page: for an address that answers with a file, which shows nothing."""
    return _proved("recently_authenticated", lambda user: False, onward)


def confirms_identity(page: Page[P]) -> Page[P]:
    """For a page whose form asks for the password: who has none must have proved who they are instead."""
    return _proved("confirms_identity", User.has_usable_password)(page)


def _proved(name: str, is_asked: Callable[[User], bool], onward: str = "") -> Callable[[Page[P]], Page[P]]:
    def decorate(page: Page[P]) -> Page[P]:
        @wraps(page)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            enforce(policies.be_signed_in(request.user))
            if is_asked(signed_in_user(request)) or sessions.is_recently_authenticated(request, now=timezone.now()):
                return page(request, *args, **kwargs)
            back = urlencode({"next": onward}, safe="/") if onward else _way_back(request)
            return HttpResponseRedirect(f"{reverse('accounts:prove')}?{back}")

        guarded.guard = name  # type: ignore[attr-defined]
        return guarded

    return decorate


class LoginMiddleware(LoginRequiredMiddleware):
    """Default deny: a page that names no guard is shut to visitors.

    Stands after RefusalMiddleware in the settings, so that it is the first to see a NotAuthenticated.
    """

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        # Asked first: Django would load the session before it finds that nobody need be signed in,
        # and a segment of a video is to cost no query.
        if not getattr(view_func, "login_required", True):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(self, request: HttpRequest, view_func: object) -> HttpResponseRedirect:
        return redirect_to_sign_in(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseRedirect | None:
        return redirect_to_sign_in(request) if isinstance(error, NotAuthenticated) else None


def signed_in_user(request: HttpRequest | Request) -> User:
    """The user who is signed in, for a page or an API view that is not open to visitors.

    :raises NotAuthenticated: a visitor asks.
    """
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


@dataclass(frozen=True)
class SessionKey:
    """One browser session, by the key that only its cookie carries. There is no empty one.

    :raises ValueError: the key is empty.
    """

    session_key: str

    def __post_init__(self) -> None:
        if not self.session_key:
            raise ValueError("a holder needs the key of a session")


def session_key_of(request: HttpRequest) -> SessionKey | None:
    """The session that proves who is asking; None for a visitor. Asks the database nothing that was not asked before.

    A call by token is answered for the session that the token was made from, whatever cookie comes with it.
    """
    if not request.user.is_authenticated:
        return None
    session = getattr(request, "auth", None)  # the API's calls have it; on pages the cookie is the only proof
    key = session.session_key if isinstance(session, BrowserSession) else request.session.session_key
    return SessionKey(key) if key else None


def require_session_key(request: HttpRequest) -> SessionKey:
    """The same where visitors have no business.

    :raises NotAuthenticated: a visitor asks.
    """
    holder = session_key_of(request)
    if holder is None:
        raise NotAuthenticated
    return holder


def claimed_session_key(request: HttpRequest) -> SessionKey | None:
    """The session that a request's cookie names, which nobody has checked: only good to compare with one that was."""
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return SessionKey(key) if key else None


def redirect_to_sign_in(request: HttpRequest) -> HttpResponseRedirect:
    """To the sign-in page and afterwards back: to this address, or to the page whose form was sent."""
    announce_ended_session(request)
    return HttpResponseRedirect(f"{settings.LOGIN_URL}?{_way_back(request)}")


def announce_ended_session(request: HttpRequest) -> None:
    """Have the next page say that they were signed out, if they were: the answer to this takes their cookie away."""
    if _has_ended(request):
        expired = SessionExpired()
        messages.warning(request, expired.detail, extra_tags=expired.code)


def _has_ended(request: HttpRequest) -> bool:
    """Whether their cookie leads nowhere: they were signed in. A visitor may have a session too, which is alive."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.user.is_authenticated:
        return False
    return request.session.is_empty() or auth.SESSION_KEY in request.session


def _way_back(request: HttpRequest) -> str:
    """The query that leads back to this address, or to the page whose form was sent."""
    back = request.get_full_path()
    if request.method not in {"GET", "HEAD"}:
        parts = urlsplit(safe_next(request, request.headers.get("Referer"), "/"))
        back = parts.path + (f"?{parts.query}" if parts.query else "")
    query = QueryDict(mutable=True)
    query["next"] = back
    return query.urlencode(safe="/")
