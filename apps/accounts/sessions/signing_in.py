"""Signing a browser in and out."""

from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth import login, logout
from django.http import HttpRequest

from apps.accounts import services
from apps.accounts.errors import SecondStepRequired
from apps.accounts.models import User
from apps.accounts.sessions import known_browsers, second_step, tokens
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.client_address import client_address

BACKEND = "django.contrib.auth.backends.ModelBackend"
SEEN_EVERY = timedelta(hours=1)


RECENT = timedelta(minutes=10)
_PROVED = "proved_at"


def sign_in(
    request: HttpRequest, user: User, *, now: datetime, remember: bool = True, second_step_done: bool = False
) -> None:
    """Sign the browser in under a fresh session key (against fixation).

    Without ``remember`` the cookie ends with the browser. ``second_step_done``: a code or a passkey was proved
    now, or this browser was signed in already. Everybody else who has two-factor on is led to it from here.

    :raises SecondStepRequired: the browser is not signed in; it may do the second step (see second_step.py).
    """
    if not second_step_done and services.has_second_factor(user):
        second_step.begin(request, user, remember=remember, now=now)
        raise SecondStepRequired
    second_step.end(request)
    was_here, known = user.last_login is not None, known_browsers.browser_id(request, user.email)
    login(request, user, backend=BACKEND)
    request.session.about(  # type: ignore[attr-defined]
        user_agent=request.headers.get("User-Agent", ""), address=client_address(request) or None, now=now
    )
    request.session.set_expiry(None if remember else 0)
    note_authentication(request, now=now)
    known_browsers.remember(request, user.email)
    if was_here and not known and user.email_verified_at:  # the first sign-in of all is nobody's surprise
        services.notify_new_device(
            user=user,
            session=session_uid(request),
            user_agent=request.headers.get("User-Agent", ""),
            address=client_address(request),
            now=now,
        )
    services.schedule_cleanup()


def verify_password(request: HttpRequest, *, email: str, password: str, now: datetime) -> User:
    """The active user with this email and password: the first half of a sign-in, on the page and by the API.

    The attempt counts towards the limit of the client's address and towards the account's lock, where a browser
    that has signed in to the account before is counted separately.

    :raises RateLimitExceeded: too many sign-ins from this address.
    :raises InvalidCredentials: no active user has this email and password.
    :raises AccountLocked: five failures in a row.
    """
    rate_limits.spend_of(request, "sign-in", now=now)
    browser = known_browsers.browser_id(request, email)
    return services.verify_password(email=email, password=password, browser=browser, now=now)


def note_authentication(request: HttpRequest, *, now: datetime) -> None:
    """Whoever sits here has just shown that they are the person who is signed in."""
    request.session[_PROVED] = now.isoformat()


def is_recently_authenticated(request: HttpRequest, *, now: datetime) -> bool:
    """Whether that was within the last ten minutes."""
    proved = request.session.get(_PROVED)
    return proved is not None and datetime.fromisoformat(proved) >= now - RECENT


def sign_out(request: HttpRequest) -> None:
    """End the browser's session and, at once, every token made from it."""
    logout(request)


def keep_alive(request: HttpRequest, *, now: datetime) -> None:
    """Note that the browser is still in use, at most once an hour: it stays signed in from here on."""
    row = request.session.row  # type: ignore[attr-defined]
    if row is not None and row.last_seen_at < now - SEEN_EVERY:
        request.session.modified = True


def session_uid(request: HttpRequest) -> UUID:
    """The name of the browser's session that its tokens carry."""
    return request.session.uid()  # type: ignore[attr-defined,no-any-return]


def answer(user: User, session: UUID) -> dict[str, object]:
    """What the browser keeps under ``study.auth``."""
    return {
        "user": {
            "id": str(user.uid),
            "username": user.username,
            "email": user.email,
            "first_name": user.first_name,
            "last_name": user.last_name,
            "role": user.role,
            "roles": user.roles,
            "avatar_url": user.avatar_url or None,
            "theme": user.theme,
            "style": user.style,
        },
        "token": tokens.issue(user, session),
    }
