"""DRF authentication by ``Authorization: Bearer``."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.accounts.models import BrowserSession, User
from apps.accounts.sessions import tokens


class BearerAuthentication(BaseAuthentication):
    """The islands' token; ``request.auth`` is its browser session.

    An invalid token is refused with 401, never treated as a visitor, except where a view lets the cookie decide by
    ``bearer_may_be_stale = True``.
    """

    def authenticate(self, request: Request) -> tuple[User, BrowserSession] | None:
        scheme, _, raw = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        session = tokens.session_of(raw.strip())
        if session is not None and session.user is not None:
            return session.user, session
        if getattr(request.parser_context["view"], "bearer_may_be_stale", False):
            return None
        raise AuthenticationFailed

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'
