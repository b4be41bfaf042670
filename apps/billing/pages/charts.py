"""The charts of earnings, revenue and teams."""

from collections.abc import Mapping, Sequence
from datetime import date

from django.utils.translation import gettext as _

from apps.billing.queries.earnings import Earned
from apps.billing.queries.revenue import Month
from apps.billing.queries.seat_use import Week
from studyplatform.kit.charts.bars import bar_chart, stacked_chart
from studyplatform.kit.charts.measures import Hours, Money
from studyplatform.kit.charts.periods import months_as_places, weeks_as_places
from studyplatform.kit.charts.plots import Plot, Series


def chart_of_earnings(months: Sequence[date], earned: Mapping[date, Earned], currency: str, *, today: date) -> Plot:
    """What learners paid in each month, as what is the instructor's and what is the platform's.

    A month in which more was returned than paid has nothing to show; the table has its amounts.
    """
    paid = [max(earned.get(month, Earned()).paid, 0) for month in months]
    shares = [min(max(earned.get(month, Earned()).share, 0), most) for month, most in zip(months, paid, strict=True)]
    kept = [all_ - share for all_, share in zip(paid, shares, strict=True)]
    parts = [Series(_("Yours"), shares), Series(_("Platform"), kept)]
    return stacked_chart(months_as_places(months, today=today), parts, Money(currency), size="large")


def chart_of_revenue(months: Sequence[Month], currency: str, *, today: date) -> Plot:
    """What was sold in each month, after refunds."""
    parts = [
        Series(_("Premium"), [max(month.premium, 0) for month in months]),
        Series(_("Courses"), [max(month.courses, 0) for month in months]),
    ]
    return stacked_chart(
        months_as_places([month.first for month in months], today=today), parts, Money(currency), size="large"
    )


def chart_of_weeks(weeks: Sequence[Week], *, today: date) -> Plot:
    """How long a team learned in each week."""
    places = weeks_as_places([week.monday for week in weeks], today=today)
    seconds = Series(_("Hours"), [week.seconds for week in weeks])
    return bar_chart(places, seconds, Hours(), size="small", written="all")
