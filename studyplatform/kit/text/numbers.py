"""Numbers as people write them.

Which sign separates decimals and which one groups digits follows from the number itself wherever it can: "1.234,5",
"1 234.5", "12,34,567". Only a number such as "1,234" has two readings; the learner's number format decides, by the
data of CLDR (https://cldr.unicode.org). assets/shared/questions/numbers.ts shows the same reading while somebody types;
the cases of tests/data/numbers.json check both.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol
from django.utils.translation import get_language, to_locale

MAX_LENGTH = 100  # characters of a number, with its spaces
MAX_DIGITS = 60
MAX_EXPONENT = 300  # of the first digit
MIN_LETTERS_OF_WORD = 4  # a unit is a word, in capitals or not; "MM" is not "mm"
MAX_LANGUAGES = 10  # of a header that are tried
PLAIN_DIGITS = range(-7, 21)  # exponents of the first digit whose numbers are shown without a power of ten

_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff]")
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e\u2189]")  # one half and its like
_SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079"
_SMALL_FRACTION = re.compile(f"([{_SUPERSCRIPTS}]+)\\s*[\u2044\u2215/]\\s*([\u2080-\u2089]+)")
_POWER = re.compile(f"[\u207a\u207b]?[{_SUPERSCRIPTS}]+")
_SUBSCRIPT = re.compile("[\u2080-\u208e]")
_DIGIT = re.compile(r"\d")
_SIGNS = str.maketrans(
    {
        # With the long vowel sign, which Japanese keyboards write for a hyphen.
        **dict.fromkeys("\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2796\u30fc", "-"),
        **dict.fromkeys("\u2018\u2019\u02bc\u2032`\u00b4", "'"),
        **dict.fromkeys("\u2044\u2215", "/"),
        **dict.fromkeys("\u2715\u00b7\u22c5\u2219\u2022*xX\u0445\u0425", "\u00d7"),
        "\u066a": "%",
        "\u060c": ",",
    }
)
_PERCENT = re.compile(r"([+-]?)\s*(?:([%\u2030])\s*(.+)|(.+?)\s*([%\u2030]))")
_FRACTION = re.compile(r"([+-]?)\s*(?:(\d+)\s+)?(\d+)\s*/\s*(\d+)")
_E = re.compile(r"(.+?)\s*[eE]\s*([+-]?\d{1,4})")
_TIMES_POWER = re.compile(
    r"([+-]?)\s*(?:(.+?)\s*\u00d7\s*)?10\s*(?:\^|\u00d7\u00d7)\s*(?:([+-]?\s*\d{1,4})|\(([+-]?\s*\d{1,4})\)|\{([+-]?\s*\d{1,4})\})"
)
_SIGNED = re.compile(r"([+-]?)\s*([\d.,\u066b\u066c'_ ]*\d[\d.,\u066b\u066c'_ ]*)")
_THOUSANDS = re.compile(r"\d+|\d{1,3}(?:([.,\u066c'_ ])\d{3})(?:\1\d{3})*")
_INDIAN = re.compile(r"\d{1,2}(?:([, ])\d{2})(?:\1\d{2})*\1\d{3}")  # lakhs and crores
_DECIMALS = re.compile(r"\d*|(?:\d{3}[ '_])+\d{1,3}")


class NotANumber(ValueError):
    """The text is no number, more than one, or too large or too long."""


@dataclass(frozen=True)
class NumberFormat:
    """How a language writes numbers: 1,234,567.5 in English, 12,34,567.5 in Hindi."""

    decimal: str
    group: str
    second_group: int = 3
    """Digits of the groups before the last one: 2 in India."""


@dataclass(frozen=True)
class ReadNumber:
    """A number that somebody wrote, and how to show it to them."""

    value: Fraction
    shown: str
    other: str = ""
    """What the text could also mean; "" if it has one reading only."""


ENGLISH = NumberFormat(".", ",")
_accepted_languages: ContextVar[str] = ContextVar("accepted_languages", default="")


def number_format() -> NumberFormat:
    """Return the format of the learner's own language, as their browser names it; otherwise that of the site."""
    return _format_of(_accepted_languages.get()[:200], get_language() or "en")


@contextmanager
def format_of_languages(accepted: str) -> Iterator[None]:
    """Read numbers as in the first known language of an ``Accept-Language`` header (RFC 9110, section 12.5.4)."""
    token = _accepted_languages.set(accepted)
    try:
        yield
    finally:
        _accepted_languages.reset(token)


