"""What courses, files and learning tell people: the events that happen, through to the row."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.accounts.queries import as_notice
from apps.courses import services as courses
from apps.courses.models import Course
from apps.files.events import VideoCompleted, VideoFailed
from apps.learning import services as learning
from studyplatform.kit import jobs
from studyplatform.kit.events import publish
from studyplatform.kit.models import Job
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory

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


def test_the_learner_is_notified_of_enrollment_and_certificate(course, mia, happen) -> None:
    enrollment = happen(learning.enroll, user=mia, course=course, now=timezone.now())
    certificate = happen(learning.issue_certificate, enrollment=enrollment, now=timezone.now())
    happen(learning.issue_certificate, enrollment=enrollment, now=timezone.now())

    assert told(mia) == [
        ("learning.enrolled", f"/courses/{course.slug}"),
        ("learning.certificate", f"/certificates/{certificate.code}"),
    ]


def test_the_learner_hears_of_a_quarter_a_half_and_three_quarters_once_and_by_no_mail(
    course, enrollment, leo, happen
) -> None:
    page = f"/me/course/{course.slug}/progress"
    lessons = list(course.lessons.order_by("section__position", "position"))
    kinds = []
    for lesson in lessons[:5]:
        happen(learning.complete_lesson, user=leo, lesson_uid=lesson.uid, now=timezone.now())
        happen(learning.recount, enrollment_id=enrollment.pk, now=timezone.now())
        kinds.append([kind for kind, _ in told(leo)].count("learning.milestone"))

    assert kinds == [0, 1, 2, 2, 3]  # of six lessons: 33, 50 and 83 percent
    rows = list(Notification.objects.of(leo).filter(kind="learning.milestone").order_by("pk"))
    assert [row.params["percent"] for row in rows] == [25, 50, 75]
    assert {row.link for row in rows} == {page}
    notice = as_notice(rows[1])
    assert notice is not None
    assert notice.headline == "50% of “Rivers and Their Work” is complete"
    assert notice.text == "You completed 3 of its 6 lessons."
    assert not [kind for kind, _ in jobs_waiting() if kind == "accounts.mail_notification"]

    happen(learning.complete_lesson, user=leo, lesson_uid=lessons[5].uid, now=timezone.now())
    assert [kind for kind, _ in told(leo)][-1] == "learning.certificate"


def test_of_the_milestones_that_one_lesson_reaches_the_last_is_told(mia, happen) -> None:
    course = CourseFactory(status="published")
    one, _ = LessonFactory.create_batch(2, section=SectionFactory(course=course), course=course)
    EnrollmentFactory(user=mia, course=course)

    saved = happen(learning.complete_lesson, user=mia, lesson_uid=one.uid, now=timezone.now())

    assert saved.milestone == 50
    [row] = Notification.objects.of(mia).filter(kind="learning.milestone")
    assert row.params["percent"] == 50


def jobs_waiting() -> list[tuple[str, str]]:
    return list(Job.objects.values_list("kind", "key"))


def test_learners_hear_of_a_lesson_once_there_was_time_to_write_it(course, enrollment, leo, mia, ada, happen) -> None:
    now = timezone.now()
    with time_machine.travel(now, tick=False) as clock:
        lesson = happen(
            courses.add_lesson, section=course.sections.first(), by=ada, kind="text", title="Deltas", now=now
        )
        jobs.run_pending("default")
        assert told(leo) == []
        clock.shift(timedelta(minutes=31))
        jobs.run_pending("default")
        learning.announce_lesson(lesson_id=lesson.pk, keep=lambda: None)

    assert told(leo) == [("learning.new_lesson", f"/learn/{course.slug}/{lesson.slug}")]
    assert told(mia) == []


def test_nobody_hears_of_lessons_of_a_draft(ada, happen) -> None:
    course = CourseFactory(instructor=ada, status="draft")
    section = courses.add_section(course=course, by=ada, title="One", now=timezone.now())

    happen(courses.add_lesson, section=section, by=ada, kind="text", title="Deltas", now=timezone.now())
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        jobs.run_pending("default")

    assert not Notification.objects.exists()
