"""Enrolling and bookmarking."""

import pytest

from apps.courses.errors import CourseNotFound
from apps.learning import policies, services
from apps.learning.errors import AlreadyEnrolled, EnrollmentClosed, PaymentRequired
from apps.learning.events import LearnerEnrolled, MilestoneReached
from apps.learning.models import Bookmark, Enrollment
from studyplatform.kit.errors import NotAuthenticated
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.database


@pytest.fixture
def published_events(monkeypatch):
    """The events that services publish, in order."""
    events = []
    for module in ("enrollment", "completion", "certificates", "quizzes"):
        monkeypatch.setattr(f"apps.learning.services.{module}.publish", events.append)
    return events


def test_a_user_enrolls_in_a_free_course_once(mia, course, now, published_events):
    enrollment = services.enroll(user=mia, course=course, now=now)

    course.refresh_from_db()
    assert (enrollment.percent, enrollment.completed_lessons, enrollment.is_active) == (0, 0, True)
    assert course.learner_count == 1
    assert [type(event) for event in published_events] == [LearnerEnrolled, MilestoneReached]
    assert published_events[1].percent == 0
    with pytest.raises(AlreadyEnrolled):
        services.enroll(user=mia, course=course, now=now)


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        pytest.param({"status": "archived"}, EnrollmentClosed, id="archived"),
        pytest.param({"status": "draft", "is_announced": True}, EnrollmentClosed, id="coming soon"),
        pytest.param({"status": "draft"}, CourseNotFound, id="draft"),
        pytest.param({"status": "review"}, CourseNotFound, id="in review"),
        pytest.param({"status": "suspended"}, CourseNotFound, id="suspended"),
        pytest.param(
            {"status": "published", "pricing": "one_time", "price": 900}, PaymentRequired, id="one-time price"
        ),
        pytest.param({"status": "published", "pricing": "premium"}, PaymentRequired, id="premium"),
    ],
)
def test_closed_and_paid_courses_refuse_enrollment(mia, now, fields, refusal):
    with pytest.raises(refusal):
        services.enroll(user=mia, course=CourseFactory(**fields), now=now)

    assert not Enrollment.objects.exists()


def test_visitors_cannot_enroll(nobody, course):

    assert isinstance(policies.enroll(nobody, course), NotAuthenticated)


def test_enrolling_twice_is_refused_for_every_course_status(leo, enrollment, course, now):
    course.status = "archived"
    course.save()

    with pytest.raises(AlreadyEnrolled):
        services.enroll(user=leo, course=course, now=now)


def test_a_revoked_enrollment_is_restored_with_its_progress(leo, enrollment, lessons, course, now, published_events):
    services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=now)
    enrollment.refresh_from_db()
    enrollment.revoke(now=now)
    published_events.clear()

    again = services.enroll(user=leo, course=course, now=now)

    assert again.pk == enrollment.pk
    assert again.completed_lessons == 1
    assert [type(event) for event in published_events] == [LearnerEnrolled]


def test_granting_an_enrollment_ignores_the_price(mia, now):
    course = CourseFactory(status="published", pricing="premium")

    assert services.grant_enrollment(user=mia, course=course, now=now).is_active


def test_bookmarking_is_idempotent(mia, course, now):
    for _ in range(2):
        services.set_bookmark(user=mia, course=course, on=True, now=now)
    assert Bookmark.objects.count() == 1

    for _ in range(2):
        services.set_bookmark(user=mia, course=course, on=False, now=now)
    assert not Bookmark.objects.exists()


def test_a_user_cannot_bookmark_a_hidden_course(mia, now):
    with pytest.raises(CourseNotFound):
        services.set_bookmark(user=mia, course=CourseFactory(status="draft"), on=True, now=now)
