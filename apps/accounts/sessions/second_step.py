"""Between the password and the second step: the session records which user proved the password, and grants nothing.

This is no sign-in: ``request.user`` stays a visitor, and there is no token. It ends after five minutes, with a new
password, a block, or any sign-in.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib import auth
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from apps.accounts.models import User

VALID_FOR = timedelta(minutes=5)
_KEY = "second_step"


@dataclass(frozen=True)
class PendingSignIn:
    """The user who has proved the password in this browser, and whether they want to stay signed in."""

    user: User
    remember: bool


def begin(request: HttpRequest, user: User, *, remember: bool, now: datetime) -> None:
    """Allow this browser to do the second step, under a new session key (against session fixation)."""
    if auth.SESSION_KEY in request.session:
        auth.logout(request)
    else:
        request.session.cycle_key()
    request.session.set_expiry(2 * VALID_FOR)
    request.session[_KEY] = {
        "person": user.pk,
        "proof": user.get_session_auth_hash(),
        "remember": remember,
        "at": now.isoformat(),
    }


def pending(request: HttpRequest, *, now: datetime) -> PendingSignIn | None:
    """The sign-in that this browser may complete now; None if there is none, or if it has expired."""
    kept = request.session.get(_KEY)
    if kept is None:
        return None
    user = User.objects.filter(pk=kept["person"], is_active=True).first()
    is_late = datetime.fromisoformat(kept["at"]) < now - VALID_FOR
    if user is None or is_late or not constant_time_compare(kept["proof"], user.get_session_auth_hash()):
        end(request)
        return None
    return PendingSignIn(user, kept["remember"])


def end(request: HttpRequest) -> None:
    """Forget the pending sign-in."""
    request.session.pop(_KEY, None)
