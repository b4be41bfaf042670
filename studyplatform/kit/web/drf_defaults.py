"""DRF's defaults: closed, signed in by cookie, JSON of a sensible depth.

Apart from kit/web/api.py because DRF imports them while it loads itself.
"""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
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


MAX_DEPTH = 32  # lists and objects within each other; no call needs more than six


class JsonParser(JSONParser):
    """DRF's, for bodies whose lists and objects are not nested without end: Python gives up on those with a crash."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """
        :raises ParseError: it is no JSON, or nested too deep.
        """
        try:
            sent = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError from None
        level = [sent]
        for _ in range(MAX_DEPTH):
            inner = [
                list(one.values()) if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
            ]
            if not inner:
                return sent
            level = [child for children in inner for child in children]
        raise ParseError
