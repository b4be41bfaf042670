"""Signing a browser in and out: Django's session and the row that its tokens hang on."""

from datetime import datetime

from django.contrib.auth import login, logout
from django.http import HttpRequest

from apps.accounts import services, tokens
from apps.accounts.models import BrowserSession, User

BACKEND = "django.contrib.auth.backends.ModelBackend"


def sign_in(request: HttpRequest, user: User, *, now: datetime) -> BrowserSession:
    """Sign the browser in with a fresh session key (against fixation)."""
    old = request.session.session_key
    login(request, user, backend=BACKEND)
    if old:
        services.end_session(session_key=old)
    return current(request, user, now=now)


def sign_out(request: HttpRequest) -> None:
    """End the browser's session and, at once, every token made from it."""
    if request.session.session_key:
        services.end_session(session_key=request.session.session_key)
    logout(request)


def current(request: HttpRequest, user: User, *, now: datetime) -> BrowserSession:
    """The row of the signed-in browser; made if the session came another way (admin, social sign-in)."""
    if request.session.session_key is None:
        request.session.save()
    return services.open_session(
        user=user,
        session_key=str(request.session.session_key),
        user_agent=request.headers.get("User-Agent", "")[:256],
        address=request.META.get("REMOTE_ADDR") or None,
        now=now,
    )


def answer(session: BrowserSession) -> dict[str, object]:
    """What the browser keeps under ``study.auth``."""
    user = session.user
    return {
        "user": {
            "id": str(user.uid),
            "username": user.username,
            "email": user.email,
            "first_name": user.first_name,
            "last_name": user.last_name,
            "role": user.role,
            "roles": user.roles,
            "avatar_url": user.avatar.url if user.avatar else None,
        },
        "token": tokens.issue(session),
    }
