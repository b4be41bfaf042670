"""DRF's defaults: closed, and signed in by cookie.

Apart from kit/api.py because DRF imports them while it loads itself.
"""

from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request


class Closed(BasePermission):
    """Refuses everyone: a view that forgets to speak about permission is shut."""

    def has_permission(self, request: Request, view: object) -> bool:
        return False


class CookieAuthentication(SessionAuthentication):
    """Django's session with CSRF protection; a missing login is a 401, which asks to sign in."""

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'
