"""Text in the form in which it is indexed and searched (docs/adr/0045).

A text becomes words, the same for both databases, and for what is searched in memory. Words are folded: case, accents,
widths, and letters that are written in several ways. Chinese, Japanese, Korean and the scripts of Southeast Asia, which
do not mark words, become pairs of characters: a search finds a text that has all pairs of the searched run. Signs that
belong to a name stay: "C++", "C#", ".NET", "Node.js".
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from snowballstemmer import stemmer

MAX_WORD_LENGTH = 40  # characters; a longer word is several
_COMPOUNDING = {"de", "nl", "sv", "da", "nb", "nn", "no"}  # languages whose words are written together
_MIN_COMPOUND, _MIN_PART = 9, 4  # letters


def _ranges_of_marks() -> str:
    """Return the marks that belong to a word, as the inside of a character class: re's \\w lacks them."""
    parts, start, previous = [], -1, -2
    for point in (*range(0x300, 0x11FFF), *range(0x1E000, 0x1EFFF)):
        if unicodedata.category(chr(point))[0] != "M":
            continue
        if point != previous + 1:
            if start >= 0:
                parts.append(f"\\U{start:08x}-\\U{previous:08x}")
            start = point
        previous = point
    return "".join([*parts, f"\\U{start:08x}-\\U{previous:08x}"])


_EAST_ASIAN = (
    r"\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\uff66-\uff9f\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff\u3131-\u318e\U00020000-\U0003ffff"
)
_SOUTH_EAST_ASIAN = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u17dd"
_MARKS = _ranges_of_marks()
_JOINERS = r"\u200c\u200d\u00ad"
_PAIRED = f"[{_EAST_ASIAN}]+|[{_SOUTH_EAST_ASIAN}]+"
# Letters, digits and marks that are not of the scripts above.
_LETTERS = rf"(?:(?![{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}_])[\w{_MARKS}{_JOINERS}])"
# Names with signs: C++ and C#, A/B and R&D, .NET, Node.js.
_SIGNED = (
    r"[A-Za-z]{1,3}(?:\+\+|\#)(?![\w+#])|(?<![\w/])[A-Za-z]/[A-Za-z](?![\w/])|(?<!\w)[A-Za-z]{1,3}&[A-Za-z]{1,3}(?!\w)"
)
_DOTTED = r"(?<![\w.])\.(?:NET|net|Net)(?!\w)|[A-Za-z]{2,20}\.(?:js|JS|io|ai)(?!\w)"
_WORD = re.compile(rf"(?<!\w)(?:{_SIGNED})|{_DOTTED}|{_PAIRED}|{_LETTERS}{{1,{MAX_WORD_LENGTH}}}")
_ASCII_WORD = re.compile(rf"(?<!\w)(?:{_SIGNED})|{_DOTTED}|[A-Za-z0-9]{{1,{MAX_WORD_LENGTH}}}")
_PLAIN_WORD = re.compile(rf"[A-Za-z0-9]{{1,{MAX_WORD_LENGTH}}}")
# Parts that others write as one word: "e-mail", "COVID-19", "L'Hôpital".
_FIRST_PART = rf"[^\W_{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}]{{1,20}}"
_JOINABLE = re.compile(rf"(?<![\w'’-]){_FIRST_PART}(?:[-‐‑'’][^\W_]{{1,20}}){{1,3}}(?![\w'’-])")
_MAY_HAVE_SIGNED = re.compile(r"[+#/&]|\.(?:net|js|io|ai)", re.IGNORECASE)
_IS_PAIRED = re.compile(f"[{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}]")
_IS_EAST_ASIAN = re.compile(f"[{_EAST_ASIAN}]")
_SIGNS = {"+": "plus", "#": "sharp", "/": "slash", "&": "and", ".": "dot"}
_HAS_SIGN = re.compile(r"[+#/&.]")
KEPT_MARKS = {"\u3099", "\u309a"}  # か and が are different letters
# Letters that decompose into nothing, or that are written in several ways.
_LETTERS_ALIKE = str.maketrans(
    {
        "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ŋ": "n",
        "ٱ": "ا", "ى": "ي", "ی": "ي", "ې": "ي", "ے": "ي", "ک": "ك", "ڪ": "ك", "ة": "ه", "ہ": "ه", "ھ": "ه", "ۀ": "ه",
        "ە": "ه", "ۂ": "ه", "ـ": "", "\u200c": "", "\u200d": "", "\u00ad": "", "ँ": "ं", "і": "и", "ѣ": "е",
        **{chr(point): chr(point - 0x60) for point in range(0x30A1, 0x30F7)},
    }
)  # fmt: skip
NASAL_BEFORE_CONSONANT = "[ङञणनम]्(?=[क-ह])"  # before a consonant it may be written as a dot
_ARABIC_PREFIX = re.compile("^(?:(?:و?(?:ال|بال|كال|فال)|و?لل)(?=.{2,})|و(?=.{4,}))")
_ARABIC_SUFFIX = re.compile("(?<=.{3})(?:ها|ان|ات|ون|ين|يه|ه|ي)$")
_HEBREW_PREFIXES = frozenset("והבלכמש")
_MIN_HEBREW = 3
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_FULL_WIDTH = {point: point - 0xFEE0 for point in range(0xFF01, 0xFF5F)}
_cyrillic, _greek, _stemming = stemmer("russian"), stemmer("greek"), threading.Lock()


