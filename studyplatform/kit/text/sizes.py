"""Sizes in bytes as text."""

import re

from django.utils.translation import ngettext

UNITS = ("KB", "MB", "GB", "TB")


def as_size(size: int) -> str:
    """4_700_000_000 -> "4.4 GB", 5 * 2**30 -> "5 GB", 512 -> "512 bytes"; as in assets/shared/format."""
    if size < 1024:
        return ngettext("%(num)s byte", "%(num)s bytes", max(size, 0)) % {"num": f"{max(size, 0):,}"}
    amount, units = size / 1024, list(UNITS)
    while round(amount, 1) >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:,.1f}".removesuffix(".0") + f" {units[0]}"


def as_exact_size(size: int) -> str:
    """A size that `read_size` reads back exactly: 5 * 2**30 -> "5 GB", 5_000_000_000 -> "5000000000 bytes".

    For fields of forms; not translated, because `read_size` is not.
    """
    for power in range(len(UNITS), 0, -1):
        amount, rest = divmod(size, 1024**power)
        if amount and not rest:
            return f"{amount} {UNITS[power - 1]}"
    return f"{size} bytes"


def read_size(text: str) -> int:
    """The bytes of a size such as "20 GB", "500MB", "1.5 TB" or "512 bytes".

    :raises ValueError: it is neither a size in one of `UNITS` nor a number of bytes.
    """
    if found := re.fullmatch(r"([0-9]{1,16})\s*BYTES?", text.strip().upper(), re.ASCII):
        return int(found[1])
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMGT]B)", text.strip().upper(), re.ASCII)
    if not found:
        raise ValueError(text)
    unit: int = 1024 ** (UNITS.index(found[2]) + 1)
    return round(float(found[1]) * unit)
