"""The one spelling of an email address: what identifies an account, and what mail is sent to."""

import idna


def canonical_address(address: str) -> str:
    """Return the address in lowercase, with its domain as mail servers know it: "bücher.example" is
    "xn--bcher-kva.example" (RFC 5891), however it was typed.

    :raises ValueError: no domain can have this name.
    """
    address = address.strip().lower()
    local, at, domain = address.rpartition("@")
    if domain.isascii() and "xn--" not in domain:
        return address
    # UTS 46 maps what keyboards and autocorrection make of a name: composed letters, full width, other dots.
    return f"{local}{at}{idna.encode(domain, uts46=True).decode()}"
