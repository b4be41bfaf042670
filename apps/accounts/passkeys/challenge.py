"""The challenge of a passkey, stored in the session until the browser has answered it: once, within five minutes.

A session has one challenge at a time. It is bound to one purpose and, where the user is known, to that user: the
challenge of a re-authentication cannot be answered by adding a passkey, nor by another user in the same browser.
"""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest

from apps.accounts.errors import PasskeyRefused
from apps.accounts.models import User

VALID_FOR = timedelta(minutes=5)
_KEY = "passkey"


def store(
    request: HttpRequest, purpose: str, state: dict[str, Any], *, now: datetime, user: User | None = None
) -> None:
    """Store the challenge that the browser receives; it replaces an earlier one."""
    if request.session.session_key is None:
        # A visitor's session exists for the challenge alone, so it ends soon after it.
        request.session.set_expiry(2 * VALID_FOR)
    request.session[_KEY] = {
        "purpose": purpose,
        "person": str(user.uid) if user else "",
        "state": state,
        "at": now.isoformat(),
    }


def consume(request: HttpRequest, purpose: str, *, now: datetime, user: User | None = None) -> dict[str, Any]:
    """The stored challenge. It is deleted, whatever the result of its verification.

    :raises PasskeyRefused: there is none, or it is for another purpose or user, or too old.
    """
    kept = request.session.pop(_KEY, None)
    if (
        kept is None
        or kept["purpose"] != purpose
        or kept["person"] != (str(user.uid) if user else "")
        or datetime.fromisoformat(kept["at"]) < now - VALID_FOR
    ):
        raise PasskeyRefused
    state: dict[str, Any] = kept["state"]
    return state