class Word(NamedTuple):
    """A word of a text as it is searched, and its place in the text."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Return the text in lower case and without accents, with one form for letters that have several."""
    if text.isascii():  # most texts are, and have no accents to remove
        return text.casefold()
    folded = re.sub(NASAL_BEFORE_CONSONANT, "ं", unicodedata.normalize("NFC", text.casefold()))
    decomposed = unicodedata.normalize("NFKD", folded)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char) or char in KEPT_MARKS)
    return unicodedata.normalize("NFC", _digits(plain).translate(_LETTERS_ALIKE))


def has_east_asian(text: str) -> bool:
    """Return whether any letter is Chinese, Japanese or Korean, where names are written without spaces."""
    return _IS_EAST_ASIAN.search(text) is not None


def _digits(text: str) -> str:
    if not any(char.isdecimal() and not char.isascii() for char in text):
        return text
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def split_words(text: str) -> list[str]:
    """Return the words that a search for a text looks for, folded, in their order."""
    if text.isascii():  # the same, in a fraction of the time
        pattern = _ASCII_WORD if _MAY_HAVE_SIGNED.search(text) else _PLAIN_WORD
        return pattern.findall(text.casefold())
    return [word.text for word in find_words(text)]


def find_words(text: str, *, for_index: bool = False, language: str = "") -> Iterator[Word]:
    """Yield the words of a text.

    ``for_index`` adds under what else a word is found: single characters of runs without spaces, the parts of names
    with signs ("C" of "C++"), words without their hyphens ("email" of "e-mail"), "mueller" for "Müller", and in
    languages that write words together (``language``, BCP 47), the ends of long ones.
    """
    text = text.translate(_FULL_WIDTH) if not text.isascii() else text
    is_compounding = for_index and language.partition("-")[0].lower() in _COMPOUNDING
    for found in (_ASCII_WORD if text.isascii() else _WORD).finditer(text):
        raw, start, end = found[0], found.start(), found.end()
        if _IS_PAIRED.match(raw):
            yield from _pairs(raw, start, for_index=for_index)
        elif _HAS_SIGN.search(raw):
            yield Word(raw.casefold(), start, end)
            if for_index:
                parts = re.findall(r"\w+", raw.casefold())
                forms = [*parts, "".join(parts)] if len(parts) > 1 else parts
                yield from (Word(form, start, end) for form in forms)
        else:
            forms = _forms(raw, is_compounding=is_compounding) if for_index else [normalize_word(raw)]
            yield from (Word(form, start, end) for form in forms if form)
    if for_index:
        yield from _joined_words(text)


