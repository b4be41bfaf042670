"""On whose behalf an assistant calls, and what its token opens."""

from dataclasses import dataclass
from datetime import datetime

from apps.accounts.errors import PersonalTokenInvalid, PersonalTokenRequired
from apps.accounts.models import Scope, User
from apps.accounts.queries import user_of_session_token
from apps.accounts.services import is_personal_token, use_personal_token


@dataclass(frozen=True)
class Caller:
    """A user, and the scopes of the token that came with the request."""

    user: User
    scopes: frozenset[str]
    now: datetime


def caller_of(token: str, *, now: datetime) -> Caller:
    """The user of a token: a personal one, or the short-lived one of a signed-in browser, which opens everything.

    :raises PersonalTokenRequired: there is no token.
    :raises PersonalTokenInvalid: it is unknown, or the browser was signed out.
    :raises PersonalTokenExpired, PersonalTokenRevoked: it no longer works.
    """
    if not token:
        raise PersonalTokenRequired
    if is_personal_token(token):
        row = use_personal_token(token=token, now=now)
        return Caller(row.user, frozenset(row.scopes), now)
    user = user_of_session_token(token)
    if user is None:
        raise PersonalTokenInvalid
    return Caller(user, frozenset(Scope.values), now)
