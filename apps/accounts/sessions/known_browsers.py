"""Which accounts have signed in with this browser before: a signed cookie.

Failed sign-ins in a known browser are counted separately, so that a stranger who guesses passwords cannot lock users
out of their own laptop.
"""

import hashlib
import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from apps.accounts.models import User

COOKIE = "study_known"
_SALT = "accounts.known_browsers"
_YEAR = 60 * 60 * 24 * 365
_MOST = 8  # accounts remembered per browser


def browser_id(request: HttpRequest, email: str) -> str:
    """The browser's id if this account has signed in with it before, else an empty string."""
    name, accounts = _read(request)
    return name if _mark(email) in accounts else ""


def remember(request: HttpRequest, email: str) -> None:
    """Remember that this account has signed in with this browser: the response to the request sets the cookie."""
    request._known_browser_email = email  # type: ignore[attr-defined]  # noqa: SLF001 (our own note)


def set_cookie(request: HttpRequest, response: HttpResponseBase) -> None:
    """Add the account that :func:`remember` was called with to the browser's cookie. Called by the middleware."""
    email = getattr(request, "_known_browser_email", None)
    if email is None:
        return
    name, accounts = _read(request)
    kept = [_mark(email), *(mark for mark in accounts if mark != _mark(email))][:_MOST]
    response.set_cookie(
        COOKIE,
        signing.dumps([name or secrets.token_hex(8), kept], salt=_SALT),
        max_age=_YEAR,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _mark(email: str) -> str:
    return hashlib.sha256(User.objects.normalize_email(email).encode()).hexdigest()[:16]


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        name, accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_YEAR)
    except (signing.BadSignature, TypeError, ValueError):
        return "", []
    return name, accounts