def _joined_words(text: str) -> Iterator[Word]:
    """Yield words with hyphens and apostrophes as others write them: "email" for "e-mail"."""
    for found in _JOINABLE.finditer(text):
        joined = normalize_word(re.sub(r"[\W_]", "", found[0]))
        if joined and len(joined) <= MAX_WORD_LENGTH:
            yield Word(joined, found.start(), found.end())


def _pairs(raw: str, start: int, *, for_index: bool) -> Iterator[Word]:
    run = fold(raw)
    is_same = len(run) == len(raw)  # else a pair is found in the whole run
    for place in range(len(run)):
        if for_index or len(run) == 1:
            yield Word(run[place], *((start + place, start + place + 1) if is_same else (start, start + len(raw))))
        if place + 1 < len(run):
            span = (start + place, start + place + 2) if is_same else (start, start + len(raw))
            yield Word(run[place : place + 2], *span)


def _forms(raw: str, *, is_compounding: bool) -> list[str]:
    word = normalize_word(raw)
    forms = [word]
    if not raw.isascii():
        spelled = normalize_word(raw.casefold().translate(_UMLAUTS))
        if spelled != word:
            forms.append(spelled)
    if is_compounding and len(word) >= _MIN_COMPOUND and word.isalpha():
        forms += [word[place:] for place in range(3, len(word) - _MIN_PART + 1)]
    return forms


@lru_cache(maxsize=50_000)
def normalize_word(word: str) -> str:
    """Return a word folded, and without endings and prefixes where its script tells the language.

    Arabic: the article and common endings (light stemming, Larkey et al. 2002); Hebrew: prefixed particles; Cyrillic
    and Greek: Snowball. English endings are left to the databases, which stem what is written in Latin letters.
    """
    folded = fold(word)
    if folded.isascii():
        return folded
    first = folded[0]
    if "\u0600" <= first <= "\u06ff":
        bare = _ARABIC_PREFIX.sub("", folded)
        return _ARABIC_SUFFIX.sub("", bare)
    if "\u05d0" <= first <= "\u05ea":
        while len(folded) > _MIN_HEBREW and folded[0] in _HEBREW_PREFIXES:
            folded = folded[1:]
        return folded
    if "\u0400" <= first <= "\u04ff":
        return _stem(_cyrillic, folded)
    if "\u0370" <= first <= "\u03ff":
        return _stem(_greek, _stem(_greek, folded))  # the first leaves φιλοσοφι of φιλοσοφίας, but φιλοσοφ of φιλοσοφία
    return folded


def _stem(language: Any, word: str) -> str:
    with _stemming:  # a stemmer keeps the word in itself
        return str(language.stemWord(word))


def encode_word(word: str) -> str:
    """Return a word in letters and digits that both databases read as one word and do not stem unless it is English.

    Each character that is not ASCII becomes its number: five digits, or 9 and seven; the start of an encoded word
    encodes the start of the word.
    """
    if word.isascii():
        return _HAS_SIGN.sub(lambda sign: _SIGNS[sign[0]], word)
    return "u" + "".join(f"{ord(char):05d}" if ord(char) < 0x10000 else f"9{ord(char):07d}" for char in word)


def index_text(text: str, *, language: str = "") -> str:
    """Return a text as the databases index it: its encoded words, with spaces between them."""
    is_plain = text.isascii() and language.partition("-")[0] not in _COMPOUNDING
    if is_plain and not _MAY_HAVE_SIGNED.search(text):
        return " ".join([*split_words(text), *(word.text for word in _joined_words(text))])
    return " ".join(encode_word(word.text) for word in find_words(text, for_index=True, language=language))
