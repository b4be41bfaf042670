"""Line charts: the first series is a line with an area, the second one is dashed."""

from collections.abc import Sequence

from studyplatform.kit.charts.axes import Axis, lay_out_axis
from studyplatform.kit.charts.labels import PlacedText, fit_labels
from studyplatform.kit.charts.measures import Measure
from studyplatform.kit.charts.periods import Places
from studyplatform.kit.charts.plots import (
    NONE,
    Columns,
    Key,
    Line,
    Plot,
    Series,
    Size,
    Text,
    check_series,
    tell_rows,
)
from studyplatform.kit.charts.summaries import describe

Point = tuple[float, float]


def line_chart(
    places: Places, series: Sequence[Series], measure: Measure, *, size: Size = "large", is_full: bool = False
) -> Plot:
    """Lay out one or more lines.

    :param is_full: whether the axis always reaches the most of the measure: 100 percent.
    :raises ValueError: see ``check_series`` and ``lay_out_axis``.
    """
    check_series(places, series)
    axis = lay_out_axis(
        (value for one in series for value in one.values),
        measure,
        intervals=2 if size == "small" else 4,
        is_full=is_full,
    )
    columns = Columns(len(places.places), is_edge=True)
    texts = [[NONE if value is None else measure.write(value) for value in one.values] for one in series]
    return Plot(
        size=size,
        is_mirrored=columns.is_mirrored,
        ticks=axis.ticks,
        base=axis.base,
        middles=tuple(map(columns.middle, range(columns.count))),
        labels=place_labels(places, columns),
        head=(places.head, *(one.name for one in series)),
        rows=tell_rows(places, series, texts),
        summary=describe(places, series, measure),
        has_values=any(value for one in series for value in one.values),
        keys=tuple(
            Key(one.name, number, "dash" if number > 1 else "line") for number, one in enumerate(series, start=1)
        ),
        lines=tuple(_draw(one, number, places, columns, axis) for number, one in enumerate(series, start=1)),
    )


def place_labels(
    places: Places, columns: Columns, first: Sequence[int] = (), *, strong: int | None = None, all_others: bool = True
) -> tuple[Text, ...]:
    """The labels below the axis that have room somewhere; ``first`` ones have it before the others."""
    labels = [PlacedText(place.label, columns.middle(index)) for index, place in enumerate(places.places)]
    shown = fit_labels(labels, first=first, strides=places.strides if all_others else ())
    return tuple(
        Text(labels[index].text, labels[index].x, 100, width, index == strong) for index, width in sorted(shown.items())
    )


def _draw(one: Series, number: int, places: Places, columns: Columns, axis: Axis) -> Line:
    heights = tuple(None if value is None else axis.y_of(value) for value in one.values)
    runs = _runs(heights, columns)
    last = next((index for index in reversed(range(columns.count)) if heights[index] is not None), None)
    ending = ""
    drawn = runs
    if last is not None and places.places[last].is_partial and len(runs[-1]) > 1:
        ending = _path(runs[-1][-2:])
        drawn = [*runs[:-1], runs[-1][:-1]]
    dots = [run[0] for run in runs if len(run) == 1]
    if runs and len(runs[-1]) > 1:
        dots.append(runs[-1][-1])
    return Line(
        color=number,
        is_dashed=number > 1,
        path="".join(_path(run) for run in drawn if len(run) > 1),
        ending=ending,
        area="".join(_area(run, axis.base) for run in runs if len(run) > 1) if number == 1 else "",
        dots=tuple(dots),
        heights=heights,
    )


def _runs(heights: Sequence[float | None], columns: Columns) -> list[list[Point]]:
    """The points, in runs without a gap."""
    runs: list[list[Point]] = [[]]
    for index, height in enumerate(heights):
        if height is None:
            runs.append([])
        else:
            runs[-1].append((columns.middle(index), height))
    return [run for run in runs if run]


def _path(run: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in run)


def _area(run: Sequence[Point], base: float) -> str:
    return f"{_path(run)}L{run[-1][0]:g} {base:g}L{run[0][0]:g} {base:g}z"
