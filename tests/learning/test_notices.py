"""What courses, files and learning tell people: the events that happen, through to the row."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.courses import services as courses
from apps.courses.models import Course
from apps.files.events import VideoCompleted, VideoFailed
from apps.learning import services as learning
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
from tests.factories.courses import CourseFactory
from tests.factories.files import VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def happen(django_capture_on_commit_callbacks):
    def run(action, *args, **given):
        with django_capture_on_commit_callbacks(execute=True):
            return action(*args, **given)

    return run


def told(user: User) -> list[tuple[str, str]]:
    return list(Notification.objects.of(user).order_by("pk").values_list("kind", "link"))


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("approved", "courses.approved"),
        ("changes_requested", "courses.changes_requested"),
        ("rejected", "courses.rejected"),
    ],
)
def test_the_instructor_hears_of_the_decision(course, ada, sam, happen, outcome, kind) -> None:
    now = timezone.now()
    Course.objects.filter(pk=course.pk).update(status="review")
    course.refresh_from_db()
    course.submissions.create(submitted_by=ada, submitted_at=now, outcome="pending")

    happen(courses.decide_submission, course=course, by=sam, outcome=outcome, comment="Name <b>sources</b>.", now=now)

    assert told(ada) == [(kind, f"/dashboard/instructor/courses/{course.slug}/edit")]
    assert Notification.objects.get(user=ada).params["comment"] == "Name <b>sources</b>."


def test_the_instructor_hears_of_a_suspension(course, ada, sam, happen) -> None:
    happen(courses.suspend_course, course=course, by=sam, reason="Copied pictures.", now=timezone.now())

    assert [kind for kind, _ in told(ada)] == ["courses.suspended"]


def test_the_owner_hears_of_the_video_once(ada, happen) -> None:
    video = VideoFactory(owner=ada, filename="<i>tides</i>.mp4")

    for _ in range(2):  # events may be told twice
        happen(publish, VideoCompleted(video_id=video.pk))
    happen(publish, VideoFailed(video_id=video.pk))

    assert [kind for kind, _ in told(ada)] == ["files.video_ready", "files.video_failed"]


def test_the_learner_hears_of_seat_and_certificate(course, mia, happen) -> None:
    seat = happen(learning.enroll, user=mia, course=course, now=timezone.now())
    certificate = happen(learning.issue_certificate, enrollment=seat, now=timezone.now())
    happen(learning.issue_certificate, enrollment=seat, now=timezone.now())

    assert told(mia) == [
        ("learning.enrolled", f"/courses/{course.slug}"),
        ("learning.certificate", f"/certificates/{certificate.code}"),
    ]


def test_learners_hear_of_a_lesson_once_there_was_time_to_write_it(course, seat, leo, mia, ada, happen) -> None:
    now = timezone.now()
    with time_machine.travel(now, tick=False) as clock:
        lesson = happen(
            courses.add_lesson, section=course.sections.first(), by=ada, kind="text", title="Deltas", now=now
        )
        jobs.run_pending("default")
        assert told(leo) == []
        clock.shift(timedelta(minutes=31))
        jobs.run_pending("default")
        learning.tell_of_lesson(lesson_id=lesson.pk, keep=lambda: None)

    assert told(leo) == [("learning.new_lesson", f"/learn/{course.slug}/{lesson.slug}")]
    assert told(mia) == []


def test_nobody_hears_of_lessons_of_a_draft(ada, happen) -> None:
    course = CourseFactory(instructor=ada, status="draft")
    section = courses.add_section(course=course, by=ada, title="One", now=timezone.now())

    happen(courses.add_lesson, section=section, by=ada, kind="text", title="Deltas", now=timezone.now())
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        jobs.run_pending("default")

    assert not Notification.objects.exists()
