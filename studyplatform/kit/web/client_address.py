"""The client's IP address, used by rate limits and stored with sessions."""

from ipaddress import IPv4Address, IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address


def client_address(request: HttpRequest) -> str:
    """The IP address of the client, "" if it is unknown.

    What a proxy reports in ``X-Forwarded-For`` counts only if the proxy is one of ``TRUSTED_PROXIES``: anybody
    can send that header. The nearest address that is not a trusted proxy is the client's.
    """
    address = _parse(request.META.get("REMOTE_ADDR", ""))
    hops = request.headers.get("X-Forwarded-For", "").split(",") if settings.TRUSTED_PROXIES else []
    while address is not None and _is_trusted(address) and hops:
        before = _parse(hops.pop())
        if before is None:
            break
        address = before
    return str(address) if address else ""


def neighborhood(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 network from which an IPv6 client can choose."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return address


def _is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def _parse(text: str) -> Address | None:
    try:
        # Drop the zone of a link-local address ("%eth0"): it names our interface, and PostgreSQL rejects it.
        parsed = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return mapped or parsed
