"""Compare a typed answer with an accepted one, as a fair teacher would.

What keyboards and programs change without being asked is unified: normalization, spaces, typographic quotes and
hyphens, full-width forms, invisible characters. What somebody wrote is kept: signs, accents, powers. Accents are
forgiven only where the teacher allows it, and never those that make another letter: "ano" is not "año".
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from studyplatform.kit.text.wildcards import has_wildcard, matches, split_pattern

_INVISIBLE = dict.fromkeys(
    [
        *map(ord, "\u00ad\u034f\u061c\u180e\ufeff\u0640"),  # with the Arabic tatweel, which only stretches a word
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)
_TYPOGRAPHIC = str.maketrans(
    {
        **dict.fromkeys(
            "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u02b9\u02bb\u02bc\u02bd\u05f3\u055a\ua78c\u00b4", "'"
        ),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u05f4\u301d\u301e\u301f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u05be\u2043\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2044\u2215", "/"),
        "\u2026": "...",
        # Keyboards of Windows and of other systems write these Japanese signs with different characters.
        "\u301c": "~",
        "\u2016": "\u2225",
    }
)
_BACKTICK_IN_WORD = re.compile(r"(?<=[^\W\d_])`(?=[^\W\d_])")
# Compatibility forms that are another way to write the same character. Others mean something: powers, ℝ, ①, ½.
_SAME_CHARACTER = {
    "<wide>", "<narrow>", "<small>", "<noBreak>", "<compat>", "<vertical>", "<square>",
    "<initial>", "<medial>", "<final>", "<isolated>",
}  # fmt: skip
_FULL_STOPS = ".\u3002\uff0e\uff61\u0964\u06d4\u0589\u1362"
_IN_WORDS = " '-,"
_WILDCARD = "\ufdd0"  # a character that no text has

# --- Accents -----------------------------------------------------------------------------------------
_GRAVE, _ACUTE, _CIRCUMFLEX, _TILDE, _MACRON, _BREVE, _DIAERESIS, _CARON = map(
    chr, (0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x308, 0x30C)
)
_TONES = _GRAVE + _ACUTE + _CIRCUMFLEX + _MACRON + _CARON
_LATIN = {
    **dict.fromkeys("aou", _TONES),
    **dict.fromkeys("eiy", _TONES + _DIAERESIS),  # naïve; but ä, ö and ü are letters
    "w": _TONES + _DIAERESIS,
    "æ": _ACUTE + _MACRON,
    "ø": _ACUTE,
}
_LATIN["a"] += _TILDE  # Portuguese; but ñ and õ are letters
_GREEK = "\u0300\u0301\u0304\u0306\u0308\u0313\u0314\u0342\u0345"
_CYRILLIC = dict.fromkeys("аеиоуыэюяёєіїў", _GRAVE + _ACUTE)  # stress; but й, ё, ї and ў are letters
_POINTS = {  # of Hebrew, and the vowel signs of Arabic, which usually stay unwritten
    *map(chr, range(0x591, 0x5BE)), *map(chr, (0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7)),
    *map(chr, range(0x610, 0x61B)), *map(chr, range(0x64B, 0x653)), "\u0670", *map(chr, range(0x6D6, 0x6DD)),
}  # fmt: skip
# Letters of a language's alphabet, and marks that its readers see as accents: the primary differences of CLDR's
# collations, https://cldr.unicode.org/index/cldr-spec/collation-guidelines
_LETTERS = {
    "fo": "áíóúý", "is": "áéíóúý", "pl": "ó", "ro": "âî", "sk": "ô", "sq": "ë", "vi": "âêô", "gn": "ã",
    "hu": "", "cy": "",
}  # fmt: skip
_ACCENTED = {"ca": "çü", "es": "ü", "fr": "çüù", "pt": "çõü", "nl": "äöü", "it": "ü", "ru": "ё", "be": "", "en": "çöü"}


@dataclass(frozen=True)
class Strictness:
    """How an answer is compared. ``language`` (BCP 47) says which marks make letters; "" for what holds everywhere.

    With ``has_wildcards``, ``*`` in an accepted answer stands for any text (``wildcards``).
    """

    ignores_accents: bool = False
    is_case_sensitive: bool = False
    language: str = ""
    has_wildcards: bool = False


def is_same_answer(given: str, accepted: str, strictness: Strictness) -> bool:
    """Return whether a typed answer is the accepted one.

    An accepted answer of signs only ("!=", ";") is compared as it is; if it can be typed on a keyboard, typographic and
    full-width forms of its signs count as well. The full stop after words is forgiven, and after a number if none is
    asked for.
    """
    if strictness.has_wildcards and has_wildcard(accepted):
        return _matches_pattern(given, accepted, strictness)
    if strictness.has_wildcards:
        accepted = accepted.replace("\\*", "*")
    if not _has_words(accepted) or not _has_words(given):
        return _same_signs(given, accepted)
    keys = _keys(accepted, strictness)
    if keys & _keys(given, strictness):
        return True
    plain, plain_accepted = _without_full_stop(given), _without_full_stop(accepted)
    if _is_number(accepted):
        plain = given.strip().removesuffix(".")
    if (plain, plain_accepted) == (given, accepted):
        return False
    return bool(_keys(plain, strictness) & _keys(plain_accepted, strictness))


def is_duplicate(text: str, others: list[str], strictness: Strictness) -> bool:
    """Return whether an accepted answer says nothing new beside others."""
    return any(is_same_answer(text, other, strictness) for other in others)


def _matches_pattern(given: str, pattern: str, strictness: Strictness) -> bool:
    """Return whether an answer has the texts between the wildcards, compared as whole answers are."""
    patterns = [key.split(_WILDCARD) for key in _keys(_WILDCARD.join(split_pattern(pattern)), strictness)]
    readings = (given, _without_full_stop(given))
    keys = {key for reading in readings for key in _keys(reading.replace(_WILDCARD, ""), strictness)}
    return any(matches(key, parts) for key in keys for parts in patterns)


def _same_signs(given: str, accepted: str) -> bool:
    first, second = (" ".join(unicodedata.normalize("NFC", _seen(text)).split()) for text in (given, accepted))
    return first == second or (second.isascii() and second in _spellings(first))


def _has_words(text: str) -> bool:
    return any(unicodedata.category(char)[0] in "LN" for char in _unified(text))


def _seen(text: str) -> str:
    return text.translate(_INVISIBLE)


@lru_cache(maxsize=2048)
def _keys(text: str, strictness: Strictness) -> frozenset[str]:
    """Return the forms of a text that are compared: two answers are the same if they share one."""
    folded = _spellings(text)
    if not strictness.is_case_sensitive:
        folded = {folded for spelling in folded for folded in _without_case(spelling)}
    if strictness.ignores_accents:
        folded = {_without_accents(one, strictness.language) for one in folded}
    return frozenset(unicodedata.normalize("NFC", one) for one in folded)


def _spellings(text: str) -> set[str]:
    """Return the unified text; two of them with a dash of which phones and editors make "--"."""
    spellings = {_unified(text)}
    if "\u2014" in text:
        spellings.add(_unified(text.replace("\u2014", "--")))
    return spellings


def _unified(text: str) -> str:
    text = unicodedata.normalize("NFC", _seen(text)).translate(_TYPOGRAPHIC)
    text = text if text.isascii() else unicodedata.normalize("NFC", "".join(map(_usual_form, text)))
    return _BACKTICK_IN_WORD.sub("'", " ".join(text.translate(_TYPOGRAPHIC).split()))


@lru_cache(maxsize=4096)
def _usual_form(char: str) -> str:
    """Return "Ａ" as "A" and "ﬁ" as "fi"; "²" and "ℝ" stay."""
    tag, _space, parts = unicodedata.decomposition(char).partition(" ")
    if unicodedata.name(char, "").startswith(("MATHEMATICAL ITALIC ", "MATHEMATICAL SANS-SERIF ITALIC ")):
        return unicodedata.normalize("NFKC", char)
    if tag not in _SAME_CHARACTER or (parts.startswith("0020 ") and char not in "\u3000"):
        return char
    # Step by step: "㎡" is "m²", which is not "m2".
    return "".join(_usual_form(chr(int(part, 16))) for part in parts.split())


def _without_case(text: str) -> set[str]:
    folded = {_fold_case(text), _fold_case(text.replace("I", "ı"))}  # a capital I is that of i or, in Turkish, of ı
    if "SS" in text and text == text.upper():
        folded.add(_fold_case(text.replace("SS", "ß")))  # STRASSE is Straße, but Masse is not Maße
    return folded


def _fold_case(text: str) -> str:
    text = unicodedata.normalize("NFC", text.replace("İ", "i"))
    # Unicode's simple case folding: the full one makes "ss" of ß, which is another spelling.
    return "".join(folded if len(folded := char.casefold()) == 1 else char.lower() for char in text)


def _without_full_stop(text: str) -> str:
    """Return words without the full stop after them. "e.g.", "a.b." and "x." keep it: there it may mean something."""
    bare = _seen(text).strip()
    words = bare[:-1]
    if (
        not bare.endswith(tuple(_FULL_STOPS))
        or words[-1:].isspace()
        or not all(_is_word_character(char) for char in words)
    ):
        return text
    least = 2 if bare[-1] == "." else 1
    return words if sum(unicodedata.category(char)[0] == "L" for char in words) >= least else text


def _is_number(text: str) -> bool:
    return text.strip().isdigit()


def _is_word_character(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM" or char.translate(_TYPOGRAPHIC) in _IN_WORDS or char.isdigit()


def _without_accents(text: str, language: str) -> str:
    code = language.replace("_", "-").partition("-")[0].lower()
    letters, accented = _LETTERS.get(code, ""), _ACCENTED.get(code, "")
    kept: list[str] = []
    for char in unicodedata.normalize("NFD", text):
        if not unicodedata.combining(char) and not unicodedata.category(char).startswith("M"):
            kept.append(char)
            continue
        if char in _POINTS:
            continue
        base = next((one for one in reversed(kept) if not unicodedata.combining(one)), "")
        letter = unicodedata.normalize("NFC", base.lower() + char)
        if letter in accented or (letter not in letters and _is_accent(base, char)):
            continue
        kept.append(char)
    return "".join(kept)


def _is_accent(base: str, mark: str) -> bool:
    name = unicodedata.name(base, "") if base else ""
    if name.startswith("GREEK"):
        return mark in _GREEK
    return mark in _LATIN.get(base.lower(), "") or mark in _CYRILLIC.get(base.lower(), "")
