"""The challenge of a passkey on its way to the browser and back: bound to the session, answered once, soon.

A session holds one at a time. It is for one purpose and, where a person is known, for that person:
a challenge to prove oneself cannot be answered by adding a passkey, nor by somebody else in the same browser.
"""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest

from apps.accounts.errors import PasskeyRefused
from apps.accounts.models import User

VALID_FOR = timedelta(minutes=5)
_KEY = "passkey"


def keep(request: HttpRequest, purpose: str, state: dict[str, Any], *, now: datetime, user: User | None = None) -> None:
    """Remember what the browser has been asked; what it was asked before ends."""
    if request.session.session_key is None:
        # A visitor's session exists for this alone, so it need not outlive it for long.
        request.session.set_expiry(2 * VALID_FOR)
    request.session[_KEY] = {
        "purpose": purpose,
        "person": str(user.uid) if user else "",
        "state": state,
        "at": now.isoformat(),
    }


def take(request: HttpRequest, purpose: str, *, now: datetime, user: User | None = None) -> dict[str, Any]:
    """What the browser was asked; forgotten from here on, however the check ends.

    :raises PasskeyRefused: it was asked nothing, something else, for somebody else, or too long ago.
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
