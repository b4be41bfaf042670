"""Lines of CSV files that people open in a spreadsheet."""

import csv
import re
import unicodedata
from collections.abc import Iterable
from io import StringIO

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})  # controls such as line feeds, marks without width, spaces


def csv_line(cells: Iterable[object]) -> str:
    """One line, with its end. What a spreadsheet would run as a formula is shown as text instead.

    That goes by the first character that is seen, also if it is full-width or small: spreadsheets in Chinese, Japanese
    and Korean take "\uff1d" as "=" (https://owasp.org/www-community/attacks/CSV_Injection).
    """
    line = StringIO()
    csv.writer(line).writerow([_harmless(str(cell)) for cell in cells])
    return line.getvalue()


def _harmless(text: str) -> str:
    if not text or _NUMBER.fullmatch(text):
        return text
    seen = next((letter for letter in text if unicodedata.category(letter) not in _UNSEEN), "")
    runs = text[0] in "\t\r\n" or unicodedata.normalize("NFKC", seen)[:1] in {"=", "+", "-", "@"}
    return f"'{text}" if runs else text
