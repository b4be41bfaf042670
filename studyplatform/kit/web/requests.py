"""Read a request: the search text of a list, and a safe URL to redirect to."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def search_query(request: HttpRequest, *, max_length: int = 100) -> str:
    """The search text of a list (``q``): at most ``max_length`` characters, without NUL, which PostgreSQL rejects."""
    return request.GET.get("q", "").replace("\x00", "").strip()[:max_length]


def safe_next(request: HttpRequest, address: str | None, default: str) -> str:
    """The URL if it belongs to this site, else the default: users are never redirected to another site."""
    if address and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return address
    return default
