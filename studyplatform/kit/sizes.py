"""Bytes as people say them."""

GIGABYTE = 2**30
UNITS = ("B", "kB", "MB", "GB", "TB")


def as_limit(size: int) -> str:
    """5 * 2**30 -> "5GB", as the texts about limits write it."""
    return f"{size / GIGABYTE:g}GB" if size >= GIGABYTE else as_size(size).replace(" ", "")


def as_size(size: int) -> str:
    """4_700_000_000 -> "4.4 GB", 512 -> "512 B"."""
    amount = float(max(size, 0))
    for unit in UNITS:
        if amount < 1024 or unit == UNITS[-1]:
            return f"{amount:.1f} {unit}" if unit in {"GB", "TB", "MB"} and amount < 100 else f"{amount:.0f} {unit}"
        amount /= 1024
    return ""
