"""Marks of gaps in Markdown texts: ``The capital of France is [[1]].``

A mark is a number from 1 to 99 between double square brackets. It may stand anywhere in the text, in code and in tables
too, but not within a formula or an address: those have no place for a field. ``[[ 1 ]]`` and ``\\[[1]]`` are no marks.
"""

import re
import secrets
from collections.abc import Callable

from markupsafe import Markup

_MARK = re.compile(r"(?<!\\)(?:\[\[|\uff3b\uff3b)(\d{1,2})(?:\]\]|\uff3d\uff3d)")
# Authors cannot write these placeholders: they contain a secret of the process. They begin and end with a letter, so
# that emphasis, words and formulas around them are parsed as around a word.
_SECRET = secrets.token_hex(8)
_PLACEHOLDER = re.compile(rf"gap{_SECRET}n(\d+)e")
_TAG = re.compile(r'<[^>"]*(?:"[^"]*"[^>"]*)*>')  # of sanitized HTML, whose attributes are in double quotes
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
BLANK = "____"


def find_gaps(text: str) -> list[int]:
    """Return the numbers of the marks in a text, in its order. A number that is there twice is returned twice."""
    return [int(mark[1]) for mark in _MARK.finditer(text) if int(mark[1])]


def find_misplaced_gaps(text: str, render: Callable[[str], Markup]) -> list[int]:
    """Return the numbers of the marks where no field can be shown: within formulas and addresses."""
    html = _TAG.sub("", _MATH.sub("", str(render(_with_placeholders(text)))))
    shown = {int(mark[1]) for mark in _PLACEHOLDER.finditer(html)}
    return [number for number in find_gaps(text) if number not in shown]


def render_gaps(text: str, render: Callable[[str], Markup], show: Callable[[int], Markup]) -> Markup:
    """Return the HTML of a text by ``render``, with each mark replaced by what ``show`` returns for its number.

    ``render`` returns sanitized HTML. In attributes a mark becomes a blank.
    """
    html, parts, end = str(render(_with_placeholders(text))), list[str](), 0
    for tag in _TAG.finditer(html):
        parts += [_shown(html[end : tag.start()], show), _PLACEHOLDER.sub(BLANK, tag[0])]
        end = tag.end()
    return Markup("".join([*parts, _shown(html[end:], show)]))  # noqa: S704 (sanitized; ``show`` returns HTML)


def blank_gaps(text: str) -> str:
    """Return the text with a line to write on for each mark, for excerpts and for programs."""
    return _MARK.sub(lambda mark: BLANK if int(mark[1]) else mark[0], text)


def _with_placeholders(text: str) -> str:
    return _MARK.sub(lambda mark: f"gap{_SECRET}n{int(mark[1])}e" if int(mark[1]) else mark[0], text)


def _shown(html: str, show: Callable[[int], Markup]) -> str:
    return _PLACEHOLDER.sub(lambda mark: str(show(int(mark[1]))), html)
