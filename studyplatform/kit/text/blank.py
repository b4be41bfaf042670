"""Texts that look empty."""

import unicodedata

BLANKS = "\u2800\u3164\uffa0\U0001d159"  # letters and signs that look like a space
_UNSEEN = {*BLANKS, "\u115f", "\u1160"}  # the last two are parts of old Hangul syllables


def stripped(text: str) -> str:
    """Return the text without spaces around it; "" if nothing in it can be seen, as of zero-width characters."""
    return text.strip() if any(_is_seen(char) for char in text) else ""


def _is_seen(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNPS" and char not in _UNSEEN
