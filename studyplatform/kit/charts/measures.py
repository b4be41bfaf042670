"""What the values of a chart are: how they are written, and which steps an axis of them may have."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10

from babel.numbers import format_compact_decimal, format_decimal, format_percent
from django.utils.translation import gettext as _

from studyplatform.kit.text.locales import page_locale
from studyplatform.kit.text.money import in_units, is_short, minor_units, money, short_amount, short_money

MINUTE, HOUR = 60, 3_600  # seconds
SMALLEST_COMPACT_COUNT = 10_000  # from which the axis writes "10K"
SMALLEST_COMPACT_AMOUNT = 1_000  # units of the currency from which the axis writes "$1K"
# Multiples of powers of ten that steps of an axis may be, with how much less welcome they are than 1, 2 and 5.
MULTIPLES = {1: 0.0, 2: 0.0, 5: 0.0, 2.5: 0.02, 4: 0.03, 6: 0.04, 3: 0.05, 1.5: 0.06, 8: 0.08}
DIGITS_OF_TICKS = 2  # decimals of short numbers at an axis, at most
DECADES = 2  # powers of ten below and above the range in which a step is sought
STEPS_OF_PERCENTS = (1, 2, 5, 10, 20, 25, 50, 100)
STEPS_OF_TIME = tuple(MINUTE * count for count in (1, 2, 5, 10, 15, 20, 30))
_NO_BREAK = str.maketrans(" ", "\N{NO-BREAK SPACE}")


class Measure(ABC):
    """What values are. They are numbers: counts, percent from 0 to 100, minor units of a currency, seconds."""

    most: float | None = None
    """No axis goes past it, unless a value does: 100 percent."""
    unit: float = 1
    """How far an axis reaches that has nothing to show."""

    @abstractmethod
    def write(self, value: float) -> str:
        """Write a value in full, for tables and tooltips."""

    def write_short(self, value: float) -> str:
        """Write a value in few letters, to stand above a bar."""
        return self.write(value)

    def write_ticks(self, values: Sequence[float]) -> list[str]:
        """Write the values of an axis, all in the same way."""
        return [self.write_short(value) for value in values]

    def find_steps(self, extent: float) -> Iterator[tuple[float, float]]:
        """Yield steps for an axis over this extent, each with a penalty: 0 for the most usual ones."""
        yield from _decimal_steps(extent, 1)


def _decimal_steps(extent: float, smallest: float) -> Iterator[tuple[float, float]]:
    """Multiples of powers of ten that are whole multiples of the smallest step."""
    decade = floor(log10(extent / smallest)) if extent > smallest else 0
    for exponent in range(max(0, decade - DECADES), decade + DECADES):
        for multiple, penalty in MULTIPLES.items():
            if exponent or multiple == int(multiple):
                yield multiple * 10.0**exponent * smallest, penalty


def _shorten(value: float, digits: int) -> str:
    """A number in short; in full where the language has no shorter form, as German has none of 12.500."""
    short = format_compact_decimal(value, fraction_digits=digits, locale=page_locale())
    if is_short(short, value):
        return str(short)
    return str(format_decimal(_whole(value), locale=page_locale()))


def _is_exact(value: float) -> bool:
    """Whether the short form of a number says all of it: "1.25M" does for 1,250,000, not for 1,254,000."""
    locale = page_locale()
    short, full = (
        format_compact_decimal(value, fraction_digits=digits, locale=locale) for digits in (DIGITS_OF_TICKS, 6)
    )
    return bool(short == full)


@dataclass(frozen=True)
class Counts(Measure):
    """Whole numbers: of learners, lessons, ratings."""

    def write(self, value: float) -> str:
        return str(format_decimal(_whole(value), locale=page_locale()))

    def write_short(self, value: float) -> str:
        if abs(value) < SMALLEST_COMPACT_COUNT:
            return self.write(value)
        return _shorten(value, 1)

    def write_ticks(self, values: Sequence[float]) -> list[str]:
        if max(map(abs, values)) >= SMALLEST_COMPACT_COUNT and all(map(_is_exact, values)):
            return [_shorten(value, DIGITS_OF_TICKS) for value in values]
        return [self.write(value) for value in values]


@dataclass(frozen=True)
class Percents(Measure):
    """Shares, from 0 to 100."""

    most: float | None = 100
    unit: float = 100

    def write(self, value: float) -> str:
        """With one decimal below 10 percent. Only nothing is 0%, and only everything 100%."""
        shown = round(value, 1) if abs(value) < 10 else round(value)
        if shown == 0 != value:
            shown = 0.1 if value > 0 else -0.1
        if shown >= 100 > value:
            shown = 99.9
        return str(format_percent(Decimal(str(shown)) / 100, locale=page_locale(), decimal_quantization=False))

    def find_steps(self, extent: float) -> Iterator[tuple[float, float]]:
        if extent > STEPS_OF_PERCENTS[-1]:
            yield from _decimal_steps(extent, 1)
        for step in STEPS_OF_PERCENTS:
            yield step, 0.0


@dataclass(frozen=True)
class Money(Measure):
    """Amounts in minor units of a currency."""

    currency: str

    @property
    def unit(self) -> float:  # type: ignore[override]
        return minor_units(self.currency)

    def write(self, value: float) -> str:
        return money(round(value), self.currency, cents=True)

    def write_short(self, value: float) -> str:
        return short_amount(round(value), self.currency)

    def write_ticks(self, values: Sequence[float]) -> list[str]:
        units = [float(in_units(round(value), self.currency)) for value in values]
        if max(map(abs, units)) >= SMALLEST_COMPACT_AMOUNT and all(map(_is_exact, units)):
            return [short_money(round(value), self.currency, digits=DIGITS_OF_TICKS) for value in values]
        return [money(round(value), self.currency) for value in values]

    def find_steps(self, extent: float) -> Iterator[tuple[float, float]]:
        unit = minor_units(self.currency)
        yield from _decimal_steps(extent, unit if extent > unit else 1)


@dataclass(frozen=True)
class Hours(Measure):
    """Time in seconds, written in hours and minutes."""

    unit: float = HOUR

    def write(self, value: float) -> str:
        hours, minutes = divmod(round(abs(value) / MINUTE), 60)
        if not hours:
            words = _("%(minutes)d min")
        elif not minutes:
            words = _("%(hours)d h")
        else:
            words = _("%(hours)d h %(minutes)d min")
        written = words % {"hours": hours, "minutes": minutes}
        return ("\N{MINUS SIGN}" if value < 0 and (hours or minutes) else "") + written.translate(_NO_BREAK)

    def write_short(self, value: float) -> str:
        if abs(value) < HOUR:
            return self.write(value) if value else "0"
        hours = format_decimal(round(value / HOUR, 1), locale=page_locale())
        return (_("%(hours)s h") % {"hours": hours}).translate(_NO_BREAK)

    def find_steps(self, extent: float) -> Iterator[tuple[float, float]]:
        if extent <= 2 * HOUR:
            for step in STEPS_OF_TIME:
                yield step, 0.0
        yield from _decimal_steps(extent, HOUR)


def _whole(value: float) -> float:
    """A whole number without its ".0"."""
    return int(value) if value == int(value) else round(value, 1)
