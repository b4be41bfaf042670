"""The short-lived token of the islands: a simplejwt access token bound to one browser session.

It names the session (``sid``) and carries a fingerprint of the password (``pwd``). When the session ends, the password
changes or the user is blocked, the server refuses the token at once, whatever its ``exp`` says.
"""

from typing import NamedTuple
from uuid import UUID

from django.db.models import DateTimeField, UUIDField
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.tokens import AccessToken

from apps.accounts.models import BrowserSession, User
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery

_LIVE = PreparedQuery(
    lambda: (
        BrowserSession.objects.select_related("user")
        .filter(
            uid=Param("sid", UUIDField()),
            user__uid=Param("uid", UUIDField()),
            expire_date__gt=Param("now", DateTimeField()),
        )
        .order_by()
    )
)


class _Claims(NamedTuple):
    sid: UUID
    uid: UUID
    fingerprint: str


def issue(user: User, session: UUID) -> str:
    """A signed access token (three parts, ``exp``)."""
    token = AccessToken.for_user(user)
    token["sid"] = str(session)
    token["pwd"] = _fingerprint(user)
    token["role"] = user.role  # for the browser's eyes; the server asks the user
    return str(token)


def session_of(raw: str) -> BrowserSession | None:
    """The live session (with its user) that a token was created from; None if the token is forged, expired or
    revoked, or its user is blocked. One query.
    """
    claims = _claims_of(raw)
    if claims is None:
        return None
    session = _LIVE.first(sid=claims.sid, uid=claims.uid, now=timezone.now())
    if session is None or session.user is None or not session.user.is_active:
        return None
    return session if constant_time_compare(claims.fingerprint, _fingerprint(session.user)) else None


def _claims_of(raw: str) -> _Claims | None:
    """What the token says; None if we did not sign it or it has expired."""
    try:
        token = AccessToken(raw)  # type: ignore[arg-type]
        return _Claims(UUID(token["sid"]), UUID(token["user_id"]), str(token["pwd"]))
    except (TokenError, KeyError, TypeError, ValueError, AttributeError):
        return None


def _fingerprint(user: User) -> str:
    return salted_hmac("accounts.token", user.password, algorithm="sha256").hexdigest()[:16]
