"""Bar charts, with a bar that stands out and a note on it, and stacked bars with their totals."""

from collections.abc import Sequence
from typing import Literal

from studyplatform.kit.charts.axes import Axis, lay_out_axis
from studyplatform.kit.charts.labels import PlacedText, fit_labels
from studyplatform.kit.charts.lines import place_labels
from studyplatform.kit.charts.measures import Measure
from studyplatform.kit.charts.periods import Places
from studyplatform.kit.charts.plots import (
    COLORS_OF_PARTS,
    GAP_OF_PARTS,
    NONE,
    SHARE_OF_BAR,
    SMALLEST_BAR,
    Bar,
    Columns,
    Key,
    Plot,
    Series,
    Size,
    Text,
    check_series,
    place_note,
    tell_rows,
)
from studyplatform.kit.charts.summaries import describe

COLOR, COLOR_OF_HIGHLIGHT, PATTERN_OF_HIGHLIGHT = 1, 2, 1
Written = Literal["none", "extremes", "all"]


def bar_chart(
    places: Places,
    one: Series,
    measure: Measure,
    *,
    size: Size = "medium",
    highlighted: int | None = None,
    note: str = "",
    first_labels: Sequence[int] | None = None,
    written: Written = "none",
    is_full: bool = False,
) -> Plot:
    """Lay out bars of one series.

    :param highlighted: the bar that stands out; its label has room before all others.
    :param note: what is said beside it.
    :param first_labels: the only places with labels, such as the first lessons of sections; None: as many as have room.
    :param written: which values stand above their bars: none, the highest and the lowest, or as many as have room.
    :param is_full: whether the axis always reaches the most of the measure: 100 percent.
    :raises ValueError: see ``check_series`` and ``lay_out_axis``.
    """
    check_series(places, [one])
    axis = lay_out_axis(one.values, measure, intervals=2 if size == "small" else 4, is_full=is_full)
    columns = Columns(len(places.places))
    bars = []
    for index, value in enumerate(one.values):
        if value:
            stands_out = index == highlighted
            bars.append(
                _bar(
                    index,
                    value,
                    columns,
                    axis,
                    color=COLOR_OF_HIGHLIGHT if stands_out else COLOR,
                    pattern=PATTERN_OF_HIGHLIGHT if stands_out else 0,
                    is_partial=places.places[index].is_partial,
                )
            )
    tops = [axis.base if value is None else axis.y_of(max(value, 0)) for value in one.values]
    first = [] if highlighted is None else [highlighted]
    texts = [NONE if value is None else measure.write(value) for value in one.values]
    return Plot(
        size=size,
        is_mirrored=columns.is_mirrored,
        ticks=axis.ticks,
        base=axis.base,
        middles=tuple(map(columns.middle, range(columns.count))),
        labels=place_labels(
            places,
            columns,
            [*first, *(range(0) if first_labels is None else _ends_first(first_labels))],
            strong=highlighted,
            all_others=first_labels is None,
        ),
        head=(places.head, one.name),
        rows=tell_rows(places, [one], [texts]),
        summary=describe(places, [one], measure),
        has_values=any(one.values),
        bars=tuple(bars),
        values=_values_above(one.values, tops, measure, columns, written),
        note=place_note(note, highlighted, columns, tops, size) if note and highlighted is not None else None,
    )


