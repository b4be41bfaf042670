"""Reports of analytics by email, each week or month, until their user ends them or may not read the figures."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from django.db import transaction
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import teach
from apps.accounts.queries import zone_of
from apps.accounts.services import notify
from apps.courses.errors import CourseNotFound, NotCourseStaff, RightNotGiven
from apps.courses.models import Course, Right
from apps.courses.policies import hold_right
from apps.learning.analytics.courses import Scope, scope_of
from apps.learning.analytics.periods import Period
from apps.learning.analytics.tables import TABLES, Asked
from apps.learning.models import AnalyticsReport
from apps.learning.notices import ANALYTICS_REPORT
from studyplatform.kit.mail import Attachment
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.dates import show_site_date

logger = logging.getLogger(__name__)
Frequency = AnalyticsReport.Frequency
REPORT_TIME = time(7)  # in the time zone of its reader
TIME_TO_COUNT = timedelta(minutes=30)  # after the end of a day
LOOK_INTERVAL = timedelta(minutes=30)
ATTACHED_TABLE = "learning.analytics"  # the kind of the attachments
ATTACHED_TABLES = ("metrics", "days", "courses", "lessons")


def schedule_report(*, user: User, course: Course | None, frequency: str, now: datetime) -> AnalyticsReport:
    """Send the user the figures of a course, or of all, from now on; a second time changes how often.

    :raises AppError: the user may not read the figures.
    :raises ValueError: there is no such frequency.
    """
    enforce(teach(user) if course is None else hold_right(user, course, Right.VIEW))
    chosen = Frequency(frequency)
    values = {"frequency": chosen, "next_at": next_report(chosen, reader=user, now=now)}
    report, _is_new = AnalyticsReport.objects.update_or_create(
        user=user, course=course, defaults=values, create_defaults={**values, "created_at": now}
    )
    return report


def end_report(*, user: User, uid: UUID) -> bool:
    """End a report of the user's own. Return whether there was one; again changes nothing."""
    deleted, _rows = AnalyticsReport.objects.filter(user=user).filter(uid=uid).delete()
    return deleted > 0


def forget_reports(*, user_id: int) -> None:
    """End all reports of a deleted account."""
    AnalyticsReport.objects.filter(user=user_id).delete()


def next_report(frequency: str, *, reader: User, now: datetime) -> datetime:
    """Return the next Monday, or first of a month, at seven in the reader's time zone.

    Days are counted in UTC: where the day before ends later, the report waits for it, and for the job that counts it.
    """
    zone = zone_of(reader)
    day = now.astimezone(zone).date()
    while True:
        counted_at = datetime.combine(day, time(), tzinfo=UTC) + TIME_TO_COUNT
        moment = max(datetime.combine(day, REPORT_TIME, tzinfo=zone), counted_at)
        if moment > now and (day.weekday() == 0 if frequency == Frequency.WEEKLY else day.day == 1):
            return moment
        day += timedelta(days=1)


def period_of(frequency: str, *, at: datetime) -> Period:
    """Return what a report sent at this moment is about: the last whole week from Monday on, or month.

    So one that is late is about the same days as one in time, and no day is in two of them or in none.
    """
    today = at.astimezone(UTC).date()
    if frequency == Frequency.WEEKLY:
        monday = today - timedelta(days=today.weekday() + 7)
        return Period(monday, monday + timedelta(days=6))
    last = today.replace(day=1) - timedelta(days=1)
    return Period(last.replace(day=1), last)


def send_due_reports(*, now: datetime, keep_alive: Callable[[], None]) -> int:
    """Send the reports that are due, and end those whose users may not read them. Return how many were sent.

    Of several that were missed while nothing ran, only the newest is sent. While the figures of its last day are not
    counted, it waits.

    Killed between two of them, the next run goes on: each is sent and moved on in one transaction.
    """
    sent = 0
    for pk in list(AnalyticsReport.objects.filter(next_at__lte=now).values_list("pk", flat=True)):
        keep_alive()
        try:
            sent += _send(pk, now)
        except Exception:  # one report must not keep the others
            logger.exception("The analytics report %s could not be sent.", pk)
    return sent


@transaction.atomic
def _send(pk: int, now: datetime) -> bool:
    due = AnalyticsReport.objects.select_for_update(of=("self",)).select_related("user", "course")
    report = due.filter(pk=pk, next_at__lte=now).first()
    if report is None:  # another run sent it, or it was ended
        return False
    if (scope := read_scope(report)) is None:
        report.delete()
        return False
    user, period = report.user, period_of(report.frequency, at=now)
    if user.is_active and (scope.counted_until is None or scope.counted_until < period.ends_at):
        return False
    report.next_at = next_report(report.frequency, reader=user, now=now)
    report.save(update_fields=["next_at"])
    if not user.is_active:  # blocked: it goes on once they are not
        return False
    span = f"{period.first.isoformat()} {period.last.isoformat()}"
    query = {"from": period.first.isoformat(), "to": period.last.isoformat()}
    if report.course is not None:
        query["course"] = report.course.slug
    notify(
        ANALYTICS_REPORT.name,
        user,
        f"{reverse('site:analytics')}?{urlencode(query)}",
        key=f"{report.uid} {period.last:%Y%m%d}",
        attachments=[(ATTACHED_TABLE, f"{report.uid} {name} {span}") for name in ATTACHED_TABLES],
        now=now,
        what=report.course.title if report.course is not None else _("All courses"),
        period=f"{show_site_date(period.first)} – {show_site_date(period.last)}",
    )
    return True


def read_scope(report: AnalyticsReport) -> Scope | None:
    """Return what the report's user may read at this moment; None if it is nothing of what the report is about."""
    if not report.user.can_teach or report.user.deleted_at is not None:
        return None
    if report.course is not None and not report.user.is_active:
        return scope_of(report.user)
    try:
        scope = scope_of(report.user, report.course.slug if report.course is not None else "")
        return scope if scope.courses else None
    except (CourseNotFound, NotCourseStaff, RightNotGiven):
        return None


def attach_table(which: str, *, now: datetime) -> Attachment | None:
    """Make a table of a report when its email is sent; None if the report has ended, or the right to read it.

    :param which: the uid of the report, the name of the table, the first and the last day.
    """
    uid, name, first, last = which.split(" ")
    report = AnalyticsReport.objects.select_related("user", "course").filter(uid=uid).first()
    if report is None or not report.user.is_active or (scope := read_scope(report)) is None:
        return None
    period = Period(datetime.fromisoformat(first).date(), datetime.fromisoformat(last).date())
    text = "".join(TABLES[name].lines(Asked(scope, period, now)))
    return Attachment(f"analytics-{name}-{last}.csv", b"\xef\xbb\xbf" + text.encode(), "text/csv")
