"""What a request asks for: the search text of a list, and a safe address to go to next."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def search_query(request: HttpRequest, *, most: int = 100) -> str:
    """The words that a list is search_query for (``q``), without the sign that PostgreSQL refuses in any text."""
    return request.GET.get("q", "").replace("\x00", "").strip()[:most]


def safe_next(request: HttpRequest, address: str | None, default: str) -> str:
    """The address if it belongs to this site, else the default: nobody is sent elsewhere."""
    if address and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return address
    return default