@lru_cache(maxsize=256)
def _format_of(accepted: str, site_language: str) -> NumberFormat:
    weighted = []
    for place, part in enumerate(accepted.split(",")[:MAX_LANGUAGES]):
        tag, _sep, weight = part.partition(";")
        try:
            quality = float(weight.partition("=")[2] or 1)
        except ValueError:
            continue
        weighted.append((-quality, place, tag.strip()))
    for tag in [*(tag for _quality, _place, tag in sorted(weighted)), site_language]:
        if found := _format_of_language(tag):
            return found
    return ENGLISH


def _format_of_language(tag: str) -> NumberFormat | None:
    try:
        locale = Locale.parse(to_locale(tag))
        symbols = {"numbering_system": "latn"}  # other digits have separators of their own, which are not ambiguous
        decimal, group = get_decimal_symbol(locale, **symbols), get_group_symbol(locale, **symbols)
        second = locale.decimal_formats[None].grouping[1]
    except (UnknownLocaleError, ValueError, TypeError, KeyError):
        return None
    return NumberFormat(decimal, group, 2 if second == 2 else 3)


def read_number(text: str, writing: NumberFormat | None = None, *, unit: str = "") -> ReadNumber:
    """Read a number in any common notation.

    Decimals with a point or a comma, groups of digits, all digits of Unicode, fractions, mixed numbers, percent, powers
    of ten. ``unit`` may stand before or after the number; "%" as the unit makes "50%" mean 50, not a half.

    :raises NotANumber: the text cannot be read as one number.
    """
    writing = writing or number_format()
    if len(text) > MAX_LENGTH:
        raise NotANumber
    plain = _without_unit(_plain(text), _plain(unit))
    scale = 0
    if match := _PERCENT.fullmatch(plain):
        plain, scale = f"{match[1]}{match[3] or match[4]}", -2 if "%" in plain else -3
    if match := _FRACTION.fullmatch(plain):
        return _read_fraction(match, scale)
    exponent, sign, has_power = scale, "", True
    if match := _E.fullmatch(plain):
        plain, exponent = match[1], exponent + int(match[2])
    elif match := _TIMES_POWER.fullmatch(plain):
        sign, plain = match[1], match[2] or "1"
        exponent += int((match[3] or match[4] or match[5]).replace(" ", ""))
    else:
        has_power = False
    return _read_decimal(sign + plain, exponent, writing, has_power=has_power)


def _plain(text: str) -> str:
    """Return the text with ASCII digits and signs, one space at a time; powers in superscript as "^3"."""
    text = _INVISIBLE.sub("", text)
    text = _VULGAR.sub(lambda match: f" {unicodedata.normalize('NFKC', match[0])}", text)
    text = _SMALL_FRACTION.sub(lambda match: f" {unicodedata.normalize('NFKC', match[0])}", text)
    text = _POWER.sub(lambda match: f"^{unicodedata.normalize('NFKC', match[0])}", text)
    if _SUBSCRIPT.search(text):
        raise NotANumber
    # Keyboards write the sign of degrees in three ways.
    text = unicodedata.normalize("NFKC", text.replace("\u00b4", "'").replace("\u00ba", "°").replace("\u02da", "°"))
    text = _DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)
    return " ".join(text.translate(_SIGNS).split())


def _without_unit(plain: str, unit: str) -> str:
    """Return a number without its unit before or after it: "-€5", "5 km.", "20 ° C"; words in any case."""
    if not unit or unit[0].isdigit():
        return plain
    case = re.IGNORECASE if len(unit) >= MIN_LETTERS_OF_WORD and unit.isalpha() else re.NOFLAG
    for one in (unit, unit.replace("^", "")):
        sign_by_sign = r"\s*".join(map(re.escape, one.replace(" ", "")))
        if match := re.fullmatch(rf"([+-]?)\s*(?:{sign_by_sign}\s*(.+)|(.+?)\s*{sign_by_sign}\.?)", plain, case):
            return f"{match[1]}{match[2] or match[3]}"
    return plain


def _read_fraction(match: re.Match[str], scale: int) -> ReadNumber:
    sign, whole, above, below = match.groups()
    if not int(below) or sum(map(len, (whole or "", above, below))) > MAX_DIGITS:
        raise NotANumber
    value = (int(whole or 0) + Fraction(int(above), int(below))) * Fraction(10) ** scale
    shown = f"{int(whole)} " if whole else ""
    mark = {0: "", -2: "%", -3: "\u2030"}[scale]
    minus = "\u2212" if sign == "-" else ""
    return ReadNumber(-value if sign == "-" else value, f"{minus}{shown}{int(above)}/{int(below)}{mark}")


