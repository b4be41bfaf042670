"""Events of courses, files and learning create the right notifications."""

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

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]


@pytest.fixture
def run_and_commit(django_capture_on_commit_callbacks):
    def run(action, *args, **given):
        with django_capture_on_commit_callbacks(execute=True):
            return action(*args, **given)

    return run


def notifications_of(user: User) -> list[tuple[str, str]]:
    return list(Notification.objects.of(user).order_by("pk").values_list("kind", "link"))


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("approved", "courses.approved"),
        ("changes_requested", "courses.changes_requested"),
        ("rejected", "courses.rejected"),
    ],
)
def test_the_instructor_is_notified_of_the_decision(course, ada, sam, run_and_commit, outcome, kind) -> None:
    now = timezone.now()
    Course.objects.filter(pk=course.pk).update(status="review")
    course.refresh_from_db()
    course.submissions.create(submitted_by=ada, submitted_at=now, outcome="pending")

    run_and_commit(
        courses.decide_submission, course=course, by=sam, outcome=outcome, comment="Name <b>sources</b>.", now=now
    )

    assert notifications_of(ada) == [(kind, f"/dashboard/instructor/courses/{course.slug}/edit")]
    assert Notification.objects.get(user=ada).params["comment"] == "Name <b>sources</b>."


def test_the_instructor_is_notified_of_a_suspension(course, ada, sam, run_and_commit) -> None:
    run_and_commit(courses.suspend_course, course=course, by=sam, reason="Copied pictures.", now=timezone.now())

    assert [kind for kind, _ in notifications_of(ada)] == ["courses.suspended"]


def test_the_owner_is_notified_once_about_a_video(ada, run_and_commit) -> None:
    video = VideoFactory(owner=ada, filename="<i>tides</i>.mp4")

    for _ in range(2):  # events may be delivered twice
        run_and_commit(publish, VideoCompleted(video_id=video.pk))
    run_and_commit(publish, VideoFailed(video_id=video.pk))

    assert [kind for kind, _ in notifications_of(ada)] == ["files.video_ready", "files.video_failed"]


def test_the_learner_is_notified_of_enrollment_and_certificate(course, mia, run_and_commit) -> None:
    enrollment = run_and_commit(learning.enroll, user=mia, course=course, now=timezone.now())
    certificate = run_and_commit(learning.issue_certificate, enrollment=enrollment, now=timezone.now())
    run_and_commit(learning.issue_certificate, enrollment=enrollment, now=timezone.now())

    assert notifications_of(mia) == [
        ("learning.enrolled", f"/courses/{course.slug}"),
        ("learning.certificate", f"/certificates/{certificate.code}"),
    ]


def test_the_learner_is_notified_once_of_each_milestone_without_an_email(
    course, enrollment, leo, run_and_commit
) -> None:
    page = f"/me/course/{course.slug}/progress"
    lessons = list(course.lessons.order_by("section__position", "position"))
    kinds = []
    for lesson in lessons[:5]:
        run_and_commit(learning.complete_lesson, user=leo, lesson_uid=lesson.uid, now=timezone.now())
        run_and_commit(learning.recount, enrollment_id=enrollment.pk, now=timezone.now())
        kinds.append([kind for kind, _ in notifications_of(leo)].count("learning.milestone"))

    assert kinds == [0, 1, 2, 2, 3]  # of six lessons: 33, 50 and 83 percent
    rows = list(Notification.objects.of(leo).filter(kind="learning.milestone").order_by("pk"))
    assert [row.params["percent"] for row in rows] == [25, 50, 75]
    assert {row.link for row in rows} == {page}
    notice = as_notice(rows[1])
    assert notice is not None
    assert notice.headline == "50% of “Rivers and Their Work” is complete"
    assert notice.text == "You've completed 3 of its 6 lessons."
    assert not [kind for kind, _ in pending_jobs() if kind == "accounts.mail_notification"]

    run_and_commit(learning.complete_lesson, user=leo, lesson_uid=lessons[5].uid, now=timezone.now())
    assert [kind for kind, _ in notifications_of(leo)][-1] == "learning.certificate"


def test_a_lesson_that_reaches_several_milestones_reports_the_last(mia, run_and_commit) -> None:
    course = CourseFactory(status="published")
    one, _ = LessonFactory.create_batch(2, section=SectionFactory(course=course), course=course)
    EnrollmentFactory(user=mia, course=course)

    saved = run_and_commit(learning.complete_lesson, user=mia, lesson_uid=one.uid, now=timezone.now())

    assert saved.milestone == 50
    [row] = Notification.objects.of(mia).filter(kind="learning.milestone")
    assert row.params["percent"] == 50


def pending_jobs() -> list[tuple[str, str]]:
    return list(Job.objects.values_list("kind", "key"))


def test_learners_are_notified_of_a_new_lesson_after_a_delay(course, enrollment, leo, mia, ada, run_and_commit) -> None:
    now = timezone.now()
    with time_machine.travel(now, tick=False) as clock:
        lesson = run_and_commit(
            courses.add_lesson, section=course.sections.first(), by=ada, kind="text", title="Deltas", now=now
        )
        jobs.run_pending("default")
        assert notifications_of(leo) == []
        clock.shift(timedelta(minutes=31))
        jobs.run_pending("default")
        learning.announce_lesson(lesson_id=lesson.pk, now=timezone.now(), extend_lease=lambda: None)

    assert notifications_of(leo) == [("learning.new_lesson", f"/learn/{course.slug}/{lesson.slug}")]
    assert notifications_of(mia) == []


def test_lessons_of_a_draft_send_no_notifications(ada, run_and_commit) -> None:
    course = CourseFactory(instructor=ada, status="draft")
    section = courses.add_section(course=course, by=ada, title="One", now=timezone.now())

    run_and_commit(courses.add_lesson, section=section, by=ada, kind="text", title="Deltas", now=timezone.now())
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        jobs.run_pending("default")

    assert not Notification.objects.exists()
