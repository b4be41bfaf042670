"""Who sends a request: the user, and the browser session that proves it."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.models import BrowserSession, User
from studyplatform.kit.errors import NotAuthenticated


def signed_in_user(request: HttpRequest | Request) -> User:
    """The user who is signed in, for a page or an API view that is not open to visitors.

    :raises NotAuthenticated: a visitor asks.
    """
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


@dataclass(frozen=True)
class SessionKey:
    """A reference to a browser session by its key, which only its cookie carries. It is never empty.

    :raises ValueError: the key is empty.
    """

    session_key: str

    def __post_init__(self) -> None:
        if not self.session_key:
            raise ValueError("the key of a session must not be empty")


def session_key_of(request: HttpRequest) -> SessionKey | None:
    """The session that authenticates the request; None for a visitor. Needs no query of its own.

    A call by token belongs to the session that the token was created from, whatever cookie comes with it.
    """
    if not request.user.is_authenticated:
        return None
    session = getattr(request, "auth", None)  # set in API calls; on pages only the cookie authenticates
    key = session.session_key if isinstance(session, BrowserSession) else request.session.session_key
    return SessionKey(key) if key else None


def require_session_key(request: HttpRequest) -> SessionKey:
    """The session that authenticates the request, where visitors have no access.

    :raises NotAuthenticated: a visitor asks.
    """
    session_key = session_key_of(request)
    if session_key is None:
        raise NotAuthenticated
    return session_key


def claimed_session_key(request: HttpRequest) -> SessionKey | None:
    """The session that the request's cookie names, without any check: use it only to compare it with one that was
    checked.
    """
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return SessionKey(key) if key else None
