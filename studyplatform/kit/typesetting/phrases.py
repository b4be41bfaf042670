"""Names, titles and lines of text, prepared for the templates of documents."""

import unicodedata
from typing import Any

from django.utils.translation import get_language

from studyplatform.kit.typesetting.fonts import DISPLAY, PLAIN, PLAIN_FALLBACK, characters_of, find_unprintable

_EAST_ASIAN_BY_LANGUAGE = {"ja": "JP", "ko": "KR", "zh": "SC"}
_TRADITIONAL = {"tw": "TC", "hant": "TC", "mo": "HK", "hk": "HK"}
_RIGHT_TO_LEFT, _LEFT_TO_RIGHT = {"R", "AL"}, {"L"}


def make_phrase(text: str, *, language: str = "") -> dict[str, Any]:
    """Return a text as the function ``phrase`` of ``common.typ`` takes it.

    ``language`` is the BCP 47 tag of the text, by default that of the interface; it decides how Han characters are
    drawn. Kana and Hangul tell it by themselves. The base direction is that of the first letter with one (UAX #9, P2).
    A character that no font can write becomes its number, which the template draws in a box.
    """
    clean = " ".join(unicodedata.normalize("NFC", text).split())
    unprintable = set(find_unprintable(clean))
    parts: list[Any] = []
    for char in clean:
        if char in unprintable:
            parts.append({"missing": f"{ord(char):04X}"})
        elif parts and isinstance(parts[-1], str):
            parts[-1] += char
        else:
            parts.append(char)
    return {
        "parts": parts,
        "rtl": is_right_to_left(clean),
        "lang": (language or get_language() or "en").partition("-")[0],
        "cjk": east_asian_variant(clean, language or get_language() or "en"),
        # A name is not set in two fonts because the first lacks one of its Latin letters.
        "display": _has_all_latin(clean, DISPLAY),
        "plain": _has_all_latin(clean, PLAIN),
    }


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter with a direction is written from right to left (UAX #9, P2)."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in _RIGHT_TO_LEFT or kind in _LEFT_TO_RIGHT:
            return kind in _RIGHT_TO_LEFT
    return False


def east_asian_variant(text: str, language: str) -> str:
    """Return which of the regional forms of Han characters a text is written in: "SC", "TC", "HK", "JP" or "KR"."""
    if any(0x3040 <= ord(char) <= 0x30FF for char in text):
        return "JP"
    if any(0xAC00 <= ord(char) <= 0xD7AF or 0x1100 <= ord(char) <= 0x11FF for char in text):
        return "KR"
    first, *others = language.lower().split("-")
    if first == "zh":
        return next((_TRADITIONAL[each] for each in others if each in _TRADITIONAL), "SC")
    return _EAST_ASIAN_BY_LANGUAGE.get(first, "SC")


def _has_all_latin(text: str, family: str) -> bool:
    known = characters_of(family)
    letters = {char for char in text if char.isalpha() and "LATIN" in unicodedata.name(char, "")}
    return all(ord(char) in known or ord(char) not in characters_of(PLAIN_FALLBACK) for char in letters)
