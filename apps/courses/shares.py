"""Part of the points for an answer that is not quite right: a share of them, which authors write in percent."""

import re
from fractions import Fraction

from django.utils.translation import gettext as _

from apps.courses.errors import QuestionInvalid
from studyplatform.kit.text.numbers import NotANumber, read_number, write_number

FULL = Fraction(1)
MAX_DIVISOR = 12  # of shares that are written with few digits: 33.3 % are a third
_ROUNDING = Fraction(1, 2_000)
# A number, as authors type it or `write_exact` writes it: "%PATH%" and "%d%s" are texts.
_PREFIX = re.compile(r"%\s?([-+\u2212]?[.,\u066b]?\d[\d.,/'\u2019\u066b\u066c]{0,14})\s?%")


def read_share(text: str, *, field_name: str = "choices") -> Fraction:
    """Return a share from its percentage: "50", "33.3" (a third), "" (none).

    :raises QuestionInvalid: it is no number from 0 to 100.
    """
    plain = text.strip()
    if not plain:
        return Fraction(0)
    try:
        share = round_share(read_number(plain, unit="%").value / 100)
    except NotANumber:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise QuestionInvalid(problem=_("“%s” is no percentage from 0 to 100.") % plain[:40], field=field_name)
    return share


def round_share(share: Fraction) -> Fraction:
    """Return a third for 0.333, and other such shares; what is near none keeps five digits of its percentage."""
    near = share.limit_denominator(MAX_DIVISOR)
    return near if abs(near - share) <= _ROUNDING else Fraction(round(share * 10**7), 10**7)


def write_share(share: Fraction, decimal: str = ".") -> str:
    """Return the percentage: "50", "33.33333"."""
    return write_number(Fraction(round(share * 10**7), 10**5), decimal)


def split_share(line: str) -> tuple[str, str]:
    """Return the percentage at the beginning of a line, "" if there is none, and the text: "%50%Lyon"."""
    match = _PREFIX.match(line)
    return (match[1], line[match.end() :].strip()) if match else ("", line)


def write_exact(share: Fraction) -> str:
    """Return the percentage as a fraction, "100/3", which reads the same in every number format."""
    return str(share * 100)


def join_share(percentage: str, text: str) -> str:
    """Return a line that ``split_share`` reads; the percentage is "" for an answer that needs none."""
    if not percentage and not _PREFIX.match(text):
        return text
    return f"%{percentage or 100}%{text}"
