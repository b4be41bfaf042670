"""Limit what hangs together: shaping a cluster of characters takes a time that grows with its square, or fails.

A cluster is a letter with its marks, or letters joined by a virama (UAX #29). Words of any language have a dozen
characters in one; texts made to disturb have thousands.
"""

import re
import unicodedata

MAX_CLUSTER_LENGTH = 32  # characters; the shaper of Indic scripts fails beyond 127
_BREAK = "\u200b"  # a zero-width space, at which a line may break
_VIRAMA = 9  # the combining class
_LONG_RUN = re.compile(f"[^\\x00-\\u02ff]{{{MAX_CLUSTER_LENGTH + 1},}}")  # Latin letters join nothing


def limit_clusters(text: str) -> str:
    """Return the text with clusters of at most `MAX_CLUSTER_LENGTH` characters: marks beyond are left out."""
    return text if text.isascii() else _LONG_RUN.sub(lambda run: _limited(run[0]), text)


def _limited(run: str) -> str:
    kept: list[str] = []
    length, joins = 0, False
    for char in run:
        is_mark = char == "\u200d" or unicodedata.category(char).startswith("M")
        length = length + 1 if is_mark or joins else 1
        if length > MAX_CLUSTER_LENGTH and is_mark:
            continue
        if length > MAX_CLUSTER_LENGTH:
            kept.append(_BREAK)
            length = 1
        kept.append(char)
        joins = char == "\u200d" or unicodedata.combining(char) == _VIRAMA
    return "".join(kept)
