"""Reports of analytics by email: when they come, what they contain, and when they end."""

import csv
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email import policy
from email.parser import BytesParser
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core import mail as outbox

from apps.accounts.models import Notification, Role, User
from apps.accounts.services import subscription_of, unsubscribe
from apps.accounts.services.unsubscribing import unsubscribe_link
from apps.courses.errors import NotCourseStaff
from apps.courses.models import Course
from apps.learning.analytics.periods import Period
from apps.learning.models import AnalyticsReport, RollupState
from apps.learning.services import analytics_reports, attach_table, end_report, schedule_report, send_due_reports
from apps.learning.services.analytics_reports import next_report, period_of
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.models import Job
from tests.cases import all_cases
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory

NOW = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)  # a Monday

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _a_week_later() -> Iterator[None]:
    """The clock says when the first weekly report is due: older news is not mailed."""
    with time_machine.travel(NOW.replace(day=6, month=4, hour=7, minute=1), tick=False):
        yield


@pytest.fixture(autouse=True)
def counted(db: None) -> None:
    """Everything is counted until then."""
    until = NOW + timedelta(days=60)
    names = ("counted_until", "lessons_counted_until", "all_counted_until")
    RollupState.objects.create(pk=RollupState.ONLY_PK, **dict.fromkeys(names, until))


def nothing() -> None:
    pass


def due(report: AnalyticsReport) -> datetime:
    return report.next_at + timedelta(minutes=1)


@all_cases(
    "frequency, zone, now, expected",
    [
        ("weekly", "UTC", NOW, datetime(2026, 4, 6, 7, 0, tzinfo=UTC)),
        ("weekly", "UTC", NOW.replace(hour=6), datetime(2026, 3, 30, 7, 0, tzinfo=UTC)),
        ("weekly", "Asia/Tokyo", NOW, datetime(2026, 4, 6, 0, 30, tzinfo=UTC)),  # its days end at nine in UTC
        ("weekly", "Pacific/Auckland", NOW, datetime(2026, 4, 6, 0, 30, tzinfo=UTC)),
        ("weekly", "America/Los_Angeles", NOW, datetime(2026, 3, 30, 14, 0, tzinfo=UTC)),
        ("weekly", "Pacific/Kiritimati", NOW.replace(hour=0), datetime(2026, 3, 30, 0, 30, tzinfo=UTC)),
        ("weekly", "Pacific/Honolulu", NOW, datetime(2026, 3, 30, 17, 0, tzinfo=UTC)),
        ("monthly", "Pacific/Auckland", NOW, datetime(2026, 4, 1, 0, 30, tzinfo=UTC)),
        ("monthly", "UTC", NOW, datetime(2026, 4, 1, 7, 0, tzinfo=UTC)),
        ("monthly", "Europe/Berlin", NOW, datetime(2026, 4, 1, 5, 0, tzinfo=UTC)),
    ],
)
def test_a_report_comes_at_seven_where_its_reader_lives(
    frequency: str, zone: str, now: datetime, expected: datetime
) -> None:
    assert next_report(frequency, reader=User(time_zone=zone), now=now) == expected


def test_a_report_is_about_what_is_over() -> None:
    week = Period(date(2026, 3, 23), date(2026, 3, 29))
    assert period_of("weekly", at=NOW) == week
    assert period_of("weekly", at=NOW + timedelta(days=3)) == week, "late, after a stop"
    assert period_of("weekly", at=NOW + timedelta(days=7)).before == week
    first = datetime(2026, 4, 1, 7, 0, tzinfo=UTC)
    assert period_of("monthly", at=first) == Period(date(2026, 3, 1), date(2026, 3, 31))
    assert period_of("monthly", at=first + timedelta(days=20)).last == date(2026, 3, 31)


