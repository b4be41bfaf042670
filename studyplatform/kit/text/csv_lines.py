"""Lines of CSV files that people open in a spreadsheet."""

import csv
import re
import unicodedata
from collections.abc import Iterable
from io import StringIO

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_SEPARATOR = re.compile(r"[;\t\r\n]")
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})  # controls such as line feeds, marks without width, spaces


def csv_line(cells: Iterable[object]) -> str:
    """One line, with its end. What a spreadsheet would run as a formula is shown as text instead.

    That goes by the first character that is seen, also if it is full-width or small: spreadsheets in Chinese, Japanese
    and Korean take "\uff1d" as "=" (https://owasp.org/www-community/attacks/CSV_Injection). What follows a semicolon,
    tab or line break counts as a cell of its own, because it is one where lists are separated by semicolons.
    """
    line = StringIO()
    csv.writer(line).writerow([_harmless(str(cell)) for cell in cells])
    return line.getvalue()


def protect_cell(text: str) -> str:
    """Return a cell for ``csv_line`` that ``release_cell`` gives back unchanged, with its first apostrophe."""
    rest = text.lstrip("'")
    return f"'{text}" if len(rest) < len(text) and _is_run(rest) else text


def release_cell(cell: str) -> str:
    """Return the text of a cell that ``csv_line`` has made harmless: without the apostrophes that it has added."""
    rest = cell.lstrip("'")
    is_protected = len(rest) < len(cell) and _is_run(_without_added(rest))
    return _without_added(cell[1:] if is_protected else cell)


def _is_run(text: str) -> bool:
    """Return whether a spreadsheet would run a cell, or a line break before it may make it one of its own."""
    return text[:1] in {"\t", "\r", "\n"} or _runs(next((letter for letter in text if not _is_unseen(letter)), ""))


def _without_added(text: str) -> str:
    """Return the text without the apostrophe before each sign that would begin a formula after a separator."""
    kept: list[str] = []
    begins_cell = False
    for place, letter in enumerate(text):
        if begins_cell and letter == "'" and _runs(text[place + 1 : place + 2]):
            continue
        is_separator = _SEPARATOR.match(letter) is not None
        begins_cell = is_separator or (begins_cell and (letter in "\"'" or _is_unseen(letter)))
        kept.append(letter)
    return "".join(kept)


def _harmless(text: str) -> str:
    if not text or _NUMBER.fullmatch(text):
        return text
    start = "'" if _is_run(text) else ""
    return start + (_without_later_formulas(text) if _SEPARATOR.search(text) else text)


def _without_later_formulas(text: str) -> str:
    """The text with an apostrophe before each sign that would begin a formula after a separator, perhaps in quotes."""
    kept: list[str] = []
    begins_cell = False
    for letter in text:
        if begins_cell and _runs(letter):
            kept.append("'")
        is_separator = _SEPARATOR.match(letter) is not None
        begins_cell = is_separator or (begins_cell and (letter in "\"'" or _is_unseen(letter)))
        kept.append(letter)
    return "".join(kept)


def _is_unseen(letter: str) -> bool:
    return unicodedata.category(letter) in _UNSEEN


def _runs(letter: str) -> bool:
    return unicodedata.normalize("NFKC", letter)[:1] in {"=", "+", "-", "@"}
