"""Texts that look empty."""

import re
import unicodedata

BLANKS = "\u2800\u3164\uffa0\U0001d159"  # letters and signs that look like a space
_LINE_END = re.compile(r"\r\n?")
_UNSEEN = {*BLANKS, "\u115f", "\u1160"}  # the last two are parts of old Hangul syllables


def stripped(text: str) -> str:
    """Return the text without spaces around it; "" if nothing in it can be seen, as of zero-width characters."""
    return text.strip() if any(_is_seen(char) for char in text) else ""


def written(text: str) -> str:
    """Return a text as its author wrote it, with LF at the ends of its lines; "" if nothing in it can be seen.

    Spaces at the beginning have a meaning in Markdown: four of them begin a block of code.
    """
    return _LINE_END.sub("\n", text) if stripped(text) else ""


def _is_seen(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNPS" and char not in _UNSEEN
