"""The eight metrics of instructors, and what each means."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from apps.billing.models import Payout
from apps.billing.queries.earnings import Earned, Part, earned_parts
from apps.billing.queries.payouts import next_payout_day, sales_until
from apps.billing.queries.pending_payouts import pending_payout
from apps.billing.queries.periods import month_of, months_before
from apps.learning.analytics.courses import Scope
from apps.learning.analytics.series import active_rows
from apps.learning.models import Enrollment

ACTIVE = timedelta(days=30)


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """The metrics of some courses, now and as they were 30 days ago (``…_before``).

    Amounts are minor units of ``currency``: the reader's own part. Payouts are about all that the reader sells, so
    they don't depend on the courses.
    """

    total_students: int
    total_students_before: int
    active_students: int | None
    """None: not counted yet, see `Scope.has_actives`."""
    active_students_before: int | None
    enrollments: int
    """Present ones: who takes two of the courses has two."""
    enrollments_before: int
    completed: int
    """Of these."""
    completed_before: int
    rating_count: int
    rating_sum: int
    currency: str
    total_revenue: int
    monthly_earnings: int
    monthly_earnings_before: int
    """Of the month before."""
    pending_payout: int
    next_payout_date: date

    @property
    def average_rating(self) -> float | None:
        return self.rating_sum / self.rating_count if self.rating_count else None

    @property
    def completion_rate(self) -> float | None:
        """In percent."""
        return 100 * self.completed / self.enrollments if self.enrollments else None

    @property
    def completion_rate_before(self) -> float | None:
        return 100 * self.completed_before / self.enrollments_before if self.enrollments_before else None


def metrics_of(scope: Scope, *, now: datetime, parts: list[Part] | None = None) -> Metrics:
    """Return the metrics of the courses. Five queries; four with ``parts``, what `earned_parts` found for the reader.

    Revenue is that of the chosen course. If none was chosen it is everything the reader earned, also with courses that
    they no longer teach, as on the page of earnings.
    """
    then = now - ACTIVE
    counted = Enrollment.objects.filter(course__in=scope.pks, user__deleted_at=None).aggregate(
        **{f"{name}{suffix}": value for suffix, moment in (("", now), ("_before", then)) for name, value in (
            ("total_students", Count("user", distinct=True, filter=_present(moment))),
            ("completed", Count("pk", filter=_present(moment) & Q(completed_at__lte=moment))),
            ("enrollments", Count("pk", filter=_present(moment))),
        )}
    )  # fmt: skip
    active, active_before = _active_students(scope, now)
    return Metrics(
        **counted,
        rating_count=sum(course.rating_count for course in scope.courses),
        rating_sum=sum(course.rating_sum for course in scope.courses),
        active_students=active,
        active_students_before=active_before,
        **_revenue_of(scope, earned_parts(scope.user.pk) if parts is None else parts, now),
    )


def _present(moment: datetime) -> Q:
    """The enrollments that existed at a moment. Of one that ended and began again, the pause is not known."""
    return Q(enrolled_at__lte=moment) & (Q(revoked_at=None) | Q(revoked_at__gt=moment))


def _active_students(scope: Scope, now: datetime) -> tuple[int | None, int | None]:
    """Those of the last day that is counted, and 30 days before it."""
    if scope.counted_day is None or not scope.has_actives:
        return None, None
    day = min(scope.counted_day, now.astimezone(UTC).date())
    rows = active_rows(scope).filter(day__in=[day, day - ACTIVE]).values_list("day", "active_learners_30")
    found = dict(rows)
    return found.get(day, 0), found.get(day - ACTIVE, 0)


def _revenue_of(scope: Scope, parts: list[Part], now: datetime) -> Mapping[str, Any]:
    """What the reader earns. Two queries."""
    user, currency, month = scope.user, settings.CURRENCY, month_of(now)
    parts = [part for part in parts if part.currency == currency]
    if scope.chosen is not None:
        parts = [part for part in parts if part.course == scope.chosen.pk]
    before = months_before(month, 1)
    until = sales_until(day := next_payout_day(now.astimezone(UTC).date()))
    going = Payout.objects.filter(
        instructor=user, currency=currency, state__in=[Payout.State.PROCESSING, Payout.State.SENT]
    )
    last = going.order_by("-created_at", "-pk").first()
    return {
        "currency": currency,
        "total_revenue": sum((part.earned for part in parts), Earned()).share,
        "monthly_earnings": sum((part.earned for part in parts if part.month == month), Earned()).share,
        "monthly_earnings_before": sum((part.earned for part in parts if part.month == before), Earned()).share,
        "pending_payout": pending_payout(user.pk, currency, until=until, last=last).amount,
        "next_payout_date": day,
    }


def describe_metrics() -> Mapping[str, str]:
    """Return what each metric means, in the words of the page, by its name in `Metrics`."""
    return {
        "total_students": _("People enrolled in your courses now. Who takes two of them counts once."),
        "active_students": _(
            "People who, in the last 30 days, opened a lesson for the first time, watched something new, read, or "
            "submitted a quiz. Who takes two of your courses counts once."
        ),
        "completion_rate": _("Of all present enrollments, how many percent have completed the course."),
        "average_rating": _("The mean of all ratings that your courses show."),
        "total_revenue": _(
            "Your part of everything that was sold, less what was given back. What was sold in another currency than "
            "this site has now is on the page of earnings."
        ),
        "monthly_earnings": _("Your part of what was sold this month, less what was given back."),
        "pending_payout": _("What the next payout will be, for all your courses."),
        "next_payout_date": _("The day on which the next payout is sent."),
    }
