r"""Accepted answers in which ``*`` stands for any text: ``*cell``, ``photo*sis``. ``\*`` is an asterisk."""

import re
from collections.abc import Sequence

_PIECE = re.compile(r"\\\*|\*|[^*\\]+|\\")


def has_wildcard(pattern: str) -> bool:
    """Return whether a pattern has a ``*`` that stands for any text."""
    return any(piece == "*" for piece in _PIECE.findall(pattern))


def split_pattern(pattern: str) -> list[str]:
    r"""Return the texts between the wildcards, at least two of a pattern that has one; ``\*`` is ``*`` in them."""
    parts = [""]
    for piece in _PIECE.findall(pattern):
        if piece == "*":
            parts.append("")
        else:
            parts[-1] += "*" if piece == "\\*" else piece
    return parts


def matches(text: str, parts: Sequence[str]) -> bool:
    """Return whether a text has these parts in their order, the first at its beginning and the last at its end.

    Each is searched once, from the left: there is no text for which this takes long.
    """
    first, *between, last = parts
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in between:
        found = text.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True


def show_pattern(pattern: str) -> str:
    """Return a pattern as learners read it: an ellipsis for each wildcard."""
    return "…".join(split_pattern(pattern))
