"""Lines of CSV files that people open in a spreadsheet."""

import csv
import re
from collections.abc import Iterable
from io import StringIO

_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def csv_line(cells: Iterable[object]) -> str:
    """One line, with its end. What a spreadsheet would run as a formula is shown as text instead."""
    line = StringIO()
    csv.writer(line).writerow([_harmless(str(cell)) for cell in cells])
    return line.getvalue()


def _harmless(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
