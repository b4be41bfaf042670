"""The short-lived token of the islands: a simplejwt access token bound to one browser session.

It names the session (``sid``) and the user's token epoch (``epoch``). Ending the session, a changed
password or a block makes the server refuse it at once, whatever its ``exp`` says.
"""

from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.tokens import AccessToken

from apps.accounts.models import BrowserSession, User


def issue(session: BrowserSession) -> str:
    """A signed access token (three parts, ``exp``) for the session's user."""
    user = session.user
    token = AccessToken.for_user(user)
    token["sid"] = str(session.uid)
    token["epoch"] = user.token_epoch
    token["role"] = user.role
    return str(token)


def holder(raw: str) -> User | None:
    """Whose token this is, or None if it is forged, expired, revoked, or its user blocked. One query."""
    try:
        token = AccessToken(raw)  # type: ignore[arg-type]
        sid, uid, epoch = str(token["sid"]), str(token["user_id"]), int(token["epoch"])
    except (TokenError, KeyError, TypeError, ValueError):
        return None
    try:
        session = BrowserSession.objects.select_related("user").filter(uid=sid, user__uid=uid).first()
    except ValueError:  # signed, but not by this version: a claim is no UUID
        return None
    if session is None or not session.user.is_active or session.user.token_epoch != epoch:
        return None
    return session.user


def session_id(raw: str) -> str | None:
    """The session a well-signed, unexpired token names."""
    try:
        return str(AccessToken(raw)["sid"])  # type: ignore[arg-type]
    except (TokenError, KeyError):
        return None
