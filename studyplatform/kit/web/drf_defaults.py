"""DRF's default classes: no permission, authentication by cookie, one format, JSON of limited depth.

Separate from kit/web/api.py because DRF imports them while it loads.
"""

import io
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class DenyAll(BasePermission):
    """Refuses everyone, so that a view without explicit permissions is closed."""

    def has_permission(self, request: Request, view: object) -> bool:
        return False


class CookieAuthentication(SessionAuthentication):
    """Django's session with CSRF protection. Without a signed-in user the response is 401 instead of 403."""

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class FirstRenderer(DefaultContentNegotiation):
    """Answer with the view's first renderer, whatever the request accepts.

    Each view offers one format, so comparing it with the ``Accept`` header could only refuse (RFC 9110, section 12.5.1,
    lets the server answer anyway).
    """

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)


MAX_DEPTH = 32  # levels of nested lists and objects; no call needs more than six


MAX_VALUES_IN_LARGE_BODY = 20_000  # a body above the default limit has a long text, not many values
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)


class JsonParser(JSONParser):
    """DRF's parser without what nothing can use: deep nesting, hundreds of thousands of values, and halves of surrogate
    pairs, which UTF-8 lacks.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Parse the body.

        :raises ParseError: it is not JSON, nested too deeply, has too many values, or text that cannot be saved or sent
            back.
        """
        raw = stream.read()
        if len(raw) > settings.API_BODY_LIMIT and _count_values(raw) > MAX_VALUES_IN_LARGE_BODY:
            raise ParseError
        try:
            sent = super().parse(io.BytesIO(raw), media_type, parser_context)
        except RecursionError:
            raise ParseError from None
        level = [sent]
        for _ in range(MAX_DEPTH):
            inner = [
                list(one.values()) if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
            ]
            if not all(map(_is_encodable, level)) or any(
                not _is_encodable(key) for one in level if isinstance(one, dict) for key in one
            ):
                raise ParseError
            if not inner:
                return sent
            level = [child for children in inner for child in children]
        raise ParseError


def _count_values(raw: bytes) -> int:
    """Return at least how many values JSON has, without parsing it."""
    outside = _STRING.sub(b"", raw)
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{")


def _is_encodable(value: object) -> bool:
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
