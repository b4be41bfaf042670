"""Lines, bars and stacked bars over a horizontal axis of days, weeks, months or lessons.

Positions are percentages from the left and the top of the plot. In languages that are written from right to left, time
runs from right to left too: every ``x`` is mirrored, and the template puts the axis on the other side.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.utils.translation import get_language_bidi

from studyplatform.kit.charts.axes import Tick
from studyplatform.kit.charts.labels import text_width
from studyplatform.kit.charts.periods import Places

MOST_SERIES = 6  # as many colors and patterns as there are
COLORS_OF_PARTS = (1, 3, 4, 2, 5, 6)  # of stacked bars, from the bottom: neighbors that differ most
SHARE_OF_BAR = 0.68  # of the width that a bar has with the gap beside it
GAP_OF_PARTS = 0.6  # percent of the plot between the parts of a stacked bar
SMALLEST_BAR = 0.5  # percent of the plot: what is more than nothing is seen
HEIGHTS = {"small": 10.0, "medium": 14.5, "large": 17.0}  # rem, as in chart.css
LABEL_SIZE = 0.75  # rem, --fs-micro
NOTE_SIZE = 0.8125  # rem, --fs-small
LINE_HEIGHT = 1.3  # em, of a note
NOTE_FROM_WIDTH = 35  # em of labels, of a plot that chart.css shows it in: in narrower ones it stands below
NOTE_WIDTH = 40.0  # percent of the plot
GAP_OF_NOTE = 2.5  # percent of the plot beside and above a bar

Size = Literal["small", "medium", "large"]
NONE = "–"


@dataclass(frozen=True)
class Series:
    """Values in the order of the places; None where nothing is known."""

    name: str
    values: Sequence[float | None]


@dataclass(frozen=True)
class Text:
    """A text of the plot and from which width of it on it is shown; ``labels.WIDTHS``."""

    text: str
    x: float
    y: float
    from_width: int
    is_strong: bool = False


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    color: int
    pattern: int = 0
    """0 is none; chart.css and charts.html have six, so that nobody needs the color."""
    is_partial: bool = False


@dataclass(frozen=True)
class Line:
    """A series as paths in a box of 100 by 100; ``ending`` leads to a place that is not over."""

    color: int
    is_dashed: bool
    path: str
    ending: str
    area: str
    dots: tuple[tuple[float, float], ...]
    """The last value, and values without a neighbor, which a path would not show."""
    heights: tuple[float | None, ...]


@dataclass(frozen=True)
class Key:
    name: str
    color: int
    shape: Literal["line", "dash", "block"]
    pattern: int = 0


@dataclass(frozen=True)
class Note:
    """What is said beside a bar; without a box there is no room for it in the plot."""

    text: str
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0

    @property
    def has_box(self) -> bool:
        return self.height > 0


@dataclass(frozen=True)
class Row:
    """A row of the table: the name of the place, and each value in full."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Plot:
    """A chart as charts.html draws it."""

    size: Size
    is_mirrored: bool
    ticks: tuple[Tick, ...]
    base: float
    middles: tuple[float, ...]
    """Where the places are, for the crosshair."""
    labels: tuple[Text, ...]
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    summary: str
    """What an image says that cannot be seen."""
    has_values: bool
    """False if there is nothing but zeros and gaps: a page then says why, instead of an empty plot."""
    keys: tuple[Key, ...] = ()
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    values: tuple[Text, ...] = ()
    note: Note | None = None


@dataclass(frozen=True)
class Columns:
    """Where the places are: at the middles of equal columns, or, for lines, from edge to edge."""

    count: int
    is_edge: bool = False
    is_mirrored: bool = field(default_factory=get_language_bidi)

    @property
    def width(self) -> float:
        """The percent of the plot from a place to the next one."""
        return 100 / max(1, self.count - 1 if self.is_edge else self.count)

    def middle(self, index: int) -> float:
        """The percent of the plot from its left edge to the middle of a place."""
        at = (index if self.is_edge and self.count > 1 else index + 0.5) * self.width
        return round(100 - at if self.is_mirrored else at, 3)


def tell_rows(places: Places, series: Sequence[Series], write: Sequence[Sequence[str]]) -> tuple[Row, ...]:
    """The rows of the table, from the texts of each series."""
    return tuple(Row(place.name, tuple(texts[index] for texts in write)) for index, place in enumerate(places.places))


def check_series(places: Places, series: Sequence[Series]) -> None:
    """Refuse what cannot be drawn.

    :raises ValueError: there are none or too many series, or one has not one value per place.
    """
    if not 0 < len(series) <= MOST_SERIES:
        raise ValueError(f"a chart has 1 to {MOST_SERIES} series")
    if any(len(one.values) != len(places.places) for one in series):
        raise ValueError("a series has one value for each place")


def place_note(text: str, index: int, columns: Columns, tops: Sequence[float], size: Size) -> Note:
    """Put a note above the bars beside the bar that it is about, on the side that has more room.

    :param tops: the distance of each bar from the top of the plot, in percent.
    """
    middle = columns.middle(index)
    gap = columns.width * SHARE_OF_BAR / 2 + GAP_OF_NOTE
    boxes = []
    for left in (middle + gap, middle - gap - NOTE_WIDTH):
        if left < 0 or left + NOTE_WIDTH > 100:
            continue
        beneath = [
            top
            for other, top in enumerate(tops)
            if left - columns.width / 2 <= columns.middle(other) <= left + NOTE_WIDTH + columns.width / 2
        ]
        boxes.append((min(beneath, default=100.0) - GAP_OF_NOTE, left))
    if not boxes:
        return Note(text)
    height, left = max(boxes, key=lambda box: box[0])
    # Its lines in the narrowest plot that shows it; a word that does not fit into a line costs up to one more.
    line = NOTE_FROM_WIDTH * LABEL_SIZE * NOTE_WIDTH / 100 / NOTE_SIZE
    lines = int(text_width(text) / line) + 2
    needed = 100 * lines * LINE_HEIGHT * NOTE_SIZE / HEIGHTS[size]
    if needed > height:
        return Note(text)
    return Note(text, round(left, 3), round(height - needed, 3), NOTE_WIDTH, round(needed, 3))
