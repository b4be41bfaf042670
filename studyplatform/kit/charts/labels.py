"""Which labels of a chart have room, at each width that its plot may have.

The server knows neither how wide a plot will be nor how large its reader's text is. So a label gets the smallest width
at which it has room, in em of its own text, and a container query shows it from there on (assets/styles/components/
chart.css). Labels keep their place: in a wider plot there is more room between any two of them, so what fits once fits
in every wider plot.
"""

import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

# Widths of a plot, in em of its labels, from which it has more of them; chart.css has a rule for each.
WIDTHS = (4, 6, 9, 13, 18, 25, 35, 48, 66)
GAP = 0.8  # em between two labels
ROOM = 1.5  # em by which a label may stick out beside its plot
DOUBLING = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
OF_WEEKS = (1, 7, 14, 28, 56, 112, 224, 448)  # days that are left out between labels, by whole weeks
# Widths of characters in em, on the safe side for the faces of both styles and for those of the reader's system.
_NARROW, _DIGIT, _LETTER, _CAPITAL, _WIDE = 0.33, 0.62, 0.6, 0.76, 1.1
_NARROW_SIGNS = frozenset(" \u00a0\u202f.,:;!'’|ijlIt()/-·")


@lru_cache(maxsize=4096)
def text_width(text: str) -> float:
    """Estimate the width of a text in em, rather too large than too small."""
    return sum(map(_character_width, text))


def _character_width(char: str) -> float:
    if char in _NARROW_SIGNS:
        return _NARROW
    if unicodedata.east_asian_width(char) in "WF":
        return _WIDE
    if unicodedata.combining(char):
        return 0.0
    if char.isdigit():
        return _DIGIT
    return _CAPITAL if char.isupper() or char in "mwMW%@&" or ord(char) > 0x2FF else _LETTER


@dataclass(frozen=True)
class PlacedText:
    """A text whose middle is at ``x`` percent of the plot's width."""

    text: str
    x: float

    def span(self, width: float) -> tuple[float, float]:
        """From where to where it reaches in a plot of this width, all in em."""
        middle, half = self.x * width / 100, text_width(self.text) / 2
        return middle - half, middle + half


def fit_labels(
    labels: Sequence[PlacedText],
    *,
    first: Sequence[int] = (),
    strides: Sequence[int] = DOUBLING,
    is_free: Callable[[int, float, float], bool] = lambda _label, _start, _end: True,
) -> dict[int, int]:
    """Return from which width on each label is shown; those that never have room are missing.

    :param labels: from left to right, or from right to left.
    :param first: labels to place before all others, the most important one first.
    :param strides: each n-th label may be shown, counted from the last one; each divides the next. None if empty.
    :param is_free: whether nothing else is where a label would be: its index, from where to where in percent.
    """
    shown: dict[int, int] = {}
    for width in WIDTHS:
        spans = [label.span(width) for label in labels]

        def place(index: int, spans: list[tuple[float, float]] = spans, width: int = width) -> None:
            start, end = spans[index]
            if index in shown or not labels[index].text or start < -ROOM or end > width + ROOM:
                return
            if not _is_apart(spans[index], [spans[other] for other in shown]):
                return
            if is_free(index, 100 * start / width, 100 * end / width):
                shown[index] = width

        for index in first:
            place(index)
        for index in _finest_that_fits(spans, strides):
            place(index)
    return shown


def _finest_that_fits(spans: Sequence[tuple[float, float]], strides: Sequence[int]) -> Collection[int]:
    """The labels of the smallest stride at which none reaches its neighbor; the last one, if none does."""
    last = len(spans) - 1
    for stride in strides:
        chosen = range(last, -1, -stride)
        ordered = sorted(spans[index] for index in chosen)
        if all(before[1] + GAP <= after[0] for before, after in pairwise(ordered)):
            return chosen
    return [last] if strides and spans else []


def _is_apart(span: tuple[float, float], others: Collection[tuple[float, float]]) -> bool:
    return all(span[1] + GAP <= start or end + GAP <= span[0] for start, end in others)
