"""The charts of analytics, with the titles that state what they show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from django.utils.translation import gettext as _

from apps.learning.analytics.comparison import Compared
from apps.learning.analytics.curves import Retention
from apps.learning.analytics.lessons import Reach
from apps.learning.analytics.overview import CourseFigures
from apps.learning.analytics.series import DayFigures
from studyplatform.kit.charts.bars import bar_chart, stacked_chart
from studyplatform.kit.charts.lines import line_chart
from studyplatform.kit.charts.measures import Counts, Hours, Money, Percents
from studyplatform.kit.charts.periods import (
    Place,
    Places,
    days_as_places,
    months_as_places,
    weeks_as_places,
)
from studyplatform.kit.charts.plots import MOST_SERIES, Plot, Series
from studyplatform.kit.text.durations import clock, length
from studyplatform.site.teaching.chart_titles.courses import title_of_earnings, title_of_stops
from studyplatform.site.teaching.chart_titles.growth import title_of_former_people, title_of_people, title_of_time

YEAR, ABOUT_A_YEAR = 365, 35  # days: twelve months of which the last one is not over
ABOUT_NOW = timedelta(days=2)  # since the end of a period of which titles speak as of now
POINTS_OF_CURVE = 120  # of the retention of a video, as it is drawn without scripts


@dataclass(frozen=True)
class Chart:
    """A plot with its title, what it counts, and, if it is about a lesson, which one stands out."""

    plot: Plot
    title: str
    sub: str = ""
    reach: Reach | None = None


def chart_of_people(compared: Compared, *, today: date, is_compared: bool) -> Chart:
    """Active students and new enrollments; if they are compared, the active ones of the period before as well."""
    entries = compared.entries
    series = [
        Series(_("Active students"), [entry.active_learners_30 for entry in entries]),
        Series(_("New enrollments"), [entry.enrollments for entry in entries]),
    ]
    if is_compared:
        before = [entry.active_learners_30 for entry in compared.entries_before]
        series.append(Series(_("Active students, period before"), before))
    period = compared.present.period
    days = YEAR if abs(period.days - YEAR) <= ABOUT_A_YEAR else period.days
    count = entries[-1].active_learners_30
    if today - period.last > ABOUT_NOW:
        title = title_of_former_people(count, period.last)
    else:
        title = title_of_people(count, active_on(compared, period.last - timedelta(days=days)), days)
    return Chart(line_chart(_places(compared, today), series, Counts()), title)


def active_on(compared: Compared, day: date) -> int | None:
    """The active students of a day of the two periods; None if it lies in neither, or is not counted."""
    days = (*compared.before.entries, *compared.present.entries)
    return next((one.active_learners_30 for one in days if one.day == day), None)


def chart_of_time(compared: Compared, *, today: date) -> Chart:
    """The time that learners spent in each step."""
    seconds = Series(_("Time"), [spent(entry) for entry in compared.entries])
    title = title_of_time(spent(compared.present.total), spent(compared.before.total))
    return Chart(bar_chart(_places(compared, today), seconds, Hours(), written="extremes"), title)


def spent(entry: DayFigures) -> int:
    """Seconds of video, texts and quizzes."""
    return entry.watched_seconds + entry.other_seconds


def _places(compared: Compared, today: date) -> Places:
    make = {"day": days_as_places, "week": weeks_as_places, "month": months_as_places}[compared.step]
    return make([entry.day for entry in compared.entries], today=today)


def chart_of_reach(reach: Sequence[Reach]) -> Chart | None:
    """How many of those who began a course came to each lesson; None if nobody began."""
    began = max((one.reached for one in reach), default=0)
    if not began:
        return None
    percents = [100 * one.reached / began for one in reach]
    lost = [max(0, here.reached - there.reached) for here, there in pairwise(reach)]
    names = [one.lesson.number or str(place) for place, one in enumerate(reach, start=1)]
    # Who reached the last lesson did not stop before the end.
    stops = title_of_stops(names, [*lost, 0], began)
    place, note = stops.index, ""
    if place is not None:
        lesson, points = reach[place].lesson, round(percents[place] - percents[place + 1])
        said = {"lesson": names[place], "percent": Percents().write(points), "length": length(lesson.duration)}
        note = _("Lesson %(lesson)s is as far as %(percent)s of them have come.") % said
        if lesson.duration:
            note += " " + _("It takes %(length)s.") % said
    firsts = [0, *(index for index, one in enumerate(reach) if index and _begins_section(reach, index))]
    plot = bar_chart(
        Places(
            _("Lesson"),
            tuple(Place(name, f"{name} {one.lesson.title}") for name, one in zip(names, reach, strict=True)),
        ),
        Series(_("Still studying"), percents),
        Percents(),
        highlighted=place,
        note=note,
        first_labels=[*firsts, len(reach) - 1],
        is_full=True,
    )
    return Chart(plot, stops.title, reach=reach[place] if place is not None else None)


def _begins_section(reach: Sequence[Reach], index: int) -> bool:
    return reach[index].lesson.section_id != reach[index - 1].lesson.section_id


def chart_of_earnings(
    courses: Sequence[CourseFigures],
    other: Sequence[int],
    months: Sequence[date],
    currency: str,
    *,
    sales: int,
    today: date,
) -> Chart:
    """What the reader earned with each course; those that earned least are added up.

    :param other: what was earned with courses that the reader no longer teaches, or without one.
    """
    earning = sorted((row for row in courses if any(row.earned)), key=lambda row: -sum(row.earned))
    named, rest = earning[: MOST_SERIES - 1], earning[MOST_SERIES - 1 :]
    titles = [row.course.title for row in named]
    amounts = {
        f"{title} ({row.course.slug})" if titles.count(title) > 1 else title: list(row.earned)
        for title, row in zip(titles, named, strict=True)
    }
    remaining = [sum(row.earned[at] for row in rest) + other[at] for at in range(len(months))]
    if any(remaining):
        amounts[_("Other courses")] = remaining
    if not amounts:
        amounts[_("Courses")] = [0] * len(months)
    series = [Series(name, values) for name, values in amounts.items()]
    title = title_of_earnings(amounts, currency, sales=sales, is_last_over=months[-1] != today.replace(day=1))
    return Chart(stacked_chart(months_as_places(months, today=today), series, Money(currency)), title)


def chart_of_retention(retention: Retention, band: Sequence[tuple[float, float]] | None) -> Plot:
    """The retention of a video, at places of the same distance, with what is usual."""
    last = retention.seconds - 1
    count = min(POINTS_OF_CURVE, retention.seconds)
    seconds = sorted({round(last * place / max(1, count - 1)) for place in range(count)})
    series = [Series(_("Learners"), [retention.percents[second] for second in seconds])]
    if band:
        at = [round(100 * second / max(1, last)) for second in seconds]
        series += [
            Series(_("Usual, from"), [band[percent][0] for percent in at]),
            Series(_("Usual, to"), [band[percent][1] for percent in at]),
        ]
    places = tuple(Place(clock(second), clock(second)) for second in seconds)
    return line_chart(Places(_("Time"), places), series, Percents(), is_full=True)
