"""Charts as pages show them: templates/components/charts.html."""

import re
from datetime import date

from django.template import engines
from django.utils.translation import override

from studyplatform.kit.charts.bars import bar_chart, stacked_chart
from studyplatform.kit.charts.lines import line_chart
from studyplatform.kit.charts.measures import Counts, Money
from studyplatform.kit.charts.periods import Place, Places, months_as_places
from studyplatform.kit.charts.plots import Plot, Series
from studyplatform.kit.charts.rows import distribution, funnel
from studyplatform.kit.charts.sparks import spark_bars, spark_line

MONTHS = months_as_places([date(2026, month, 1) for month in range(1, 5)], today=date(2026, 4, 9))
LINES = [Series("Active <students>", [820, 690, 1_240, 2_206]), Series("New", [None, 212, 402, 548])]


def render(call: str, **context: object) -> str:
    names = "chart_figure, distribution_bars, funnel_steps, spark_chart"
    source = f'{{% from "components/charts.html" import {names} %}}{call}'
    return engines["jinja"].from_string(source).render(context)


def figure(plot: Plot, **more: str) -> str:
    return render(
        "{{ chart_figure(plot, 'people', 'Twice as many', 'Learners per month', **more) }}", plot=plot, more=more
    )


def test_a_figure_is_named_by_its_title_and_its_image_by_what_it_shows() -> None:
    html = figure(line_chart(MONTHS, LINES, Counts()))

    assert '<figure class="panel chart" aria-labelledby="people">' in html
    assert '<h2 class="chart__title" id="people">Twice as many</h2>' in html
    assert 'role="img" aria-label="Active &lt;students&gt;: from 820 (January 2026) to 2,206' in html
    assert "<students>" not in html


def test_every_value_stands_in_the_table_below() -> None:
    html = figure(line_chart(MONTHS, LINES, Counts()))
    table = html.partition('<table class="table" data-chart-table>')[2]

    assert re.findall(r'<td class="n">(.*?)</td>', table) == ["820", "–", "690", "212", "1,240", "402", "2,206", "548"]
    assert '<th scope="row">April 2026 so far</th>' in table


def test_lines_differ_without_their_color() -> None:
    html = figure(line_chart(MONTHS, LINES, Counts()))

    assert 'class="ch-line ch-line--dash"' in html
    assert 'class="ln ln--dash"' in html
    assert 'data-heights="' in html
    assert "-" in re.findall(r'data-heights="([^"]*)"', html)[1].split()


def test_parts_differ_without_their_color() -> None:
    html = figure(stacked_chart(MONTHS, [Series("a", [1, 2, 3, 4]), Series("b", [5, 0, 0, 0])], Counts()))

    assert html.count('<pattern id="people-p1"') == 1
    assert html.count('fill="url(#people-p1)"') == 2  # a part, and its swatch in the key


def test_a_chart_of_one_series_has_no_key() -> None:
    assert "chart__key" not in figure(bar_chart(MONTHS, LINES[0], Counts()))


def test_a_note_stands_below_where_the_plot_is_narrow() -> None:
    lessons = Places("Lesson", tuple(Place(f"1.{number}", f"Lesson 1.{number}") for number in range(9)))
    values = Series("Still studying", [100, 90, 80, 60, 20, 19, 18, 17, 16])
    beside = figure(bar_chart(lessons, values, Counts(), highlighted=4, note="Here."))
    without_room = figure(bar_chart(lessons, values, Counts(), highlighted=4, note="Here. " * 60))

    assert beside.count("Here.") == 2
    assert '<p class="graph__below graph__below--narrow">Here.</p>' in beside
    assert "foreignObject" not in without_room
    assert '<p class="graph__below">Here.' in without_room


def test_nothing_is_said_in_words() -> None:
    nothing = line_chart(MONTHS, [Series("a", [0, 0, None, 0])], Counts())

    assert "Nothing in this period yet." in figure(nothing)
    html = figure(nothing, empty="No one has visited yet.")
    assert "No one has visited yet." in html
    assert "<svg" not in html
    assert "<table" not in html


def test_charts_are_mirrored_for_readers_from_right_to_left() -> None:
    with override("ar"):
        html = figure(stacked_chart(MONTHS, [Series("a", [1, 2, 3, 4])], Money("usd")))

    assert 'data-chart="mirrored" dir="rtl"' in html
    assert 'data-middles="87.5 62.5 37.5 12.5"' in html


def test_rows_steps_and_small_charts() -> None:
    bars = render("{{ distribution_bars(rows, 'hbars--stars') }}", rows=distribution([("5 stars", 3), ("4 stars", 1)]))
    steps = render("{{ funnel_steps(steps) }}", steps=funnel([("Enrolled", 40), ("Began", 10)]))
    small = "{{ spark_chart(spark, label) }}"

    assert '<progress class="bar" value="75.0" max="100" aria-label="5 stars">75%</progress>' in bars
    assert "75% did not get here (the most)" in steps
    assert "25%" in steps
    assert 'role="img" aria-label="30 days"' in render(small, spark=spark_bars([1, 0]), label="30 days")
    assert 'aria-hidden="true"' in render(small, spark=spark_line([1, 2]), label="")
    assert "<ellipse" in render(small, spark=spark_line([1]), label="")
    assert render(small, spark=spark_line([]), label="").strip() == ""


def test_no_style_is_written_into_an_element() -> None:
    """The content security policy would refuse it."""
    plot = bar_chart(MONTHS, LINES[0], Counts(), highlighted=1, note="Here.", written="all")

    assert "style=" not in figure(plot)
