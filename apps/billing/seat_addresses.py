"""Read the email addresses that someone typed or pasted, one per line."""

import re
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from apps.accounts.models import User

MAX_TEXT_LENGTH = 30_000
MAX_ADDRESS_LENGTH = 254
_BREAKS = re.compile(r"[\r\n,;\t]+")
_ANGLED = re.compile(r"[^<>]*<([^<>]*)>[^<>]*")
_UNSEEN = dict.fromkeys([0x00, 0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF])
"""What is pasted along with addresses without being seen."""


@dataclass(frozen=True)
class AddressList:
    """``addresses``: valid and in their one spelling, each once; ``invalid`` and ``repeated``: as they were typed."""

    addresses: list[str]
    invalid: list[str]
    repeated: list[str]


def read_addresses(text: str) -> AddressList:
    """Return the addresses of a text: one per line, or with commas or semicolons between them.

    "Ravi Shah <ravi@halden.example>" is read as well, as mail programs paste it.
    """
    found: dict[str, None] = {}
    invalid, repeated = [], []
    for piece in _BREAKS.split(text.translate(_UNSEEN)):
        for typed in _words_of(piece.strip()):
            address = _address(typed)
            if address is None:
                invalid.append(typed)
            elif address in found:
                repeated.append(address)
            else:
                found[address] = None
    return AddressList(addresses=list(found), invalid=invalid, repeated=repeated)


def _words_of(piece: str) -> list[str]:
    angled = _ANGLED.fullmatch(piece)
    return [angled[1].strip() or piece] if angled else piece.split()


def _address(typed: str) -> str | None:
    bare = typed.strip("\"'").removeprefix("mailto:")
    if len(bare) > MAX_ADDRESS_LENGTH:
        return None
    address = User.objects.normalize_email(bare)
    try:
        validate_email(address)
    except ValidationError:
        return None
    return address if address.isascii() and len(address) <= MAX_ADDRESS_LENGTH else None
