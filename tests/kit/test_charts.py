"""Charts: whatever the numbers are, what is drawn is finite, inside its box and readable."""

import random
import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import combinations, pairwise
from math import isfinite, nan

import pytest
from django.utils.translation import override

from studyplatform.kit.charts.axes import LARGEST_VALUE, lay_out_axis
from studyplatform.kit.charts.bars import bar_chart, stacked_chart
from studyplatform.kit.charts.labels import GAP, ROOM, WIDTHS, text_width
from studyplatform.kit.charts.lines import line_chart
from studyplatform.kit.charts.measures import Counts, Hours, Measure, Money, Percents
from studyplatform.kit.charts.periods import (
    Place,
    Places,
    days_as_places,
    months_as_places,
    weeks_as_places,
)
from studyplatform.kit.charts.plots import MOST_SERIES, NONE, Plot, Series, Text
from studyplatform.kit.charts.rows import distribution, funnel, largest_loss
from studyplatform.kit.charts.sparks import spark_bars, spark_line
from tests.architecture.source import ROOT
from tests.cases import all_cases

MEASURES: list[Measure] = [Counts(), Percents(), Money("usd"), Money("jpy"), Money("kwd"), Hours()]
LANGUAGES = ["en", "de", "fr", "ar", "hi", "ja"]
MONDAY = date(2026, 1, 5)