def _read_decimal(text: str, exponent: int, writing: NumberFormat, *, has_power: bool) -> ReadNumber:
    match = _SIGNED.fullmatch(text)
    if match is None:
        raise NotANumber
    sign, body = match.groups()
    separator, is_ambiguous = _separator_of(body, writing, has_power=has_power)
    whole, _point, decimals = body.partition(separator) if separator else (body, "", "")
    digits = _digits(whole, decimals, separator)
    number = _Decimal(sign == "-", *digits, exponent)
    if not is_ambiguous:
        return ReadNumber(number.value(), number.shown(writing))
    [one_sign] = set(body) & {".", ","}
    first, second = body.split(one_sign)
    other = _Decimal(sign == "-", *((first + second, "") if separator else (first, second)), exponent)
    plainly = NumberFormat(writing.decimal, "")
    return ReadNumber(number.value(), number.shown(plainly), other.shown(plainly))


def _separator_of(body: str, writing: NumberFormat, *, has_power: bool) -> tuple[str, bool]:
    """Return the sign before the decimals, "" without any, and whether the number has another reading."""
    if "\u066b" in body:  # the decimal separator of Arabic, which is nothing else
        return "\u066b", False
    points, commas = body.count("."), body.count(",")
    if points and commas:
        return ("." if body.rfind(".") > body.rfind(",") else ","), False
    if points + commas != 1:
        return "", False
    sign = "." if points else ","
    before, after = body.split(sign)
    if not (before + after).isdigit() or not (len(after) == 3 and 1 <= len(before) <= 3) or before.startswith("0"):
        return sign, False
    if has_power and (sign == "." or len(before) == 1):  # as calculators and tables write it: 1.602e-19
        return sign, True
    is_group = writing.decimal != sign and (writing.group == sign or sign == ",")
    return ("" if is_group else sign), True


def _digits(whole: str, decimals: str, separator: str) -> tuple[str, str]:
    """Return the digits before and after the separator, without the signs that group them."""
    grouped = _THOUSANDS.fullmatch(whole) or _INDIAN.fullmatch(whole)
    if (
        (whole and not grouped)
        or (grouped and grouped[1] and grouped[1] == separator)
        or not _DECIMALS.fullmatch(decimals)
        or not (whole or decimals)
    ):
        raise NotANumber
    before, after = ("".join(char for char in part if char.isdigit()) for part in (whole, decimals))
    if len(before) + len(after) > MAX_DIGITS:
        raise NotANumber
    return before, after


class _Decimal:
    """Digits with the exponent of the last one."""

    def __init__(self, is_negative: bool, before: str, after: str, exponent: int) -> None:  # noqa: FBT001 (private)
        digits = (before + after).lstrip("0")
        kept = digits.rstrip("0")
        self.digits = kept or "0"
        self.exponent = exponent - len(after) + len(digits) - len(kept) if kept else 0
        self.minus = "\u2212" if is_negative and kept else ""
        self.first = self.exponent + len(self.digits) - 1
        """The exponent of the first digit."""
        if abs(self.first) > MAX_EXPONENT:
            raise NotANumber

    def value(self) -> Fraction:
        value = int(self.digits) * Fraction(10) ** self.exponent
        return -value if self.minus else value

    def shown(self, writing: NumberFormat) -> str:
        if self.first not in PLAIN_DIGITS:
            rest = f"{writing.decimal}{self.digits[1:]}" if len(self.digits) > 1 else ""
            return f"{self.minus}{self.digits[0]}{rest} \u00d7 10^{self.first}".replace("^-", "^\u2212")
        padded = self.digits.rjust(1 - self.exponent, "0") if self.exponent < 0 else self.digits + "0" * self.exponent
        at = len(padded) + min(self.exponent, 0)
        whole, decimals = padded[:at], padded[at:]
        return self.minus + group_digits(whole, writing) + (f"{writing.decimal}{decimals}" if decimals else "")


def group_digits(digits: str, writing: NumberFormat) -> str:
    """Return whole digits in their groups: "1234567" -> "1,234,567"."""
    parts = [digits[-3:]]
    rest = digits[:-3]
    while rest:
        parts.append(rest[-writing.second_group :])
        rest = rest[: -writing.second_group]
    return writing.group.join(reversed(parts))


def write_number(value: Fraction, decimal: str = ".") -> str:
    """Return an exact number without groups: 5/2 -> "2.5"; as a fraction if its decimals have no end: "1/3"."""
    rest, places = value.denominator, 0
    while rest % 10 in {0, 2, 4, 5, 6, 8}:
        rest //= 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2
        places += 1
    if rest != 1:
        return str(value)
    digits = str(abs(value) * 10**places).rjust(places + 1, "0")
    whole, decimals = (digits[:-places], digits[-places:].rstrip("0")) if places else (digits, "")
    return f"{'-' if value < 0 else ''}{whole}{decimal if decimals else ''}{decimals}"