def stacked_chart(places: Places, series: Sequence[Series], measure: Measure, *, size: Size = "medium") -> Plot:
    """Lay out bars of several series on each other, from the bottom, with their totals above them.

    Negative values, such as months with more refunds than sales, hang below zero. A missing value counts as zero.

    :raises ValueError: see ``check_series`` and ``lay_out_axis``.
    """
    check_series(places, series)
    columns = Columns(len(places.places))
    stacks = [[one.values[index] or 0 for one in series] for index in range(columns.count)]
    above = [sum(value for value in stack if value > 0) for stack in stacks]
    below = [sum(value for value in stack if value < 0) for stack in stacks]
    axis = lay_out_axis([*above, *below], measure, intervals=2 if size == "small" else 4)
    bars: list[Bar] = []
    for index, stack in enumerate(stacks):
        up, down = 0.0, 0.0
        for part, value in enumerate(stack):
            if not value:
                continue
            start = up if value > 0 else down
            look = {"color": COLORS_OF_PARTS[part], "pattern": part}
            bars.append(
                _bar(index, value, columns, axis, start=start, is_partial=places.places[index].is_partial, **look)
            )
            up, down = (up + value, down) if value > 0 else (up, down + value)
    totals = [high + low for high, low in zip(above, below, strict=True)]
    tops = [axis.y_of(high) for high in above]
    texts = [[NONE if value is None else measure.write(value) for value in one.values] for one in series]
    everything = Series("", totals)
    return Plot(
        size=size,
        is_mirrored=columns.is_mirrored,
        ticks=axis.ticks,
        base=axis.base,
        middles=tuple(map(columns.middle, range(columns.count))),
        labels=place_labels(places, columns),
        head=(places.head, *(one.name for one in series)),
        rows=tell_rows(places, series, texts),
        summary=describe(places, [*series, everything] if len(series) > 1 else series, measure),
        has_values=any(map(any, stacks)),
        keys=tuple(Key(one.name, COLORS_OF_PARTS[part], "block", part) for part, one in enumerate(series)),
        bars=tuple(bars),
        values=_values_above(totals, tops, measure, columns, "all"),
    )


def _bar(
    index: int,
    value: float,
    columns: Columns,
    axis: Axis,
    *,
    color: int,
    pattern: int,
    is_partial: bool,
    start: float = 0,
) -> Bar:
    """A bar from ``start`` over ``value``; what lies on another part leaves a gap to it, unless it is very small."""
    width = columns.width * SHARE_OF_BAR
    ends = sorted((axis.y_of(start), axis.y_of(start + value)))
    top, height = ends[0], ends[1] - ends[0]
    gap = GAP_OF_PARTS if start and height > 2 * GAP_OF_PARTS else 0
    if value < 0:
        top += gap
    height -= gap
    if height < SMALLEST_BAR and not start:
        top, height = (ends[1] - SMALLEST_BAR, SMALLEST_BAR) if value > 0 else (ends[0], SMALLEST_BAR)
    return Bar(
        x=round(columns.middle(index) - width / 2, 3),
        y=round(min(max(top, 0), 100 - height), 3),
        width=round(width, 3),
        height=round(height, 3),
        color=color,
        pattern=pattern,
        is_partial=is_partial,
    )


def _values_above(
    values: Sequence[float | None], tops: Sequence[float], measure: Measure, columns: Columns, written: Written
) -> tuple[Text, ...]:
    """Values above their bars, where they touch neither each other nor a higher bar."""
    known = [index for index, value in enumerate(values) if value]
    if written == "none" or not known:
        return ()
    order = sorted(known, key=lambda index: values[index] or 0)
    extremes = list(dict.fromkeys((order[-1], order[0])))
    labels = [
        PlacedText(measure.write_short(value) if value else "", columns.middle(index))
        for index, value in enumerate(values)
    ]

    def is_free(index: int, start: float, end: float) -> bool:
        reach = columns.width * SHARE_OF_BAR / 2
        return not any(
            other != index
            and tops[other] < tops[index]
            and columns.middle(other) + reach > start
            and columns.middle(other) - reach < end
            for other in range(len(tops))
        )

    if written == "extremes":
        shown = fit_labels(labels, first=extremes, strides=(), is_free=is_free)
    else:
        shown = fit_labels(labels, first=[known[-1], extremes[0]], is_free=is_free)
    return tuple(Text(labels[at].text, labels[at].x, tops[at], width) for at, width in sorted(shown.items()))


def _ends_first(indexes: Sequence[int]) -> list[int]:
    """The first and the last one before those between them."""
    return list(dict.fromkeys([*indexes[:1], *indexes[-1:], *indexes]))
