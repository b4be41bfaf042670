"""Notifications of lessons that have opened on a date or some days after enrollment."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from apps.accounts.models import Notification, User
from apps.accounts.queries import as_notice
from apps.accounts.services import mark_all_read, save_notification_choices
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment, OpeningCheck, OpeningSchedule
from apps.learning.services import announce_lesson, announce_openings
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

MONDAY = datetime(2026, 3, 16, 8, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def course(db: Any) -> Course:
    course: Course = CourseFactory(status="published", title="Rivers")
    section = SectionFactory(course=course)
    for number in ("1.1", "1.2", "1.3"):
        LessonFactory(course=course, section=section, number=number, title=f"Lesson {number[2:]}")
    return course


@pytest.fixture
def learner(course: Course) -> User:
    enrollment: Enrollment = EnrollmentFactory(course=course, enrolled_at=MONDAY - 3 * DAY)
    return enrollment.user


def _open(course: Course, number: str, **values: Any) -> Lesson:
    Lesson.objects.filter(course=course, number=number).update(**values)
    Course.objects.filter(pk=course.pk).update(version=Course.objects.get(pk=course.pk).version + 1)
    return Lesson.objects.get(course=course, number=number)


def _lesson_of(status: str, *, title: str = "Hidden", **values: Any) -> Lesson:
    course = CourseFactory(status=status, title=title)
    lesson: Lesson = LessonFactory(
        course=course, section=SectionFactory(course=course), number="2.1", title="Ice", **values
    )
    return lesson


def _check(at: datetime) -> None:
    with time_machine.travel(at, tick=False):  # old news is not emailed
        announce_openings(now=at, extend_lease=lambda: None)


def _said(user: User) -> list[tuple[str, str]]:
    rows = Notification.objects.of(user).filter(kind="learning.lesson_opened").order_by("created_at")
    return [(notice.headline, notice.link) for row in rows if (notice := as_notice(row))]


def _mails() -> int:
    return Job.objects.filter(kind="accounts.mail_notification").count()


def test_a_lesson_that_opens_is_announced_once(course: Course, learner: User) -> None:
    lesson = _open(course, "1.2", opens_at=MONDAY)
    _check(MONDAY - HOUR)
    assert _said(learner) == []
    before = OpeningCheck.objects.get()
    _check(MONDAY + HOUR)
    said = [("Now open in “Rivers”: 1.2 Lesson 2", f"/learn/{course.slug}/{lesson.slug}")]
    assert (_said(learner), _mails()) == (said, 1)
    # Killed after the notifications and before it remembered: the same check runs again, with the learner in between.
    before.save()
    mark_all_read(user=learner, now=MONDAY + HOUR)
    _check(MONDAY + 2 * HOUR)
    _check(MONDAY + 3 * HOUR)
    assert (_said(learner), _mails()) == (said, 1)
    assert not Notification.objects.unread().exists()


def test_lessons_of_a_day_are_one_notification_that_grows(course: Course, learner: User) -> None:
    other = _lesson_of("published", title="Glaciers")
    EnrollmentFactory(user=learner, course=other.course, enrolled_at=MONDAY - 3 * DAY)
    _check(MONDAY - HOUR)
    _open(course, "1.1", opens_at=MONDAY)
    _open(course, "1.3", opens_after_days=3)  # 3 days after the enrollment: at the same moment
    _check(MONDAY + HOUR)
    assert _said(learner) == [
        ("Now open in “Rivers”: 1.1 Lesson 1 and 1.3 Lesson 3", f"/course/lessons?course={course.slug}")
    ]
    mark_all_read(user=learner, now=MONDAY + HOUR)
    _open(other.course, "2.1", opens_at=MONDAY + 2 * HOUR)
    _check(MONDAY + 3 * HOUR)
    assert _said(learner) == [
        ("Now open in “Rivers” and “Glaciers”: 1.1 Lesson 1, 1.3 Lesson 3, and 2.1 Ice", "/me/courses")
    ]
    assert (Notification.objects.unread().count(), _mails()) == (1, 1)
    _open(course, "1.2", opens_at=MONDAY + DAY)
    _check(MONDAY + DAY)
    assert len(_said(learner)) == 2


def test_nobody_is_notified_of_what_did_not_open_for_them(course: Course, learner: User) -> None:
    """Each has a reason: ended, blocked, begun, enrolled after it, prerequisite, hidden course, past date."""
    begun = Enrollment.objects.get(user=learner)
    ended = EnrollmentFactory(course=course, enrolled_at=MONDAY - 3 * DAY, revoked_at=MONDAY - DAY)
    blocked = EnrollmentFactory(course=course, enrolled_at=MONDAY - 3 * DAY, user__is_active=False)
    late = EnrollmentFactory(course=course, enrolled_at=MONDAY + HOUR / 2)
    _check(MONDAY - HOUR)
    lesson = _open(course, "1.2", opens_at=MONDAY)
    LessonProgressFactory(enrollment=begun, lesson=lesson)
    closed = _open(course, "1.3", opens_at=MONDAY)
    closed.prerequisites.add(_open(course, "1.1", opens_at=MONDAY - 3 * HOUR))
    for status in ("draft", "suspended", "review"):
        hidden = _lesson_of(status, opens_at=MONDAY)
        EnrollmentFactory(user=learner, course=hidden.course, enrolled_at=MONDAY - 3 * DAY)
    _check(MONDAY + HOUR)
    assert not Notification.objects.filter(user__in=[learner, ended.user, blocked.user, late.user]).exists()

    # Published, or dated, after the day: nothing either.
    Course.objects.update(status="published")
    _open(course, "1.1", opens_at=MONDAY - HOUR)
    _check(MONDAY + 2 * HOUR)
    assert not Notification.objects.exists()


def test_a_date_that_moves_is_announced_when_it_comes(course: Course, learner: User) -> None:
    _check(MONDAY - HOUR)
    _open(course, "1.2", opens_at=MONDAY + DAY)
    _check(MONDAY + DAY)
    _open(course, "1.2", opens_at=MONDAY + 3 * DAY)  # later: closed again, and opens again
    _check(MONDAY + 2 * DAY)
    assert len(_said(learner)) == 1
    _open(course, "1.2", opens_at=MONDAY + 2 * DAY + HOUR)  # earlier
    _check(MONDAY + 2 * DAY + 2 * HOUR)
    assert len(_said(learner)) == 2
    # After the workers were down for a week only the last two days are news.
    _open(course, "1.1", opens_at=MONDAY + 4 * DAY)
    _open(course, "1.3", opens_at=MONDAY + 9 * DAY)
    _check(MONDAY + 10 * DAY)
    assert [headline for headline, _link in _said(learner)][2:] == ["Now open in “Rivers”: 1.3 Lesson 3"]


def test_the_day_is_the_learners_and_the_email_as_they_chose(course: Course, learner: User) -> None:
    _check(MONDAY - HOUR)
    User.objects.filter(pk=learner.pk).update(time_zone="Pacific/Auckland")
    save_notification_choices(user=learner, choices={"learning.lesson_opened": (True, "digest")})
    # 23:30 on Monday and 00:30 on Tuesday in Auckland, one day in UTC.
    _open(course, "1.1", opens_at=MONDAY + timedelta(hours=2, minutes=30))
    _check(MONDAY + 3 * HOUR)
    _open(course, "1.2", opens_at=MONDAY + timedelta(hours=3, minutes=30))
    _check(MONDAY + 4 * HOUR)
    assert [headline[-9:] for headline, _link in _said(learner)] == [" Lesson 1", " Lesson 2"]
    assert _mails() == 0
    assert Notification.objects.exclude(digest_due_at=None).count() == 2
    save_notification_choices(user=learner, choices={"learning.lesson_opened": (False, "off")})
    _open(course, "1.3", opens_at=MONDAY + DAY)
    _check(MONDAY + DAY)
    assert len(_said(learner)) == 2


def test_a_new_lesson_that_opens_later_is_announced_then(course: Course, learner: User) -> None:
    lesson = _open(course, "1.2", opens_at=MONDAY + DAY)
    announce_lesson(lesson_id=lesson.pk, now=MONDAY, extend_lease=lambda: None)
    assert not Notification.objects.exists()
    _check(MONDAY)
    _check(MONDAY + DAY)
    lesson = _open(course, "1.3", opens_at=MONDAY - DAY)
    announce_lesson(lesson_id=lesson.pk, now=MONDAY, extend_lease=lambda: None)
    kinds = sorted(row.kind for row in Notification.objects.of(learner))
    assert kinds == ["learning.lesson_opened", "learning.new_lesson"]


_LATER = MONDAY + 10 * DAY
_WAYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "date cleared": ({"opens_at": _LATER}, {"opens_at": None}),
    "date in the past": ({"opens_at": _LATER}, {"opens_at": MONDAY - 30 * DAY}),
    "days cleared": ({"opens_after_days": 20}, {"opens_after_days": None}),
    "fewer days": ({"opens_after_days": 20}, {"opens_after_days": 1}),
    "a day instead of days": ({"opens_after_days": 20}, {"opens_after_days": None, "opens_at": MONDAY - DAY}),
    "preview": ({"opens_at": _LATER}, {"is_preview": True}),
}
"""What a lesson had before it was opened by a change of it, and after."""


def test_whichever_way_a_lesson_opens_each_learner_is_told_once(course: Course, learner: User) -> None:
    for way, (before, after) in _WAYS.items():
        Notification.objects.all().delete()
        blank = {"opens_at": None, "opens_after_days": None, "is_preview": False}
        OpeningSchedule.objects.all().delete()
        OpeningCheck.objects.all().delete()
        lesson = _open(course, "1.2", **blank | before)
        _check(MONDAY - HOUR)
        announce_lesson(lesson_id=lesson.pk, now=MONDAY, extend_lease=lambda: None)
        _check(MONDAY)
        _open(course, "1.2", **blank | before | after)
        # Its announcement as a new one comes before the check has noticed, and once more after it, late.
        how = {"lesson_id": lesson.pk, "added_at": MONDAY - HOUR, "extend_lease": lambda: None}
        announce_lesson(now=MONDAY + HOUR, **how)
        assert _said(learner) == [], way
        done = OpeningCheck.objects.get()
        _check(MONDAY + HOUR)
        announce_lesson(now=MONDAY + 2 * HOUR, **how)
        done.save()  # killed before it remembered
        mark_all_read(user=learner, now=MONDAY + HOUR)
        _check(MONDAY + 2 * HOUR)
        _check(MONDAY + 3 * HOUR)
        _check(MONDAY + 12 * DAY)
        assert len(_said(learner)) == Notification.objects.of(learner).count() == 1, way
        assert not Notification.objects.unread().exists(), way
    # A lesson that was open is no news with another date in the past, and closes and opens again with a later one.
    _open(course, "1.1", opens_at=MONDAY)
    _check(MONDAY + 13 * DAY)
    assert len(_said(learner)) == 1


def test_lessons_that_changes_opened_stay_in_the_notification_of_the_day(course: Course, learner: User) -> None:
    for number in ("1.1", "1.3"):
        _open(course, number, opens_at=MONDAY + (10 * DAY if number == "1.1" else 3 * HOUR))
    _check(MONDAY)
    _open(course, "1.1", opens_at=None)
    _check(MONDAY + HOUR)
    late = EnrollmentFactory(course=course, enrolled_at=MONDAY + 2 * HOUR)  # after the first one was open
    _check(MONDAY + 4 * HOUR)
    assert _said(learner) == [
        ("Now open in “Rivers”: 1.1 Lesson 1 and 1.3 Lesson 3", f"/course/lessons?course={course.slug}")
    ]
    assert [headline for headline, _link in _said(late.user)] == ["Now open in “Rivers”: 1.3 Lesson 3"]


def test_what_opened_while_it_was_hidden_is_told_when_it_is_back(course: Course, learner: User) -> None:
    lesson = _open(course, "1.2", opens_at=MONDAY + DAY)
    opened_before = _open(course, "1.1", opens_at=MONDAY - HOUR)
    _check(MONDAY - 2 * HOUR)
    _check(MONDAY)
    assert len(_said(learner)) == 1

    def hide(is_hidden: bool) -> None:
        Course.objects.filter(pk=course.pk).update(status="draft" if is_hidden else "published")

    def remove(is_hidden: bool) -> None:
        removed_at = MONDAY if is_hidden else None
        Lesson.with_removed.filter(pk__in=(lesson.pk, opened_before.pk)).update(removed_at=removed_at)

    for days, change in ((0, hide), (20, remove)):
        start = MONDAY + days * DAY
        _open(course, "1.2", opens_at=start + DAY)
        _check(start + HOUR)
        before = len(_said(learner))
        change(True)
        _check(start + 2 * HOUR)
        _check(start + 9 * DAY)
        assert len(_said(learner)) == before
        late = EnrollmentFactory(course=course, enrolled_at=start + 9 * DAY)  # it had opened: no news
        change(False)
        _check(start + 10 * DAY)
        _check(start + 11 * DAY)
        told = [headline for headline, _link in _said(learner)][before:]
        assert told == ["Now open in “Rivers”: 1.2 Lesson 2"]
        assert not Notification.objects.exclude(user=learner).exists()
        late.delete()
    _open(course, "1.2", opens_at=None)
    _check(start + 12 * DAY)
    for days in (15, 16):
        _check(start + days * DAY)
    assert set(OpeningSchedule.objects.values_list("lesson", flat=True)) == {opened_before.pk}


@pytest.mark.django_db
def test_the_check_is_planned_once_and_again() -> None:
    for _worker in range(2):
        jobs.PLANS["learning.announce_openings"](MONDAY)
    jobs.run_pending("default")
    [row] = Job.objects.filter(kind="learning.announce_openings")
    assert (row.state, row.attempts) == ("queued", 0)
    assert row.run_at > row.created_at
