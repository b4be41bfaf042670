"""Announcements: recipients, the weekly limit, delivery, and what their readers see."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.errors import EmailNotVerified, RoleRequired
from apps.accounts.models import Notification, User
from apps.courses.models import Course
from apps.forum import errors
from apps.forum.models import Announcement, AnnouncementCopy
from apps.forum.queries import announcements as queries
from apps.forum.services import announcements as services
from apps.forum.services import bans
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from tests.factories.courses import SectionFactory
from tests.factories.learning import EnrollmentFactory

pytestmark = pytest.mark.django_db
PAGE = "/dashboard/instructor/messages/announcements"


def announce(course: Course, user: User, **more: object) -> Announcement:
    given = {"audience": "everyone", "subject": "Office hours", "source": "On *Thursday*.", "now": timezone.now()}
    return services.send_announcement(course=course, user=user, **(given | more))  # type: ignore[arg-type]


def told(kind: str = "forum.announcement") -> list[int]:
    return sorted(Notification.objects.filter(kind=kind).values_list("user_id", flat=True))


@pytest.fixture
def class_of_four(course: Course, leo: User, enrollment: Enrollment) -> dict[str, Enrollment]:
    """Leo has not begun; one learner is in each section, one has finished."""
    sections = list(course.sections.order_by("position"))
    first, second = (EnrollmentFactory(course=course, last_lesson=one.lessons.first()) for one in sections)
    finished = EnrollmentFactory(course=course, last_lesson=first.last_lesson, completed_at=timezone.now())
    EnrollmentFactory(course=course, revoked_at=timezone.now())
    EnrollmentFactory(course=course, user__is_active=False)
    return {"new": enrollment, "first": first, "second": second, "finished": finished}


@pytest.mark.parametrize(
    ("audience", "section", "who"),
    [
        ("everyone", None, {"new", "first", "second", "finished"}),
        ("studying", None, {"new", "first", "second"}),
        ("section", 0, {"new", "first"}),
        ("section", 1, {"new", "first", "second"}),
        ("finished", None, {"finished"}),
    ],
)
def test_an_announcement_reaches_its_audience(
    course: Course, ada: User, class_of_four: dict[str, Enrollment], audience: str, section: int | None, who: set[str]
) -> None:
    at = None if section is None else course.sections.order_by("position")[section]
    value = audience if at is None else f"section-{at.pk}"
    [choice] = [one for one in queries.recipients_of(course) if one.value == value]

    row = announce(course, ada, audience=audience, section=at)
    jobs.run_pending("default")

    row.refresh_from_db()
    assert told() == sorted(class_of_four[name].user_id for name in who)
    assert choice.count == row.expected == row.sent_count == len(who)
    assert row.done_at


def test_email_follows_the_choices_of_the_recipients_and_of_the_sender(
    course: Course, ada: User, leo: User, enrollment: Enrollment, mailoutbox
) -> None:
    quiet = EnrollmentFactory(course=course).user
    accounts.save_notification_choices(user=quiet, choices={"forum.announcement": (True, "off")})

    announce(course, ada)
    jobs.run_pending("default")
    assert [message.to for message in mailoutbox] == [[leo.email]]
    assert "Office hours" in mailoutbox[0].subject
    assert "List-Unsubscribe" in mailoutbox[0].extra_headers

    announce(course, ada, is_mailed=False)
    jobs.run_pending("default")
    assert len(mailoutbox) == 1
    assert told() == sorted([leo.pk, quiet.pk] * 2)


def test_a_repeated_delivery_notifies_nobody_twice_and_an_interrupted_one_continues(
    course: Course, ada: User, enrollment: Enrollment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "BATCH", 2)
    EnrollmentFactory.create_batch(4, course=course)
    row = announce(course, ada)

    class Killed(Exception):
        pass

    def stop() -> None:
        raise Killed

    with pytest.raises(Killed):
        services.deliver_announcement(announcement_id=row.pk, now=timezone.now(), extend_lease=stop)
    row.refresh_from_db()
    assert (row.sent_count, row.done_at, len(told())) == (2, None, 2)

    for _ in range(2):
        services.deliver_announcement(announcement_id=row.pk, now=timezone.now(), extend_lease=lambda: None)
    row.refresh_from_db()
    assert (row.sent_count, len(told()), len(set(told()))) == (5, 5, 5)
    assert AnnouncementCopy.objects.count() == 5


def test_two_announcements_a_week_are_the_limit(course: Course, ada: User, enrollment: Enrollment) -> None:
    now = timezone.now()
    announce(course, ada, now=now - timedelta(days=6))
    announce(course, ada, now=now - timedelta(days=1))

    with pytest.raises(errors.AnnouncementLimitReached):
        announce(course, ada, now=now)
    assert services.announcements_left(course, now=now) == (0, now + timedelta(days=1))
    other = EnrollmentFactory(course__instructor=ada).course
    assert announce(other, ada, now=now)
    assert announce(course, ada, now=now + timedelta(days=1, seconds=1))


def test_the_same_form_sent_twice_is_one_announcement(course: Course, ada: User, enrollment: Enrollment) -> None:
    key = uuid4()

    assert announce(course, ada, key=key) == announce(course, ada, key=key)
    assert services.announcements_left(course, now=timezone.now())[0] == 1


def test_only_the_instructor_announces(course: Course, ada: User, eve: User, sam: User, leo: User, enrollment) -> None:
    for stranger, refusal in ((eve, NotFound), (sam, NotFound), (leo, RoleRequired)):
        with pytest.raises(refusal):
            announce(course, stranger)
    ada.email_verified_at = None
    with pytest.raises(EmailNotVerified):
        announce(course, ada)
    assert not Announcement.objects.exists()


@pytest.mark.parametrize("status", ["draft", "review", "suspended"])
def test_a_course_that_is_not_open_has_no_announcements(
    course: Course, ada: User, enrollment: Enrollment, status: str
) -> None:
    course.status = status
    course.save()

    with pytest.raises(errors.CourseNotOpenForAnnouncements):
        announce(course, ada)


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"source": " \n"}, errors.MessageEmpty),
        ({"source": "x" * 2001}, errors.MessageTooLong),
        ({"audience": "finished"}, errors.NoRecipients),
        ({"audience": "section"}, NotFound),
        ({"audience": "nobody"}, ValueError),
    ],
)
def test_what_cannot_be_sent_is_refused(
    course: Course, ada: User, enrollment: Enrollment, given: dict, refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        announce(course, ada, **given)
    assert not Announcement.objects.exists()


def test_a_section_of_another_course_is_refused(course: Course, ada: User, enrollment: Enrollment) -> None:
    with pytest.raises(NotFound):
        announce(course, ada, audience="section", section=SectionFactory())


# --- Pages ------------------------------------------------------------------------------------------


def test_an_instructor_previews_and_sends(course: Course, ada: User, enrollment: Enrollment, browser_of) -> None:
    browser: Client = browser_of(ada)
    given = {"recipients": "studying", "subject": "Office hours", "source": "On *Thursday*.", "is_mailed": "on"}
    assert "Everyone studying, 1" in browser.get(PAGE).content.decode()

    preview = browser.post(f"{PAGE}?course={course.slug}", given | {"preview": "1"}).content.decode()
    assert "<em>Thursday</em>" in preview
    assert not Announcement.objects.exists()

    answer = browser.post(f"{PAGE}?course={course.slug}", given)
    jobs.run_pending("default")
    page = browser.get(answer["Location"]).content.decode()
    assert "Sent to 1 learner." in page
    assert "0% read" in page


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, 422),
        ({"recipients": "section-99"}, 422),
        ({"recipients": "finished"}, 409),
        ({"source": "x" * 2001}, 400),
        ({"subject": "x" * 121}, 422),
        ({"key": "x"}, 422),
    ],
)
def test_a_refused_announcement_is_not_lost(
    course: Course, ada: User, enrollment: Enrollment, browser_of, given: dict, status: int
) -> None:
    full = {"recipients": "studying", "subject": "Office hours", "source": "On Thursday."} | given
    answer = browser_of(ada).post(f"{PAGE}?course={course.slug}", full if given else {"source": "On Thursday."})

    assert answer.status_code == status
    assert (given.get("source") or "On Thursday.") in answer.content.decode()
    assert not Announcement.objects.exists()


def test_instructors_see_only_their_courses(course: Course, eve: User, ada: User, browser_of) -> None:
    assert course.title not in browser_of(eve).get(PAGE).content.decode()
    assert browser_of(eve).get(f"{PAGE}?course={course.slug}").status_code == 404
    assert browser_of(eve).post(f"{PAGE}?course={course.slug}", {})["Location"] == "/"


def test_a_recipient_reads_it_once_and_the_sender_sees_how_many_did(
    course: Course, ada: User, leo: User, mia: User, enrollment: Enrollment, browser_of
) -> None:
    EnrollmentFactory(course=course)
    row = announce(course, ada)
    jobs.run_pending("default")
    browser, address = browser_of(leo), f"/me/messages/announcements/{row.uid}"
    assert "is-new" in browser.get("/me/messages?show=announcements").content.decode()

    browser.get(address, headers={"Sec-Purpose": "prefetch"})
    assert AnnouncementCopy.objects.unread().count() == 2
    for _ in range(2):
        assert "<em>Thursday</em>" in browser.get(address).content.decode()
    row.refresh_from_db()
    assert (row.read_count, row.read_percent) == (1, 50)
    assert not Notification.objects.filter(user=leo, read_at=None, kind="forum.announcement").exists()
    assert "is-new" not in browser.get("/me/messages?show=announcements").content.decode()
    for stranger in (mia, ada):
        assert browser_of(stranger).get(address).status_code == 404


@pytest.mark.parametrize("size", [1, 6])
def test_the_pages_cost_the_same_with_many_rows(
    course: Course, ada: User, leo: User, enrollment: Enrollment, browser_of, django_assert_max_num_queries, size: int
) -> None:
    now = timezone.now()
    for week in reversed(range(size)):
        announce(course, ada, now=now - timedelta(days=7 * week + 1))
    jobs.run_pending("default")

    browser, reader = browser_of(ada), browser_of(leo)
    with django_assert_max_num_queries(8):
        assert browser.get(PAGE).status_code == 200
    with django_assert_max_num_queries(3):
        assert reader.get("/me/messages?show=announcements").status_code == 200


def test_a_banned_instructor_sends_none(
    course: Course, ada: User, sam: User, enrollment: Enrollment, browser_of: Callable[[User], Client]
) -> None:
    bans.ban(user=ada, by=sam, board=None, days=3, reason="Adverts", now=timezone.now())
    with pytest.raises(errors.MessagesBanned):
        announce(course, ada)
    page = browser_of(ada).get(PAGE).text
    assert "You can&#39;t write messages" in page
    given = {"recipients": "everyone", "subject": "Offer", "source": "Buy this", "key": str(uuid4())}
    answer = browser_of(ada).post(f"{PAGE}?course={course.slug}", given)
    assert answer.status_code == 403
    assert "Buy this" in answer.text
    assert not Announcement.objects.exists()
