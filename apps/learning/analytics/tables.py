"""What the pages of analytics show, as tables for spreadsheets: downloads and attachments of reports.

Numbers are written plainly: percentages without a sign, time in seconds, amounts in units of the currency with its
decimals. What fewer than five learners would show is empty.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.billing.queries.earnings import earned_parts
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.curves import Retention
from apps.learning.analytics.funnel import funnel_of
from apps.learning.analytics.lessons import lessons_in
from apps.learning.analytics.metrics import metrics_of
from apps.learning.analytics.overview import course_figures, earned_by_month, ratings_together
from apps.learning.analytics.periods import Period
from apps.learning.analytics.quizzes import ItemFigures
from apps.learning.analytics.series import Series, series_with_before
from apps.learning.queries.ratings import public_name
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount

Row = list[object]


@dataclass(frozen=True)
class Asked:
    """Whose figures a table has, of when, and the moment at which it is made."""

    scope: Scope
    period: Period
    now: datetime


@dataclass(frozen=True)
class Table:
    """A table that can be downloaded; its name is part of the address and of the file."""

    name: str
    title: str | Promise
    rows: Callable[[Asked], Iterable[Row]]

    def lines(self, asked: Asked) -> Iterator[str]:
        return map(csv_line, self.rows(asked))


def number(value: float | None, digits: int = 1) -> object:
    """Return a number for a cell; nothing where it is hidden or not known."""
    if value is None:
        return ""
    return value if isinstance(value, int) else round(value, digits)


def _metrics(asked: Asked) -> Iterator[Row]:
    found = metrics_of(asked.scope, now=asked.now)
    amounts = {
        name: plain_amount(getattr(found, name), found.currency)
        for name in ("total_revenue", "monthly_earnings", "monthly_earnings_before", "pending_payout")
    }
    yield [_("Metric"), _("Now"), _("Before"), _("Unit")]
    yield [_("Total students"), found.total_students, found.total_students_before, ""]
    active = number(found.active_students), number(found.active_students_before)
    yield [_("Active students in the last 30 days"), *active, ""]
    rates = number(found.completion_rate), number(found.completion_rate_before)
    yield [_("Completion rate"), *rates, "%"]
    yield [_("Average rating"), number(found.average_rating, 2), "", _("stars")]
    unit = found.currency.upper()
    yield [_("Total revenue"), amounts["total_revenue"], "", unit]
    yield [_("Monthly earnings"), amounts["monthly_earnings"], amounts["monthly_earnings_before"], unit]
    yield [_("Pending payout"), amounts["pending_payout"], "", unit]
    yield [_("Next payout date"), found.next_payout_date, "", ""]


def _days(asked: Asked) -> Iterator[Row]:
    """The days of the period, and those of the period before, in one table."""
    head = [_("Period"), _("Day"), _("Active students"), _("Active students in the last 30 days")]
    yield [*head, _("New enrollments"), _("Completed"), _("Seconds of video"), _("Seconds of texts and quizzes"),
           _("Ratings"), _("Average rating")]  # fmt: skip
    present, before = series_with_before(asked.scope, asked.period)
    yield from _days_of(_("Before"), before)
    yield from _days_of(_("Now"), present)


def _days_of(name: str, series: Series) -> Iterator[Row]:
    for one in series.entries:
        people = number(one.active_learners), number(one.active_learners_30)
        counts = (one.enrollments, one.completions, one.watched_seconds, one.other_seconds, one.ratings)
        yield [name, one.day, *people, *counts, number(one.mean_stars, 2)]


def _ratings(asked: Asked) -> Iterator[Row]:
    found = ratings_together(asked.scope)
    yield [_("Stars"), _("Ratings"), _("Newest review"), _("Written by")]
    newest = found.newest
    for stars in range(5, 0, -1):
        is_its_row = newest is not None and newest.stars == stars
        review = [newest.text, public_name(newest.enrollment.user)] if newest is not None and is_its_row else ["", ""]
        yield [stars, found.counts.get(stars, 0), *review]


def _earnings(asked: Asked) -> Iterator[Row]:
    parts = earned_parts(asked.scope.user.pk)
    titles = {part.course: part.title for part in parts}
    first, last = (day.replace(day=1) for day in (asked.period.first, asked.period.last))
    yield [_("Month"), _("Course"), _("Yours"), _("Currency")]
    for currency in sorted({part.currency for part in parts}):
        shares = earned_by_month(parts, currency=currency)
        for (course, month), share in sorted(shares.items(), key=lambda item: (item[0][1], titles[item[0][0]])):
            if first <= month <= last and (asked.scope.chosen is None or course == asked.scope.chosen.pk):
                amount = plain_amount(share, currency)
                yield [f"{month:%Y-%m}", titles[course] or _("A course"), amount, currency.upper()]


def _courses(asked: Asked) -> Iterator[Row]:
    # Of the last month of the period: a report that is sent on the first is about the month before.
    currency, month = settings.CURRENCY, asked.period.last.replace(day=1)
    yield [_("Course"), _("Status"), _("Learners"), _("Completed"), _("Completion rate"), _("Average rating"),
           _("Ratings"), _("Earned in %(month)s") % {"month": f"{month:%Y-%m}"}, _("Currency")]  # fmt: skip
    for row in course_figures(asked.scope, earned_parts(asked.scope.user.pk), [month], currency=currency):
        course = row.course
        mean = course.rating_sum / course.rating_count if course.rating_count else None
        yield [course.title, course.get_status_display(), row.learners, row.completed, number(row.completion_rate),
               number(mean, 2), course.rating_count, plain_amount(row.earned[0], currency),
               currency.upper()]  # fmt: skip


def _way(asked: Asked) -> Iterator[Row]:
    yield [_("Step"), _("People")]
    for step in funnel_of(asked.scope, asked.period).steps:
        yield [step.label, number(step.people)]


def _lessons(asked: Asked) -> Iterator[Row]:
    yield [_("Course"), _("Section"), _("Number"), _("Lesson"), _("Kind"), _("Began"), _("Completed"),
           _("Began it or a later one"), _("Stuck now"), _("Left within 15 seconds"), _("Percent of those who began"),
           _("Marked moments"), _("Median seconds until completed")]  # fmt: skip
    for row in lessons_in(asked.scope.pks):
        lesson = row.lesson
        # Spreadsheets read "1.10" as 1.1, or as a day: so the two parts of a number are two cells.
        section, _dot, place = lesson.number.rpartition(".")
        yield [lesson.course.title, section, place, lesson.title, lesson.get_kind_display(), row.began, row.completed,
               row.reached, row.stuck, number(row.left_early), number(row.left_early_percent), number(row.bookmarks),
               number(row.median_seconds_to_complete)]  # fmt: skip


TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        Table("metrics", gettext_lazy("The eight metrics"), _metrics),
        Table("days", gettext_lazy("Each day, with the period before"), _days),
        Table("ratings", gettext_lazy("Ratings"), _ratings),
        Table("earnings", gettext_lazy("Earnings by month and course"), _earnings),
        Table("courses", gettext_lazy("By course"), _courses),
        Table("way", gettext_lazy("From the course page to completion"), _way),
        Table("lessons", gettext_lazy("Lessons"), _lessons),
    )
}


def retention_lines(retention: Retention | None, band: list[tuple[float, float]] | None) -> Iterator[str]:
    """Each second of a video, and what is usual there in the instructor's videos; the head alone if few watched."""
    yield csv_line([_("Second"), _("Percent of learners"), _("Usual from"), _("Usual to"), _("Learners")])
    if retention is None:
        return
    last = max(1, retention.seconds - 1)
    for second, percent in enumerate(retention.percents):
        usual = [number(one) for one in band[round(100 * second / last)]] if band else ["", ""]
        yield csv_line([second, number(percent), *usual, retention.learners])


def item_lines(items: Iterable[ItemFigures]) -> Iterator[str]:
    """The questions of a quiz, and a line for each choice."""
    yield csv_line(
        [_("Question"), _("Responses"), _("Unanswered"), _("Percent of the points"), _("Discrimination"), _("Choice"),
         _("Right"), _("Chosen")]
    )  # fmt: skip
    for item in items:
        percent = 100 * item.difficulty if item.difficulty is not None else None
        row = [item.question.prompt, item.responses, number(item.unanswered), number(percent)]
        row.append(number(item.discrimination, 2))
        yield csv_line([*row, "", "", ""])
        for option in item.options:
            choice = [option.text, int(option.is_right), number(option.chosen)]
            yield csv_line([item.question.prompt, "", "", "", "", *choice])
