"""What lists of learners show of each enrollment beside its row and its `EnrollmentRollup`.

Lists join ``rollup`` and must expect none: an enrollment has a row from the next run of the job on, and one whose
account was deleted has none.
"""

from collections.abc import Collection
from datetime import date, timedelta

from django.db.models import Count

from apps.learning.analytics.courses import Scope
from apps.learning.models import Enrollment, EnrollmentRollup, WatchedDay

SPARKLINE_DAYS = 30


def minutes_per_day(
    enrollments: Collection[Enrollment], today: date, *, days: int = SPARKLINE_DAYS
) -> dict[int, list[int]]:
    """Return by enrollment the minutes spent in its course on each of the last days (UTC), oldest first. One query.

    :param enrollments: few: those that a page shows.
    """
    first = today - timedelta(days=days - 1)
    of_pair = {(one.user_id, one.course_id): one.pk for one in enrollments}
    found = {pk: [0] * days for pk in of_pair.values()}
    rows = WatchedDay.objects.filter(
        user__in={user for user, _course in of_pair}, course__in={course for _user, course in of_pair}
    ).filter(day__range=(first, today))
    for user, course, day, *seconds in rows.values_list("user", "course", "day", "seconds", "other_seconds"):
        if (user, course) in of_pair:
            found[of_pair[user, course]][(day - first).days] = round(sum(seconds) / 60)
    return found


def count_at_risk(scope: Scope) -> dict[str, int]:
    """Return how many enrollments are at risk now, by reason; reasons of nobody are missing. One query."""
    rows = EnrollmentRollup.objects.filter(enrollment__course__in=scope.pks, enrollment__revoked_at=None).exclude(
        risk=""
    )
    counted = dict(rows.order_by().values_list("risk").annotate(Count("pk")))
    return {risk.value: counted[risk.value] for risk in EnrollmentRollup.Risk if risk.value in counted}
