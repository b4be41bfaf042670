"""DRF's way to read ``Authorization: Bearer``."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.accounts import tokens
from apps.accounts.models import User


class BearerAuthentication(BaseAuthentication):
    """The islands' token. A token that is presented and bad is a 401, never a silent visitor."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"bearer":
            return None
        if len(parts) != 2:
            raise AuthenticationFailed
        user = tokens.holder(parts[1].decode("ascii", "replace"))
        if user is None:
            raise AuthenticationFailed
        return user, parts[1].decode("ascii", "replace")

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'
