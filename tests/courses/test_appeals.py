"""Appeals of suspensions, the reviewers' checklist, and the filters of their queue."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from apps.accounts.models import Notification, User
from apps.courses import services
from apps.courses.errors import CommentMissing, WrongCourseStatus
from apps.courses.errors.review import AppealDecided, AppealNotPossible
from apps.courses.models import Appeal, Course, ReviewTick, Submission
from apps.courses.queries import review
from apps.courses.services import people
from studyplatform.kit.errors import AppError, ValidationFailed
from tests.courses.test_review_threads import say
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 16, 10, 0, tzinfo=UTC)


@pytest.fixture
def suspended(course: Course, sam: User) -> Course:
    return services.suspend_course(course=course, by=sam, reason="A film belongs to others.", now=NOW)


def appeal(course: Course, ada: User) -> Appeal:
    return services.appeal_suspension(course=course, by=ada, text="I replaced the film.", now=NOW)


def test_a_suspension_is_appealed_once_and_decided_once(suspended: Course, ada: User, eve: User, sam: User) -> None:
    for refusal, by, text in ((CommentMissing, ada, "  "), (AppError, eve, "Mine")):
        with pytest.raises(refusal):
            services.appeal_suspension(course=suspended, by=by, text=text, now=NOW)
    row = appeal(suspended, ada)
    with pytest.raises(AppealNotPossible):
        appeal(suspended, ada)
    assert [one.pk for one in review.pending_appeals()] == [row.pk]
    assert Notification.objects.filter(kind="courses.appealed", user=sam).count() == 1

    with pytest.raises(CommentMissing):
        services.decide_appeal(appeal=row, by=sam, is_reinstated=False, reply=" ", now=NOW)
    with pytest.raises(AppError):
        services.decide_appeal(appeal=row, by=ada, is_reinstated=True, reply="", now=NOW)
    services.decide_appeal(appeal=row, by=sam, is_reinstated=False, reply="It is still there.", now=NOW)
    with pytest.raises(AppealDecided):
        services.decide_appeal(appeal=row, by=sam, is_reinstated=True, reply="", now=NOW)
    assert Course.objects.get(pk=suspended.pk).status == "suspended"
    assert not review.pending_appeals()
    assert Notification.objects.get(kind="courses.appeal_rejected").user == ada
    with pytest.raises(AppealNotPossible):
        appeal(suspended, ada)


def test_an_accepted_appeal_reinstates_and_the_next_suspension_has_its_own(
    suspended: Course, ada: User, sam: User
) -> None:
    services.decide_appeal(appeal=appeal(suspended, ada), by=sam, is_reinstated=True, reply="", now=NOW)
    assert Course.objects.get(pk=suspended.pk).status == "published"
    with pytest.raises(WrongCourseStatus):
        appeal(suspended, ada)
    again = services.suspend_course(course=suspended, by=sam, reason="Again", now=NOW + timedelta(days=1))
    assert appeal(again, ada).outcome == "pending"


def test_a_co_instructor_who_edits_appeals_and_the_instructor_is_told_too(
    suspended: Course, ada: User, sam: User
) -> None:
    edits, teaches = (CoInstructorFactory(course=suspended, role=role).user for role in ("edit", "teach"))
    with pytest.raises(AppError):
        appeal(suspended, teaches)
    row = appeal(suspended, edits)
    with pytest.raises(AppealNotPossible):
        appeal(suspended, ada)
    services.decide_appeal(appeal=row, by=sam, is_reinstated=False, reply="No.", now=NOW)
    told = Notification.objects.filter(kind="courses.appeal_rejected")
    assert {one.user for one in told} == {ada, edits}


def test_who_was_removed_after_their_appeal_hears_nothing_of_it(suspended: Course, ada: User, sam: User) -> None:
    edits = CoInstructorFactory(course=suspended, role="edit").user
    row = appeal(suspended, edits)
    people.remove_co_instructor(course=suspended, by=ada, user_id=edits.pk, now=NOW)
    services.decide_appeal(appeal=row, by=sam, is_reinstated=True, reply="", now=NOW)
    assert Notification.objects.get(kind="courses.appeal_accepted").user == ada


def test_what_ends_a_suspension_by_other_means_closes_the_appeal(
    suspended: Course, ada: User, sam: User, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    row = appeal(suspended, ada)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        services.reinstate_course(course=suspended, by=sam, now=NOW)
    row.refresh_from_db()
    assert row.outcome == "reinstated"
    with pytest.raises(AppealDecided):
        services.decide_appeal(appeal=row, by=sam, is_reinstated=False, reply="No", now=NOW)


def test_the_pages_of_an_appeal(suspended: Course, ada: User, sam: User, browser_of: Callable[[User], Client]) -> None:
    instructor, admin = browser_of(ada), browser_of(sam)
    page = f"/dashboard/instructor/courses/{suspended.slug}/appeal"
    assert "A film belongs to others." in instructor.get(page).content.decode()
    assert instructor.post(page, {"text": " "}).status_code == 422
    instructor.post(page, {"text": "I <script>x</script> replaced it"})
    shown = instructor.get(page).content.decode()
    assert "&lt;script&gt;x" in shown
    assert "An admin answers" in shown

    assert suspended.title in admin.get("/dashboard/admin/").content.decode()
    review_page = f"/dashboard/admin/courses/{suspended.slug}/review"
    assert "Accept, lift suspension" in admin.get(review_page).content.decode()
    row = Appeal.objects.get()
    admin.post(f"/dashboard/admin/appeals/{row.uid}", {"outcome": "kept", "reply": "Still there."})
    assert "Still there." in instructor.get(page).content.decode()
    assert "Accept, lift suspension" not in admin.get(review_page).content.decode()


# --- The checklist and the queue -----------------------------------------------------------------


@pytest.fixture
def submitted(ada: User) -> Course:
    draft = LessonFactory(section__course__instructor=ada).course
    services.submit_course(course=draft, by=ada, now=NOW)
    return Course.objects.get(pk=draft.pk)


def test_two_reviewers_tick_without_undoing_each_other(
    submitted: Course, sam: User, ada: User, browser_of: Callable[[User], Client]
) -> None:
    nadia = type(sam).objects.create(username="nadia", email="n@example.com", role="admin")
    services.tick_point(course=submitted, by=nadia, point="rights", is_ticked=True, now=NOW)
    browser = browser_of(sam)
    address = f"/dashboard/admin/courses/{submitted.slug}/review"
    browser.post(f"{address}/points", {"tick": "rights"})
    browser.post(f"{address}/points", {"tick": "plays"})
    assert {(one.point, one.ticked_by.username) for one in ReviewTick.objects.all()} == {
        ("rights", "nadia"),
        ("plays", "sam"),
    }
    assert "2 of 8 points" in browser.get(address).content.decode()
    browser.post(f"{address}/points", {"untick": "plays"})
    assert ReviewTick.objects.count() == 1
    with pytest.raises(ValidationFailed):
        services.tick_point(course=submitted, by=sam, point="weather", is_ticked=True, now=NOW)
    with pytest.raises(AppError):
        services.tick_point(course=submitted, by=ada, point="plays", is_ticked=True, now=NOW)
    services.decide_submission(course=submitted, by=sam, outcome="approved", now=NOW)
    with pytest.raises(WrongCourseStatus):
        services.tick_point(course=submitted, by=sam, point="plays", is_ticked=True, now=NOW)


def test_the_queue_is_filtered(sam: User, browser_of: Callable[[User], Client]) -> None:
    def names(which: str, text: str = "") -> set[str]:
        found = review.filter_queue(review.queue(), which=which, text=text, now=NOW)
        return {one.course.title for one in found}

    old = CourseFactory(title="Tides", status="review")
    SubmissionFactory(course=old, outcome=Submission.Outcome.REJECTED, submitted_at=NOW - timedelta(days=9))
    SubmissionFactory(course=old, outcome=Submission.Outcome.PENDING, submitted_at=NOW - timedelta(hours=49))
    SubmissionFactory(
        course=CourseFactory(title="Rivers", status="review"), outcome=Submission.Outcome.PENDING, submitted_at=NOW
    )
    say(old, sam)
    assert names("late") == names("again") == names("comments") == {"Tides"}
    assert names("first") == {"Rivers"}
    assert names("", "riv") == {"Rivers"}
    assert names("unknown") == {"Tides", "Rivers"}
    page = browser_of(sam).get("/dashboard/admin/?queue=first&q=tides").content.decode()
    assert "No submission is like this." in page
    assert "2 courses waiting for review" in page