@all_cases("zone", ["Pacific/Auckland", "Asia/Shanghai", "Asia/Kolkata", "Europe/Berlin", "Pacific/Honolulu"])
def test_the_last_day_of_a_report_is_over_in_utc(zone: str) -> None:
    """Figures are of days of UTC."""
    for frequency in ("weekly", "monthly"):
        at = NOW
        for _time in range(14):  # over both changes of the clocks
            before, at = at, next_report(frequency, reader=User(time_zone=zone), now=at)
            period = period_of(frequency, at=at)
            assert period.ends_at <= at
            assert at.astimezone(ZoneInfo(zone)).date() - period.last == timedelta(days=1)
            if before != NOW:
                assert period.first == period_of(frequency, at=before).last + timedelta(days=1)


def test_a_report_is_mailed_once_with_its_tables(ada: User, course: Course) -> None:
    report = schedule_report(user=ada, course=course, frequency="weekly", now=NOW)

    assert send_due_reports(now=NOW, keep_alive=nothing) == 0
    assert send_due_reports(now=due(report), keep_alive=nothing) == 1
    assert send_due_reports(now=due(report), keep_alive=nothing) == 0

    report.refresh_from_db()
    assert report.next_at == datetime(2026, 4, 13, 7, 0, tzinfo=UTC)
    notice = Notification.objects.get(user=ada, kind="learning.analytics_report")
    assert notice.link == f"/dashboard/instructor/analytics/?from=2026-03-30&to=2026-04-05&course={course.slug}"
    for kind in ("accounts.mail_notification", "kit.deliver_mail"):
        row = Job.objects.get(kind=kind)
        while (running := jobs.claim(row.queue, now=due(report))) is not None and running.job.pk != row.pk:
            pass
        assert running is not None
        jobs.perform(running)
    [message] = outbox.outbox
    sent = BytesParser(policy=policy.default).parsebytes(message.message().as_bytes())
    files = {part.get_filename(): part.get_content() for part in sent.iter_attachments() if part.get_filename()}
    assert "analytics-days-2026-04-05.csv" in files
    assert course.title in str(files["analytics-courses-2026-04-05.csv"])
    assert "List-Unsubscribe" in sent


@all_cases("zone", ["UTC", "Pacific/Auckland"])
def test_a_report_that_comes_late_is_about_the_week_that_it_was_due_for(zone: str, ada: User, course: Course) -> None:
    User.objects.filter(pk=ada.pk).update(time_zone=zone)
    ada.refresh_from_db()
    Notification.objects.all().delete()
    report = schedule_report(user=ada, course=course, frequency="weekly", now=NOW)

    assert send_due_reports(now=report.next_at + timedelta(days=17), keep_alive=nothing) == 1

    assert "from=2026-04-13&to=2026-04-19" in Notification.objects.get(kind="learning.analytics_report").link
    report.refresh_from_db()
    assert period_of("weekly", at=report.next_at) == Period(date(2026, 4, 20), date(2026, 4, 26))


