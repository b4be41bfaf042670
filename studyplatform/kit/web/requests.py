"""Read a request: the search text of a list, a moment in an address, and a safe URL to redirect to."""

from datetime import UTC, datetime

from django.http import HttpRequest
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme

MAX_ADDRESS_LENGTH = 4_000  # characters of an address that users are redirected to: Django refuses to send long ones


def search_query(request: HttpRequest, *, max_length: int = 100) -> str:
    """The search text of a list (``q``): at most ``max_length`` characters, without NUL, which PostgreSQL rejects."""
    return request.GET.get("q", "").replace("\x00", "").strip()[:max_length]


def moment_in(text: str) -> datetime | None:
    """The date and time in an address, in UTC; None if it is none, has no time zone, or no database can store it."""
    try:
        found = parse_datetime(text) if len(text) <= 40 else None
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def safe_next(request: HttpRequest, address: str | None, default: str) -> str:
    """The URL if it is a path or an address of this site and not too long, else the default: users are never
    redirected to another site. A word without a slash is the name of a view to Django, or a path beside the page.
    """
    if (
        address
        and address.startswith(("/", "http://", "https://"))
        and len(address) <= MAX_ADDRESS_LENGTH
        and url_has_allowed_host_and_scheme(
            address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        )
    ):
        return address
    return default
