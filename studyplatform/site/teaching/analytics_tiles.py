"""The eight metrics of instructors as tiles, each with what it was before."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.learning.analytics.courses import Scope
from apps.learning.analytics.metrics import Metrics
from studyplatform.kit.charts.measures import Counts, Percents
from studyplatform.kit.text.money import money
from studyplatform.kit.web.dates import show_site_date


@dataclass(frozen=True)
class MetricTile:
    """A metric as texts; ``delta`` and ``direction`` (up, down) say how it changed, ``foot`` since when."""

    label: str
    value: str
    foot: str
    delta: str = ""
    direction: str = ""
    address: str = ""


def tiles_of(found: Metrics, scope: Scope) -> list[MetricTile]:
    """Return the tiles, by the exact names of the metrics, in their order."""
    earnings, counts = reverse("billing:earnings"), Counts()
    return [
        _counted(_("Total students"), found.total_students, found.total_students_before),
        _active(found),
        _completion(found),
        MetricTile(
            _("Average rating"),
            f"{found.average_rating:.1f}" if found.average_rating is not None else "–",
            ngettext("from %(num)s rating", "from %(num)s ratings", found.rating_count)
            % {"num": counts.write(found.rating_count)},
        ),
        MetricTile(
            _("Total revenue"),
            money(found.total_revenue, found.currency),
            _("your part, after refunds") if scope.chosen is None else _("your part in this course"),
            address=earnings,
        ),
        _monthly(found, earnings),
        MetricTile(
            _("Pending payout"),
            money(found.pending_payout, found.currency),
            _("of everything you sell"),
            address=reverse("billing:next-payout"),
        ),
        MetricTile(
            _("Next payout date"),
            show_site_date(found.next_payout_date, "j F"),
            _("for sales before it"),
            address=earnings,
        ),
    ]


def _counted(label: str, now: int, before: int) -> MetricTile:
    written = Counts().write(now)
    if not before or now == before:
        foot = _("as 30 days ago") if before == now and before else _("none 30 days ago") if now else _("none yet")
        return MetricTile(label, written, foot)
    percent = Percents().write(abs(now - before) * 100 / before)
    return MetricTile(label, written, _("vs 30 days ago"), percent, "up" if now > before else "down")


def _active(found: Metrics) -> MetricTile:
    label = _("Active students in the last 30 days")
    if found.active_students is None or found.active_students_before is None:
        return MetricTile(label, "–", _("being counted, see again in ten minutes"))
    return _counted(label, found.active_students, found.active_students_before)


def _completion(found: Metrics) -> MetricTile:
    label, now, before = _("Completion rate"), found.completion_rate, found.completion_rate_before
    if now is None:
        return MetricTile(label, "–", _("none yet"))
    written = Percents().write(round(now))
    points = round(now - before, 1) if before is not None else 0
    if not points:
        foot = ngettext("%(num)s course completed", "%(num)s courses completed", found.completed)
        return MetricTile(label, written, foot % {"num": Counts().write(found.completed)})
    said = ngettext("%(num)s point", "%(num)s points", 1 if abs(points) == 1 else 2) % {"num": f"{abs(points):g}"}
    return MetricTile(label, written, _("vs 30 days ago"), said, "up" if points > 0 else "down")


def _monthly(found: Metrics, address: str) -> MetricTile:
    label, now, before = _("Monthly earnings"), found.monthly_earnings, found.monthly_earnings_before
    written = money(now, found.currency)
    if before <= 0:
        return MetricTile(label, written, _("this month so far"), address=address)
    percent = Percents().write(abs(now - before) * 100 / before)
    foot = _("so far, compared with all of last month")
    return MetricTile(label, written, foot, percent, "up" if now >= before else "down", address)