def test_one_report_that_fails_does_not_keep_the_others(
    ada: User, eve: User, course: Course, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    CourseFactory(instructor=eve)
    first = schedule_report(user=ada, course=course, frequency="weekly", now=NOW)
    schedule_report(user=eve, course=None, frequency="weekly", now=NOW)
    works = analytics_reports.notify

    def fail_once(kind: str, user: User, *given: object, **named: object) -> None:
        if user == ada:
            raise RuntimeError("no room")
        works(kind, user, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(analytics_reports, "notify", fail_once)
    assert send_due_reports(now=due(first), keep_alive=nothing) == 1
    assert "could not be sent" in caplog.text
    monkeypatch.undo()
    assert send_due_reports(now=due(first), keep_alive=nothing) == 1  # it was not moved on


def test_a_report_waits_until_its_last_day_is_counted(ada: User, course: Course) -> None:
    report = schedule_report(user=ada, course=course, frequency="weekly", now=NOW)
    midnight = datetime(2026, 4, 6, tzinfo=UTC)
    RollupState.objects.update(counted_until=midnight - timedelta(minutes=1))

    assert send_due_reports(now=due(report), keep_alive=nothing) == 0
    RollupState.objects.update(counted_until=midnight)
    assert send_due_reports(now=due(report) + timedelta(hours=3), keep_alive=nothing) == 1
    assert "to=2026-04-05" in Notification.objects.get().link


def test_a_report_of_a_month_has_what_was_earned_in_it(ada: User, course: Course) -> None:
    sale(ada.pk, 10_000, at=NOW.replace(day=12), course_id=course.pk)
    report = schedule_report(user=ada, course=course, frequency="monthly", now=NOW)
    made = attach_table(f"{report.uid} courses 2026-03-01 2026-03-31", now=due(report))

    assert made is not None
    [row] = csv.DictReader(StringIO(made.content.decode("utf-8-sig")))
    assert row["Earned in 2026-03"] == "70.00"


def test_the_link_of_the_email_ends_all_emails_of_reports(ada: User, course: Course) -> None:
    subscription = subscription_of(unsubscribe_link(ada, "learning.analytics_report").rsplit("/", 1)[1])
    assert subscription is not None
    unsubscribe(subscription)
    report = schedule_report(user=ada, course=None, frequency="weekly", now=NOW)

    assert send_due_reports(now=due(report), keep_alive=nothing) == 1
    assert not Job.objects.filter(kind="accounts.mail_notification").exists()


def test_a_report_ends_with_the_right_to_read_it(course: Course) -> None:
    joined = CoInstructorFactory(course=course)
    report = schedule_report(user=joined.user, course=course, frequency="weekly", now=NOW)
    which = f"{report.uid} lessons 2026-03-23 2026-03-29"
    made = attach_table(which, now=NOW)
    assert made is not None
    assert b"Rivers and Their Work" in made.content

    joined.delete()

    assert attach_table(which, now=NOW) is None
    assert send_due_reports(now=due(report), keep_alive=nothing) == 0
    assert not AnalyticsReport.objects.exists()
    assert not Notification.objects.filter(kind="learning.analytics_report").exists()


def test_who_stops_teaching_gets_no_report_of_all_courses(ada: User) -> None:
    report = schedule_report(user=ada, course=None, frequency="monthly", now=NOW)
    User.objects.filter(pk=ada.pk).update(role=Role.STUDENT)

    assert send_due_reports(now=due(report), keep_alive=nothing) == 0
    assert not AnalyticsReport.objects.exists()


def test_a_blocked_account_gets_none_and_goes_on_later(ada: User, course: Course) -> None:
    report = schedule_report(user=ada, course=course, frequency="weekly", now=NOW)
    User.objects.filter(pk=ada.pk).update(is_active=False)

    assert send_due_reports(now=due(report), keep_alive=nothing) == 0
    assert AnalyticsReport.objects.get().next_at > due(report)
    assert attach_table(f"{report.uid} days 2026-03-23 2026-03-29", now=NOW) is None


def test_only_who_may_read_the_figures_schedules_them(leo: User, eve: User, course: Course) -> None:
    for user, of in ((leo, None), (leo, course), (eve, course)):
        with pytest.raises(AppError):
            schedule_report(user=user, course=of, frequency="weekly", now=NOW)
    with pytest.raises(NotCourseStaff):
        schedule_report(user=eve, course=course, frequency="weekly", now=NOW)
    assert not AnalyticsReport.objects.exists()


def test_each_course_has_one_report_and_its_owner_ends_it(ada: User, course: Course) -> None:
    first = schedule_report(user=ada, course=course, frequency="weekly", now=NOW)
    again = schedule_report(user=ada, course=course, frequency="monthly", now=NOW)
    every: Any = [schedule_report(user=ada, course=None, frequency="weekly", now=NOW) for _time in range(2)]

    assert (first.pk, again.frequency) == (again.pk, "monthly")
    assert every[0].pk == every[1].pk
    assert not end_report(user=UserFactory(), uid=first.uid)
    assert end_report(user=ada, uid=first.uid)
    assert not end_report(user=ada, uid=first.uid)
    assert AnalyticsReport.objects.count() == 1
