"""Exact arithmetic for a message such as "17*23": sums, products, quotients and powers, with brackets."""

import re
from fractions import Fraction

MAX_DIGITS = 30
"""Of a number that is read."""
MAX_EXPONENT = 64
MAX_SHOWN_DIGITS = 40
MAX_DEPTH = 20
"""Brackets and signs within each other."""
MAX_LENGTH = 160
"""Characters of a message that can be an expression."""
_CALCULATION = re.compile(
    r"(?:(?:what(?:'s| is)|calculate|compute|how much is|solve|evaluate)\s+)?"
    r"(?=[^=]*\d[\d\s.,()]*[-+*/×÷·^−][\d\s.,()+*/×÷·^−-]*\d)[\d\s.,()+*/×÷·^−-]+\s*=?"
)
_RANGE = re.compile(r"[\d.,]+[-−][\d.,]+(?:[-−][\d.,]+)*")  # years, pages, dates
_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+|\*\*|[-+*/^()×÷·−])")
_SAME = {"×": "*", "·": "*", "÷": "/", "−": "-", "**": "^"}


class NotComputable(ValueError):
    """It is no expression, it divides by zero, or its numbers are too large."""


def expression_in(message: str) -> str:
    """Return the arithmetic expression that a message consists of, such as "17*23"; "" for others."""
    if len(message) > MAX_LENGTH:
        return ""
    text = " ".join(message.replace("’", "'").lower().split()).rstrip(" ?!.")
    if not _CALCULATION.fullmatch(text) or _RANGE.fullmatch(text):
        return ""
    return re.sub(r"^[a-z' ]+", "", text).rstrip(" =")


def compute(expression: str) -> Fraction:
    """Return the value of an expression. Products come before sums, powers before products, from the right.

    :raises NotComputable: see the class.
    """
    tokens, place = [], 0
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", expression).strip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise NotComputable
        tokens.append(_SAME.get(found[1], found[1]))
        place = found.end()
    reader = _Reader(tokens)
    value = reader.sum(0)
    if reader.next is not None:
        raise NotComputable
    return value


def show(value: Fraction) -> str:
    """Return a number as people write it: "391", "2.4", otherwise a fraction with its approximation.

    :raises NotComputable: it has too many digits.
    """
    if max(len(str(abs(value.numerator))), len(str(value.denominator))) > MAX_SHOWN_DIGITS:
        raise NotComputable
    if value.denominator == 1:
        return f"{value.numerator:,}"
    rest, places = value.denominator, 0
    for factor in (2, 5):
        count = 0
        while rest % factor == 0:
            rest, count = rest // factor, count + 1
        places = max(places, count)
    if rest == 1 and places <= MAX_DIGITS:
        digits = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
        return f"{'-' if value < 0 else ''}{int(digits[:-places]):,}.{digits[-places:]}"
    return f"{value.numerator}/{value.denominator} ≈ {float(value):.6g}"


class _Reader:
    """Reads tokens by recursive descent."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def next(self) -> str | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _take(self, *wanted: str) -> str | None:
        if self.next in wanted:
            self._place += 1
            return self._tokens[self._place - 1]
        return None

    def sum(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise NotComputable
        value = self._product(depth)
        while sign := self._take("+", "-"):
            other = self._product(depth)
            value = value + other if sign == "+" else value - other
        return value

    def _product(self, depth: int) -> Fraction:
        value = self._signed(depth)
        while sign := self._take("*", "/"):
            other = self._signed(depth)
            if sign == "/" and not other:
                raise NotComputable
            value = value * other if sign == "*" else value / other
            if max(value.numerator.bit_length(), value.denominator.bit_length()) > 1024:
                raise NotComputable
        return value

    def _signed(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise NotComputable
        if self._take("-"):
            return -self._signed(depth + 1)
        if self._take("+"):
            return self._signed(depth + 1)
        return self._power(depth)

    def _power(self, depth: int) -> Fraction:
        base = self._atom(depth)
        if not self._take("^"):
            return base
        exponent = self._signed(depth + 1)
        large = max(base.numerator.bit_length(), base.denominator.bit_length())
        if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT or large > 128 or (not base and exponent < 0):
            raise NotComputable
        return base ** int(exponent)

    def _atom(self, depth: int) -> Fraction:
        if self._take("("):
            value = self.sum(depth + 1)
            if not self._take(")"):
                raise NotComputable
            return value
        token = self.next
        if token is None or not token[-1].isdigit() or len(token) > MAX_DIGITS:
            raise NotComputable
        self._place += 1
        return Fraction(token)
