"""Between the password and the second step: the session knows who is on the way in, and nothing is open to them.

What is kept is no sign-in: ``request.user`` stays a visitor, there is no token. It ends after five minutes, with
a new password, a block, or any sign-in.
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
    """Who has proved the password here, and whether they want to stay signed in."""

    user: User
    remember: bool


def begin(request: HttpRequest, user: User, *, remember: bool, now: datetime) -> None:
    """Let this browser do the second step, under a fresh session key (against fixation)."""
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


def waiting(request: HttpRequest, *, now: datetime) -> PendingSignIn | None:
    """Who may do the second step here now; None if nobody, or not any more."""
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
    """Forget who was on the way in."""
    request.session.pop(_KEY, None)
