"""The instructor's analytics: the eight metrics, learners and time, ratings, where learners stop, and earnings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import teaches
from apps.billing.queries.earnings import Part, earned_parts
from apps.courses.queries.authoring import course_badge
from apps.learning.analytics.comparison import Compared, compare_series
from apps.learning.analytics.lessons import reach_of
from apps.learning.analytics.metrics import metrics_of
from apps.learning.analytics.overview import CourseFigures, course_figures, earned_by_month, ratings_together
from apps.learning.analytics.series import DayFigures, series_with_before
from apps.learning.analytics.smallest_group import blur, is_shown
from apps.learning.analytics.tables import TABLES
from apps.learning.queries.ratings import public_name
from studyplatform.kit.charts.measures import Counts, Hours, Money, Percents
from studyplatform.kit.charts.rows import distribution
from studyplatform.kit.charts.sparks import spark_line
from studyplatform.site.teaching.analytics_charts import (
    Chart,
    chart_of_earnings,
    chart_of_people,
    chart_of_reach,
    chart_of_time,
    spent,
)
from studyplatform.site.teaching.analytics_choices import Choice, choose, months_of, site_currency
from studyplatform.site.teaching.chart_titles.courses import title_of_ratings
from studyplatform.site.teaching.metric_tiles import meanings_of, tiles_of

LEAST_MONTHS, MOST_MONTHS = 6, 12  # of earnings
SPARK_MONTHS = 6


@teaches
@require_safe
@never_cache
def analytics(request: HttpRequest) -> HttpResponse:
    """The figures of the courses that the user teaches: ?course=&range=&from=&to=&compare=."""
    choice = choose(request, now=timezone.now())
    context: dict[str, Any] = {"choice": choice, "tab": "overview", "tables": TABLES.values()}
    if choice.scope.courses:
        context |= _figures(choice)
    return render(request, "site/analytics/overview.html", context)


def _figures(choice: Choice) -> dict[str, Any]:
    scope, today, currency = choice.scope, choice.today, site_currency()
    parts = earned_parts(scope.user.pk)
    found = metrics_of(scope, now=choice.now, parts=parts)
    compared = compare_series(*series_with_before(scope, choice.period))
    months = months_of(choice.period, least=LEAST_MONTHS, most=MOST_MONTHS)
    rows = course_figures(scope, parts, months, currency=currency)
    ratings = ratings_together(scope)
    return {
        "tiles": (tiles := tiles_of(found, scope.chosen)),
        "meanings": meanings_of(tiles),
        "people": chart_of_people(compared, today=today, is_compared=choice.is_compared),
        "time": chart_of_time(compared, today=today),
        "compared": _compared_rows(compared),
        "ratings": distribution([(_stars(stars), ratings.counts.get(stars, 0)) for stars in range(5, 0, -1)]),
        "ratings_title": title_of_ratings(ratings.counts),
        "ratings_count": sum(ratings.counts.values()),
        "newest": ratings.newest,
        "newest_by": public_name(ratings.newest.enrollment.user) if ratings.newest else "",
        "reach_course": rows[0].course,
        "reach": chart_of_reach(reach_of(rows[0].course.pk)),
        "earnings": _chart_of_earnings(choice, rows, parts, months),
        "earned_months": months,
        "rows": [_course_row(row, months, currency) for row in rows],
        "this_month": months[-1],
        "currency": currency,
    }


def _stars(stars: int) -> str:
    return ngettext("%(num)d star", "%(num)d stars", stars) % {"num": stars}


def _chart_of_earnings(choice: Choice, rows: list[CourseFigures], parts: list[Part], months: list[date]) -> Chart:
    currency, scope = site_currency(), choice.scope
    shares = earned_by_month(parts, currency=currency)
    own = {row.course.pk for row in rows}
    other = [
        sum(share for (course, of), share in shares.items() if of == month and course not in own) for month in months
    ]
    if scope.chosen is not None:
        other = [0] * len(months)
    counted = (part for part in parts if part.currency == currency and part.month in set(months))
    sales = sum(part.earned.count for part in counted if scope.chosen is None or part.course in own)
    return chart_of_earnings(rows, other, months, currency, sales=sales, today=choice.today)


@dataclass(frozen=True)
class ComparedRow:
    """A figure of the period beside that of the period before, as texts; ``direction``: up, down, or "" for neither."""

    name: str
    now: str
    before: str
    change: str
    direction: str = ""


def _compared_rows(compared: Compared) -> list[ComparedRow]:
    now, before = compared.present.total, compared.before.total
    counts, hours = Counts(), Hours()
    rows = [
        _compare(_("New enrollments"), now.enrollments, before.enrollments, counts.write),
        _compare(_("Courses completed"), now.completions, before.completions, counts.write),
        _compare(_("Time spent learning"), spent(now), spent(before), hours.write),
        _compare(_("of it, watching videos"), now.watched_seconds, before.watched_seconds, hours.write),
        _compare(_("Ratings"), now.ratings, before.ratings, counts.write),
        _compare_stars(now, before),
    ]
    seen, seen_before = _visitors(now), _visitors(before)
    if seen is not None and seen_before is not None:
        rows.append(_compare(_("Visitors of course pages, about"), seen, seen_before, counts.write))
    return rows


def _visitors(figures: DayFigures) -> int | None:
    return blur(figures.page_visitors) if is_shown(figures.page_visitors) else None


def _compare(name: str, now: int, before: int, write: Callable[[int], str]) -> ComparedRow:
    if now == before or not before:
        return ComparedRow(name, write(now), write(before), _("no change") if now == before else "")
    percent = Percents().write(abs(now - before) * 100 / before)
    return ComparedRow(name, write(now), write(before), percent, "up" if now > before else "down")


def _compare_stars(now: DayFigures, before: DayFigures) -> ComparedRow:
    mean, mean_before = (f"{one:.1f}" if one is not None else "–" for one in (now.mean_stars, before.mean_stars))
    return ComparedRow(_("Average of these ratings"), mean, mean_before, "")


def _course_row(row: CourseFigures, months: list[date], currency: str) -> Mapping[str, Any]:
    course = row.course
    recent = row.earned[-SPARK_MONTHS:]
    return {
        "course": course,
        "badge": course_badge(course),
        "learners": Counts().write(row.learners),
        "completion": row.completion_rate,
        "completion_text": Percents().write(round(row.completion_rate)) if row.completion_rate is not None else "",
        "rating": f"{course.rating_sum / course.rating_count:.1f}" if course.rating_count else "",
        "earned": Money(currency).write(row.earned[-1]) if any(row.earned) else "",
        "spark": spark_line([max(0, amount) for amount in recent]) if any(recent) else None,
    }