def places_of(count: int, chance: random.Random) -> Places:
    days = [MONDAY + timedelta(days=7 * index) for index in range(count)]
    months = [date(2024 + index // 12, index % 12 + 1, 1) for index in range(count)]
    lessons = tuple(Place(f"{index // 9 + 1}.{index % 9 + 1}", f"Lesson {index}") for index in range(count))
    return chance.choice(
        [
            days_as_places([MONDAY + timedelta(days=index) for index in range(count)]),
            weeks_as_places(days, today=days[-1]),
            months_as_places(months, today=months[-1]),
            Places("Lesson", lessons),
            Places("A", tuple(Place("long words " * chance.randrange(4), "x") for _ in range(count))),
        ]
    )


def numbers(count: int, chance: random.Random) -> list[float | None]:
    size = 10 ** chance.uniform(-9, 14)
    kind = chance.randrange(6)
    return [
        None
        if kind == 1 and chance.random() < 0.4
        else chance.choice([0, 0, size])
        if kind == 2
        else -size * chance.random()
        if kind == 3 and chance.random() < 0.5
        else round(chance.random() * 20)
        if kind == 4
        else 0
        if kind == 5
        else size * chance.random()
        for _ in range(count)
    ]


def random_plots(seed: int, how_many: int) -> list[Plot]:
    chance = random.Random(seed)
    plots = []
    for _ in range(how_many):
        count = chance.choice([1, 2, 3, 7, 9, 12, 24, 30, 36, 90, 150])
        places, measure = places_of(count, chance), chance.choice(MEASURES)
        size = chance.choice(["small", "medium", "large"])
        series = [Series(f"S{index}", numbers(count, chance)) for index in range(chance.randint(1, MOST_SERIES))]
        with override(chance.choice(LANGUAGES)):
            plots += [
                line_chart(places, series, measure, size=size, is_full=chance.random() < 0.3),
                stacked_chart(places, series, measure, size=size),
                bar_chart(
                    places,
                    series[0],
                    measure,
                    size=size,
                    highlighted=chance.choice([None, chance.randrange(count)]),
                    note=chance.choice(["", "A note. " * chance.randrange(1, 20)]),
                    first_labels=chance.choice([None, sorted(chance.sample(range(count), min(5, count)))]),
                    written=chance.choice(["none", "extremes", "all"]),
                ),
            ]
    return plots


@pytest.fixture(scope="module")
def plots() -> list[Plot]:
    return random_plots(seed=36, how_many=40)


def span_in_em(text: Text, width: float) -> tuple[float, float]:
    middle, half = text.x * width / 100, text_width(text.text) / 2
    return middle - half, middle + half


def overlapping(texts: Sequence[Text], width: float) -> list[tuple[str, str]]:
    shown = [text for text in texts if text.from_width <= width]
    spans = [(*span_in_em(text, width), text.text) for text in shown]
    return [
        (one[2], other[2])
        for one, other in combinations(spans, 2)
        if one[0] < other[1] + GAP * 0.99 and other[0] < one[1] + GAP * 0.99
    ]


def test_everything_is_inside_the_plot(plots: list[Plot]) -> None:
    for plot in plots:
        for bar in plot.bars:
            ends = [bar.x, bar.x + bar.width, bar.y, bar.y + bar.height]
            assert all(-0.01 <= end <= 100.01 for end in ends), bar
            assert bar.width > 0 <= bar.height
        drawn = [
            number
            for line in plot.lines
            for path in (line.path, line.area, line.ending)
            for number in path_numbers(path)
        ]
        drawn += [*plot.middles, plot.base, *(tick.y for tick in plot.ticks), *(text.y for text in plot.values)]
        drawn += [number for line in plot.lines for dot in line.dots for number in dot]
        drawn += [height for line in plot.lines for height in line.heights if height is not None]
        assert all(isfinite(number) and 0 <= number <= 100 for number in drawn)
        if plot.note and plot.note.has_box:
            note = plot.note
            assert 0 <= note.x <= note.x + note.width <= 100
            assert 0 <= note.y <= note.y + note.height <= 100


def path_numbers(path: str) -> list[float]:
    return [float(number) for number in re.split(r"[MLz ]+", path) if number]


def test_no_label_touches_another_at_any_width(plots: list[Plot]) -> None:
    for plot in plots:
        for width in [*WIDTHS, 7.3, 11, 22, 41, 90, 200]:
            assert not overlapping(plot.labels, width), (width, plot.labels)
            assert not overlapping(plot.values, width), (width, plot.values)
            for text in plot.labels:
                start, end = span_in_em(text, width)
                assert text.from_width > width or -ROOM - 0.01 <= start <= end <= width + ROOM + 0.01


def test_values_do_not_cover_higher_bars(plots: list[Plot]) -> None:
    for plot in plots:
        for width in WIDTHS:
            for text in plot.values:
                if text.from_width > width:
                    continue
                start, end = span_in_em(text, width)
                beneath = [
                    bar
                    for bar in plot.bars
                    if bar.x * width / 100 < end
                    and (bar.x + bar.width) * width / 100 > start
                    and abs(bar.x + bar.width / 2 - text.x) > 0.01
                    and bar.y < text.y - 1
                ]
                assert not beneath, (text, beneath)


def test_a_note_covers_no_bar(plots: list[Plot]) -> None:
    boxes = [(plot, plot.note) for plot in plots if plot.note and plot.note.has_box]

    assert boxes
    for plot, note in boxes:
        for bar in plot.bars:
            is_beside = bar.x + bar.width < note.x or bar.x > note.x + note.width
            assert is_beside or bar.y >= note.y + note.height


def test_axes_are_round_and_their_values_differ(plots: list[Plot]) -> None:
    for plot in plots:
        texts, places = [tick.text for tick in plot.ticks], [tick.y for tick in plot.ticks]
        assert len(set(texts)) == len(texts) >= 2
        assert (places[0], places[-1]) == (0, 100)
        steps = [after - before for before, after in pairwise(places)]
        assert max(steps) - min(steps) < 0.01


def test_the_table_has_every_value(plots: list[Plot]) -> None:
    for plot in plots:
        assert len(plot.rows) == len(plot.middles)
        assert {len(row.cells) for row in plot.rows} == {len(plot.head) - 1}


@all_cases(
    "measure, most, ticks",
    [
        (Counts(), 2206, "0 600 1,200 1,800 2,400"),
        (Counts(), 0, "0 1"),
        (Counts(), 1, "0 1"),
        (Counts(), 3, "0 1 2 3"),
        (Counts(), 9_999, "0 2.5K 5K 7.5K 10K"),
        (Counts(), 1_234_567, "0 250K 500K 750K 1M 1.25M"),
        (Percents(), 100, "0% 25% 50% 75% 100%"),
        (Percents(), 97, "0% 25% 50% 75% 100%"),
        (Percents(), 0, "0% 100%"),
        (Percents(), 140, "0% 50% 100% 150%"),
        (Money("usd"), 380_000, "$0 $1K $2K $3K $4K"),
        (Money("usd"), 50, "$0 $0.10 $0.20 $0.30 $0.40 $0.50"),
        (Money("usd"), 0, "$0 $1"),
        (Money("jpy"), 3, "¥0 ¥1 ¥2 ¥3"),
        (Money("jpy"), 3_800, "¥0 ¥1K ¥2K ¥3K ¥4K"),
        (Money("kwd"), 12_500_000, "KWD_0 KWD_2.5K KWD_5K KWD_7.5K KWD_10K KWD_12.5K"),
        (Hours(), 0, "0 1_h"),
        (Hours(), 2_400, "0 10_min 20_min 30_min 40_min"),
        (Hours(), 4 * 3_600, "0 1_h 2_h 3_h 4_h"),
    ],
)
def test_an_axis_has_round_numbers(measure: Measure, most: float, ticks: str) -> None:
    written = [tick.text.replace("\u00a0", "_") for tick in lay_out_axis([most], measure).ticks]

    assert " ".join(reversed(written)) == ticks


def test_an_axis_goes_below_zero_only_for_negative_values() -> None:
    assert [tick.text for tick in lay_out_axis([-300, 900], Money("usd")).ticks] == ["$9", "$6", "$3", "$0", "−$3"]
    assert lay_out_axis([-7], Counts()).ticks[0].text == "0"


@all_cases("value", [nan, float("inf"), LARGEST_VALUE * 10])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="needs values"):
        lay_out_axis([1, value], Counts())


@all_cases(
    "measure, value, full, short",
    [
        (Counts(), 12_345, "12,345", "12.3K"),
        (Counts(), 2.54, "2.5", "2.5"),
        (Percents(), 0.01, "0.1%", "0.1%"),
        (Percents(), 3.05, "3%", "3%"),
        (Percents(), 0.7, "0.7%", "0.7%"),
        (Percents(), 99.97, "99.9%", "99.9%"),
        (Money("usd"), 237_050, "$2,370.50", "2.4K"),
        (Money("jpy"), 900, "¥900", "900"),
        (Hours(), 12_600, "3 h 30 min", "3.5 h"),
        (Hours(), 2_100, "35 min", "35 min"),
        (Hours(), 0, "0 min", "0"),
        (Hours(), -7_200, "−2 h", "-2 h"),
    ],
)
def test_values_are_written_in_full_and_short(measure: Measure, value: float, full: str, short: str) -> None:
    assert measure.write(value).replace("\u00a0", " ") == full
    assert measure.write_short(value).replace("\u00a0", " ") == short


def test_numbers_follow_the_language() -> None:
    with override("de"):
        ticks = [tick.text for tick in lay_out_axis([12_345], Counts()).ticks]
        assert ticks[0] == "12.500"
        assert Percents().write(3.1) == "3,1\u00a0%"
    with override("ja"):  # "1.3万" would not say all of 12,500
        assert lay_out_axis([12_345], Counts()).ticks[0].text == "1.25万"


def test_time_runs_from_right_to_left_where_people_read_so() -> None:
    months = months_as_places([date(2026, 1, 1), date(2026, 2, 1)])
    with override("ar"):
        line = line_chart(months, [Series("a", [1, 2])], Counts())
        bars = bar_chart(months, Series("a", [1, 2]), Counts())
        spark = spark_bars([1, 2])

    assert line.is_mirrored
    assert line.middles == (100, 0)
    assert bars.bars[0].x > bars.bars[1].x
    assert spark.bars[0].x > spark.bars[1].x


def test_a_period_that_is_not_over_is_told_apart() -> None:
    weeks = weeks_as_places([MONDAY, MONDAY + timedelta(days=7)], today=MONDAY + timedelta(days=9))
    line = line_chart(weeks, [Series("a", [1, 2])], Counts())
    bars = bar_chart(weeks, Series("a", [1, 2]), Counts())

    assert [row.name for row in line.rows] == ["5 January 2026", "12 January 2026 so far"]
    assert [bar.is_partial for bar in bars.bars] == [False, True]
    assert line.lines[0].ending
    assert not line.lines[0].path


def test_gaps_are_no_zeros() -> None:
    months = months_as_places([date(2026, month, 1) for month in range(1, 6)])
    plot = line_chart(months, [Series("a", [None, 4, None, 2, 8])], Counts())

    assert plot.lines[0].path.count("M") == 1
    assert plot.lines[0].dots == ((25, 50), (100, 0))
    assert [row.cells[0] for row in plot.rows] == [NONE, "4", NONE, "2", "8"]


def test_one_value_is_a_point_and_a_bar() -> None:
    month = months_as_places([date(2026, 1, 1)])
    line, bar = line_chart(month, [Series("a", [5])], Counts()), bar_chart(month, Series("a", [5]), Counts())

    assert line.lines[0].dots == ((50, 0),)
    assert line.lines[0].path == line.lines[0].area == ""
    assert len(bar.bars) == 1
    assert line.summary == "a: 5 (January 2026). The table below has the figures."


def test_nothing_is_said_to_be_nothing() -> None:
    months = months_as_places([date(2026, 1, 1), date(2026, 2, 1)])

    assert not line_chart(months, [Series("a", [None, None])], Counts()).has_values
    assert not bar_chart(months, Series("a", [0, 0]), Counts()).has_values
    assert not stacked_chart(months, [Series("a", [0, None])], Counts()).has_values
    assert stacked_chart(months, [Series("a", [0, -1])], Counts()).has_values
    assert line_chart(months, [Series("a", [None, None])], Counts()).summary.startswith("a: nothing yet.")


def test_a_summary_says_the_ends_and_the_extremes() -> None:
    months = months_as_places([date(2026, month, 1) for month in range(1, 5)])
    plot = line_chart(months, [Series("Learners", [820, 690, 2_400, 2_206]), Series("New", [5, 5, 5, 5])], Counts())

    assert plot.summary == (
        "Learners: from 820 (January 2026) to 2,206 (April 2026); lowest 690 (February 2026), "
        "highest 2,400 (March 2026). New: 5 from January 2026 to April 2026. The table below has the figures."
    )


def test_parts_lie_on_each_other_and_add_up() -> None:
    months = months_as_places([date(2026, 1, 1)])
    plot = stacked_chart(months, [Series("a", [200]), Series("b", [100]), Series("c", [-100])], Money("usd"))

    first, second, below = plot.bars
    assert first.y > second.y
    assert below.y >= plot.base > first.y
    assert [text.text for text in plot.values] == ["2"]
    assert len({(bar.color, bar.pattern) for bar in plot.bars}) == 3
    assert "Total: $2.00 (January 2026)." in plot.summary


def test_a_chart_needs_a_value_per_place_and_a_color_per_series() -> None:
    months = months_as_places([date(2026, 1, 1)])
    with pytest.raises(ValueError, match="one value for each place"):
        line_chart(months, [Series("a", [1, 2])], Counts())
    with pytest.raises(ValueError, match="1 to 6 series"):
        stacked_chart(months, [Series("a", [1])] * (MOST_SERIES + 1), Counts())


def test_the_highlighted_bar_has_its_label_first() -> None:
    lessons = Places("Lesson", tuple(Place(f"{index}.10", f"Lesson {index}") for index in range(40)))
    plot = bar_chart(
        lessons, Series("a", range(40, 0, -1)), Counts(), highlighted=20, note="Here.", first_labels=[0, 19, 39]
    )

    strong = [text for text in plot.labels if text.is_strong]
    assert [(text.text, text.from_width) for text in strong] == [("20.10", WIDTHS[0])]
    assert [bar.pattern for bar in plot.bars if bar.color == 2] == [1]
    assert plot.note
    assert plot.note.has_box


def test_months_name_their_year_where_there_are_many() -> None:
    assert months_as_places([date(2026, 1, 1)]).places[0].label == "Jan"
    many = months_as_places([date(2025 + index // 12, index % 12 + 1, 1) for index in range(13)])
    assert many.places[0].label == "Jan 2025"


def test_shares_of_a_distribution() -> None:
    rows = distribution([("5 stars", 1_530), ("4 stars", 336), ("3 stars", 0)])

    assert [(row.count, row.percent) for row in rows] == [("1,530", "82%"), ("336", "18%"), ("0", "0%")]
    assert distribution([("5 stars", 0)])[0].length == 0
    with pytest.raises(ValueError, match="negative"):
        distribution([("5 stars", -1)])


def test_steps_of_a_funnel() -> None:
    steps = funnel([("Visited", 400), ("Enrolled", 100), ("Began", 90), ("Finished", 0)])

    assert [step.of_first for step in steps] == ["", "25%", "22%", "0%"]
    assert [step.lost for step in steps] == [0, 300, 10, 90]
    assert [step.is_largest_loss for step in steps] == [False, True, False, False]
    assert steps[1].lost_percent == "75%"


def test_a_funnel_invents_no_share_of_a_smaller_first_step() -> None:
    steps = funnel([("Visited", 10), ("Enrolled", 40), ("Began", 20)])

    assert [(step.of_first, step.lost) for step in steps] == [("", 0), ("", 0), ("", 20)]
    assert steps[1].length == 100
    assert [step.length for step in funnel([("Visited", 0), ("Enrolled", 0)])] == [0, 0]
    with pytest.raises(ValueError, match="negative"):
        funnel([("Visited", -1)])


@all_cases(
    "numbers, index", [([], None), ([5], None), ([5, 5], None), ([5, 4, 1, 0], 2), ([9, 5, 1], 1), ([1, 2], None)]
)
def test_the_largest_loss_is_the_first_of_equals(numbers: list[int], index: int | None) -> None:
    assert largest_loss(numbers) == index


def test_small_charts_stay_in_their_box() -> None:
    chance = random.Random(7)
    for count in [0, 1, 2, 30]:
        values = [chance.choice([0, 1, chance.random() * 9_000]) for _ in range(count)]
        bars, line = spark_bars(values), spark_line(values)
        assert all(0 <= bar.y <= bar.y + bar.height <= bars.height + 0.01 for bar in bars.bars)
        assert all(0 <= bar.x <= bar.x + bar.width <= bars.width for bar in bars.bars)
        assert all(0 <= number <= 100 for number in path_numbers(line.path))
        assert (line.end is None) == (count == 0)
    assert [bar.is_nothing for bar in spark_bars([0, 0.001]).bars] == [True, False]
    assert spark_bars([50], most=100).bars[0].height == 12
    assert spark_line([7]).path == ""
    with pytest.raises(ValueError, match="negative"):
        spark_bars([-1])


def test_the_style_sheet_has_a_rule_for_each_width() -> None:
    sheet = (ROOT / "assets" / "styles" / "components" / "chart.css").read_text()
    ruled = {int(one): int(two) for one, two in re.findall(r"min-width: (\d+)em\) \{ \.graph-from-(\d+) ", sheet)}

    assert ruled == {width: width for width in WIDTHS[1:]}
