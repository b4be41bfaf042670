"""The WebAuthn relying party: the name under which this site asks browsers for passkeys.

Browsers bind a passkey to a domain name and accept no IP address, so a site at 127.0.0.1 offers passkeys under
http://localhost only.
"""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


@dataclass(frozen=True)
class RelyingParty:
    """``id`` is the domain name, ``origin`` the only address whose pages may answer a challenge."""

    id: str
    origin: str
    name: str


def site_relying_party() -> RelyingParty | None:
    """The site's relying party; None if SITE_URL is an IP address that is not local."""
    parts = urlsplit(settings.SITE_URL)
    host = parts.hostname or ""
    if _is_address(host):
        if not ipaddress.ip_address(host).is_loopback:
            return None
        host = "localhost"
    port = f":{parts.port}" if parts.port else ""
    return RelyingParty(host, f"{parts.scheme}://{host}{port}", settings.SITE_NAME)


def relying_party_of(request: HttpRequest) -> RelyingParty | None:
    """The site's relying party if this page is open under its origin, else None."""
    party = site_relying_party()
    return party if party is not None and f"{request.scheme}://{request.get_host()}" == party.origin else None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
