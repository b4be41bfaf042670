"""Sizes in bytes as text."""

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
