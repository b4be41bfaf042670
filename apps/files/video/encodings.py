"""The character encoding of a caption file."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import chardet
import ftfy

from .cues import LEGACY_ENCODINGS, TWICE_UTF_8

_WESTERN = ("cp1252", "iso8859-15", "mac-roman", "cp850", "cp437")
_CENTRAL = ("cp1250", "iso8859-2", "cp852", "iso8859-16")
_CYRILLIC = ("cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic")
_BALTIC = ("cp1257", "iso8859-13", "iso8859-4")
_ARABIC = ("cp1256", "iso8859-6")
_CHINESE = ("gb18030", "big5hkscs")
_JAPANESE = ("cp932", "euc_jis_2004", "iso2022_jp_2")
_KOREAN = ("cp949",)
#: The encodings in which files of a language are usual; of other languages the Western ones.
_BY_LANGUAGE = {
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "kk", "mn"), _CYRILLIC),
    **dict.fromkeys(("sr", "bs"), _CYRILLIC + _CENTRAL),
    **dict.fromkeys(("pl", "cs", "sk", "hu", "ro", "hr", "sl", "sq"), _CENTRAL),
    **dict.fromkeys(("lt", "lv"), _BALTIC),
    **dict.fromkeys(("ar", "fa", "ur"), _ARABIC),
    **dict.fromkeys(("tr", "az"), ("cp1254", "iso8859-9")),
    "et": (*_BALTIC, *_WESTERN),
    "el": ("cp1253", "iso8859-7"),
    "he": ("cp1255", "iso8859-8"),
    "vi": ("cp1258",),
    "th": ("cp874",),
    "zh": _CHINESE,
    "ja": _JAPANESE,
    "ko": _KOREAN,
}
#: A usual encoding of the language is preferred if it is at least this likely, compared with the likeliest of all.
_LANGUAGE_PREFERENCE = 0.2
#: Today's files come from Windows more often than from DOS, old Macs or rare standards.
_RARE = {"mac-roman", "cp850", "cp437", "cp852", "cp866", "iso8859-3", "iso8859-10", "iso8859-14"}
_RARE_WEIGHT = 0.8
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|(?P<long>\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{3})|(?P<bad>[\x80-\xff])"
)
_LONG_WEIGHT = 4  # a sequence of three or four bytes is hardly ever valid by accident
_SAMPLE_BYTES = 100_000
_PLAUSIBILITY_SAMPLE_BYTES = 20_000
_SIGNS_IN_WORDS = frozenset("’‘·–—…־")
_USUAL_SIGNS = frozenset("\xa0¡¿«»–—‘’‚“”„…·、。「」『』〈〉《》！？，：；（）・ー～،؛؟־")


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """The text of a file. ``is_guess``: its bytes also make sense in another encoding, so its author should look."""

    text: str
    encoding: str
    is_guess: bool


def decode(raw: bytes, *, language: str = "", encoding: str = "") -> Decoded:
    """Decode a file. What are no characters becomes U+FFFD, one for each damaged sequence; all else stays.

    :param language: the BCP 47 tag of what is said, if it is known; it helps to choose among similar encodings
    :param encoding: one of `cues.ENCODINGS`; without it, the encoding is recognized
    """
    for mark, name in _MARKS:
        if raw.startswith(mark) and encoding in ("", name):
            return Decoded(text=raw[len(mark) :].decode(name, "replace"), encoding=name, is_guess=False)
    if encoding:
        return Decoded(text=_decode_as(raw, encoding), encoding=encoding, is_guess=False)
    if wide := _wide_encoding(raw):
        return Decoded(text=raw.decode(wide, "replace"), encoding=wide, is_guess=False)
    if b"\x1b$" in raw:
        return Decoded(text=_decode_as(raw, "iso2022_jp_2"), encoding="iso2022_jp_2", is_guess=True)
    valid, damaged = _count_sequences(raw)
    if damaged * 2 > valid:
        name = _guess(raw, language)
        return Decoded(text=_decode_as(raw, name), encoding=name, is_guess=True)
    text = raw.decode("utf-8", "replace")
    if _is_encoded_twice(text):
        return Decoded(text=_decode_as(raw, TWICE_UTF_8), encoding=TWICE_UTF_8, is_guess=True)
    return Decoded(text=text, encoding="utf-8", is_guess=damaged * 3 > valid)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _decode_as(raw: bytes, encoding: str) -> str:
    if encoding != TWICE_UTF_8:
        return raw.decode(encoding, "replace")
    return "\n".join(_undo(line) for line in raw.decode("utf-8", "replace").split("\n"))


def _undo(line: str) -> str:
    return line if line.isascii() else ftfy.fix_encoding(line)


def _is_encoded_twice(text: str) -> bool:
    """Whether most lines with characters outside of ASCII become other, shorter ones when the second encoding goes."""
    lines = [line for line in text[:_SAMPLE_BYTES].split("\n") if not line.isascii()]
    return sum(len(_undo(line)) < len(line) for line in lines) * 2 > len(lines) if lines else False


def _wide_encoding(raw: bytes) -> str:
    """The encoding of two or four bytes per character that a file without a byte order mark has; empty if none.

    Times, digits and line ends are ASCII in every caption file, so their zero bytes show the form.
    """
    if len(raw) < 8 or b"\0" not in raw:
        return ""
    sample = raw[: _SAMPLE_BYTES // 4 * 4]
    zeros = [sample[at::4].count(0) / (len(sample) / 4) for at in range(4)]
    if min(zeros[2:]) > 0.9 and zeros[0] < 0.5:
        return "utf-32-le"
    if min(zeros[:2]) > 0.9 and zeros[3] < 0.5:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if odd > 0.3 and even < odd / 4:
        return "utf-16-le"
    if even > 0.3 and odd < even / 4:
        return "utf-16-be"
    return ""


MAX_COUNTED_SEQUENCES = 100_000  # enough to tell whether a file is UTF-8 with damage


def _count_sequences(raw: bytes) -> tuple[int, int]:
    """Of the first `MAX_COUNTED_SEQUENCES`: how many multibyte sequences of UTF-8 are valid, long ones with their
    weight, and how many bytes are damaged.
    """
    valid = damaged = 0
    for found in islice(_MULTIBYTE.finditer(raw), MAX_COUNTED_SEQUENCES):
        if found.lastgroup == "bad":
            damaged += 1
        else:
            valid += _LONG_WEIGHT if found.lastgroup == "long" else 1
    return valid, damaged


def _guess(raw: bytes, language: str) -> str:
    """The likeliest encoding of a file that is not Unicode."""
    # Lines of ASCII say nothing, and the model looks at a limited number of bytes.
    sample = b"\n".join(line for line in raw.replace(b"\r", b"\n").split(b"\n") if not line.isascii())
    found = chardet.detect_all(sample[:_SAMPLE_BYTES], ignore_threshold=True, include_encodings=LEGACY_ENCODINGS)
    scores: dict[str, float] = {}
    for each in found:
        if each["encoding"]:
            name = _OWN_NAMES.get(codecs.lookup(each["encoding"]).name, "")
            if name:
                weight = _RARE_WEIGHT if name in _RARE else 1.0
                scores[name] = each["confidence"] * weight * _plausibility(sample[:_PLAUSIBILITY_SAMPLE_BYTES], name)
    if not scores:
        return "cp1252"
    best = max(scores, key=lambda name: scores[name])
    usual = _BY_LANGUAGE.get(language.lower().partition("-")[0], _WESTERN)
    likely = [name for name in scores if name in usual]
    # English hardly needs more than ASCII: what is not ASCII in it belongs to another language.
    if likely and language.lower().partition("-")[0] not in {"en", "", "und"}:
        favorite = max(likely, key=lambda name: scores[name])
        if scores[favorite] >= _LANGUAGE_PREFERENCE * scores[best]:
            return favorite
    return best


def _plausibility(sample: bytes, encoding: str) -> float:
    """How much the text looks like speech in this encoding, 0 to 1.

    In another one, signs such as € or ™ are frequent, words have capitals ("соннЯ"), signs ("lu»ou") or letters of
    another script ("seдor") inside.
    """
    text = sample.decode(encoding, "replace")
    foreign = [
        (character, text[at - 1 : at], text[at + 1 : at + 2]) for at, character in enumerate(text) if character > "\x7f"
    ]
    good = sum(_is_usual(*each) for each in foreign)
    return (good / max(len(foreign), 1)) ** 2


@lru_cache(maxsize=65536)
def _is_usual(character: str, before: str, after: str) -> bool:
    """Whether a character that is not ASCII stands where people write it."""
    if not _is_letter(character):
        is_inside = before.isalpha() and after.isalpha() and unicodedata.category(before) != "Lo"
        return character in _USUAL_SIGNS and (not is_inside or character in _SIGNS_IN_WORDS)
    if character.isupper() and before.islower():
        return False
    neighbors = [each for each in (before, after) if each.isascii() and each.isalpha()]
    return not neighbors or unicodedata.name(character, "").startswith(("LATIN", "COMBINING"))


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


_OWN_NAMES = {codecs.lookup(name).name: name for name in LEGACY_ENCODINGS} | {
    "iso8859-1": "cp1252",
    "euc_kr": "cp949",
    "euc_jp": "euc_jis_2004",
    "shift_jis": "cp932",
    "iso2022_jp": "iso2022_jp_2",
    "big5": "big5hkscs",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
