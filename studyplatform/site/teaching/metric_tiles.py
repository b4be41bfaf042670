"""The eight metrics of instructors as tiles, by the names of the specification."""

from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.billing.queries.payouts import minimum, sales_until
from apps.courses.models import Course
from apps.learning.analytics.metrics import Metrics, describe_metrics
from studyplatform.kit.charts.measures import Counts, Percents
from studyplatform.kit.extensions import Tile
from studyplatform.kit.text.money import money

NOTHING = "–"


def tiles_of(metrics: Metrics, course: Course | None = None) -> list[Tile]:
    """Return the tiles in their order, of one course or of all that somebody teaches."""
    return [*_of_learners(metrics, course), *_of_money(metrics, course)]


def meanings_of(tiles: list[Tile]) -> list[tuple[str, str]]:
    """Return what each of the tiles means, by its label."""
    return list(zip((tile.label for tile in tiles), describe_metrics().values(), strict=True))


def _learners_page(course: Course | None, **narrowed: str) -> str:
    query = urlencode({**({"course": course.slug} if course is not None else {}), **narrowed})
    return f"{reverse('site:learners')}?{query}" if query else reverse("site:learners")


def _of_learners(metrics: Metrics, course: Course | None) -> list[Tile]:
    rate, rate_before = metrics.completion_rate, metrics.completion_rate_before
    rating, active, before = metrics.average_rating, metrics.active_students, metrics.active_students_before
    more = metrics.total_students - metrics.total_students_before
    completed = ngettext("%(num)s course completed", "%(num)s courses completed", metrics.completed)
    rated = ngettext("from %(num)s rating", "from %(num)s ratings", metrics.rating_count)
    points = rate - rate_before if rate is not None and rate_before is not None else 0.0
    return [
        Tile(
            _("Total students"),
            Counts().write(metrics.total_students),
            _("in 30 days") if more else _("as 30 days ago") if metrics.total_students else _("none yet"),
            _learners_page(course),
            Counts().write(abs(more)) if more else "",
            more < 0,
        ),
        Tile(
            _("Active students in the last 30 days"),
            NOTHING if active is None else Counts().write(active),
            _say_active(active, before),
            _learners_page(course, seen="30"),
            _percents(active, before),
            active is not None and before is not None and active < before,
        ),
        Tile(
            _("Completion rate"),
            NOTHING if rate is None else Percents().write(rate),
            _("in 30 days") if round(points) else completed % {"num": Counts().write(metrics.completed)},
            _learners_page(course, tab="finished"),
            _points(points),
            points < 0,
        ),
        Tile(
            _("Average rating"),
            NOTHING if rating is None else f"{rating:.1f}",
            rated % {"num": Counts().write(metrics.rating_count)},
        ),
    ]


def _say_active(active: int | None, before: int | None) -> str:
    if active is None:
        return _("being counted, a few minutes")
    if before is None or not before:
        return _("none yet") if not active else _("nobody in the 30 days before")
    return _("as in the 30 days before") if active == before else _("compared with the 30 days before")


def _percents(now: int | None, before: int | None) -> str:
    """By how much a number differs from before, without its sign; empty if it doesn't."""
    if now is None or not before or now == before:
        return ""
    return Percents().write(100 * abs(now - before) / before)


def _points(points: float) -> str:
    count = abs(round(points))
    return ngettext("%(num)d point", "%(num)d points", count) % {"num": count} if count else ""


def _of_money(metrics: Metrics, course: Course | None) -> list[Tile]:
    currency = metrics.currency
    rows = f"{reverse('billing:earnings')}?currency={currency}&period="
    least = minimum(currency)
    waits = _("paid out from %(minimum)s") % {"minimum": money(least, currency)}
    until = date_format(sales_until(metrics.next_payout_date), "j F")
    before = {"amount": money(metrics.monthly_earnings_before, currency)}
    return [
        Tile(
            _("Total revenue"),
            money(metrics.total_revenue, currency),
            _("your part, less refunds") if course is None else _("your part of this course, less refunds"),
            f"{rows}all" if course is None else "",
        ),
        Tile(
            _("Monthly earnings"),
            money(metrics.monthly_earnings, currency),
            _("so far; %(amount)s last month") % before,
            f"{rows}this-month" if course is None else "",
        ),
        Tile(
            _("Pending payout"),
            money(metrics.pending_payout, currency),
            waits if metrics.pending_payout < least else _("scheduled") if course is None else _("of all your courses"),
            f"{reverse('billing:next-payout')}?currency={currency}",
        ),
        Tile(
            _("Next payout date"),
            date_format(metrics.next_payout_date, "j F"),
            _("for sales before %(day)s") % {"day": until},
        ),
    ]
