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
_AUTHENTICATED_AT = "proved_at"


def sign_in(
    request: HttpRequest, user: User, *, now: datetime, remember: bool = True, second_step_done: bool = False
) -> None:
    """Sign the browser in under a new session key (against session fixation). Every sign-in ends here.

    Without ``remember`` the cookie ends with the browser. ``second_step_done``: the user has just proved a code or a
    passkey, or was signed in before. Other users with two-factor turned on must do the second step.

    :raises SecondStepRequired: the browser is not signed in; it may do the second step (see second_step.py).
    """
    if not second_step_done and services.has_second_factor(user):
        second_step.begin(request, user, remember=remember, now=now)
        raise SecondStepRequired
    second_step.end(request)
    was_here, known = user.last_login is not None, known_browsers.browser_id(request, user.email)
    login(request, user, backend=BACKEND)
    request.session.note_browser(  # type: ignore[attr-defined]
        user_agent=request.headers.get("User-Agent", ""), address=client_address(request) or None, now=now
    )
    request.session.set_expiry(None if remember else 0)
    note_authentication(request, now=now)
    known_browsers.remember(request, user.email)
    if was_here and not known and user.email_verified_at:  # no notification of the very first sign-in
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
    rate_limits.consume_for_address(request, "sign-in", now=now)
    browser = known_browsers.browser_id(request, email)
    return services.verify_password(email=email, password=password, browser=browser, is_signing_in=True, now=now)


def note_authentication(request: HttpRequest, *, now: datetime) -> None:
    """Store that the user has just proved their identity."""
    request.session[_AUTHENTICATED_AT] = now.isoformat()


def is_recently_authenticated(request: HttpRequest, *, now: datetime) -> bool:
    """Whether the user has proved their identity within the last ten minutes."""
    authenticated_at = request.session.get(_AUTHENTICATED_AT)
    return authenticated_at is not None and datetime.fromisoformat(authenticated_at) >= now - RECENT


def sign_out(request: HttpRequest) -> None:
    """End the browser's session and every token created from it."""
    logout(request)
    request.session.is_signed_out = True  # type: ignore[attr-defined]


def keep_alive(request: HttpRequest, *, now: datetime) -> None:
    """Extend the session of a browser that is in use, at most once an hour."""
    row = request.session.row  # type: ignore[attr-defined]
    if row is not None and row.last_seen_at < now - SEEN_EVERY:
        request.session.modified = True


def session_uid(request: HttpRequest) -> UUID:
    """The id of the browser's session that its tokens carry."""
    return request.session.uid()  # type: ignore[attr-defined,no-any-return]


def session_payload(user: User, session: UUID) -> dict[str, object]:
    """What the browser stores under ``study.auth``: the user and a token."""
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
