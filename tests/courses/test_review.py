"""Submitting a course, deciding on it, and its later changes of status."""

from datetime import UTC, datetime

import pytest

from apps.accounts.errors import RoleRequired
from apps.courses import services
from apps.courses.errors import CommentMissing, CourseNotFound, CourseNotReady, CourseUnderReview, WrongCourseStatus
from apps.courses.events import CoursePublished, CourseSubmitted, SubmissionDecided
from apps.courses.models import Course, StatusChange, Submission
from apps.courses.queries import readiness
from studyplatform.kit import events
from studyplatform.kit.errors import PermissionRefused
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.files import StoredFileFactory, VideoFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
LATER = datetime(2026, 3, 16, 10, 0, tzinfo=UTC)
Status = Course.Status


@pytest.fixture
def draft(ada):
    """A draft that is ready to be submitted."""
    lesson = LessonFactory(section__course__instructor=ada)
    return lesson.course


@pytest.fixture
def submitted(draft, ada):
    services.submit_course(course=draft, by=ada, note="First attempt", now=NOW)
    return Course.objects.get(pk=draft.pk)


@pytest.fixture
def published(submitted, sam):
    services.decide_submission(course=submitted, by=sam, outcome="approved", now=NOW)
    return Course.objects.get(pk=submitted.pk)


@pytest.fixture
def published_events():
    """The events that courses published, in order."""
    heard = []
    kinds = [CourseSubmitted, SubmissionDecided, CoursePublished]
    for kind in kinds:
        events.subscribe(kind)(heard.append)
    yield heard
    for kind in kinds:
        events._subscribers[kind].remove(heard.append)


def status_of(course):
    return Course.objects.get(pk=course.pk).status


def test_submitting_a_ready_draft_starts_a_review(draft, ada, published_events, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        submission = services.submit_course(course=draft, by=ada, note=" First attempt ", now=NOW)

    assert (submission.outcome, submission.note) == ("pending", "First attempt")
    assert status_of(draft) == Status.REVIEW
    assert published_events == [CourseSubmitted(course_id=draft.pk, submission_id=submission.pk)]


def test_a_check_on_missing_content_is_not_marked_done(ada):
    course = CourseFactory(instructor=ada, title="Rivers", summary="", outcomes=[], description="")
    assert {check.key for check in readiness.checks(course) if check.is_met} == {"title"}

    LessonFactory(section__course=course, body="Words.")
    assert {check.key for check in readiness.checks(course) if check.is_met} == {"title", "lessons", "content"}


def test_the_refusal_lists_everything_that_is_missing(ada):
    course = CourseFactory(instructor=ada, summary="Short.", outcomes=[])

    with pytest.raises(CourseNotReady) as refusal:
        services.submit_course(course=course, by=ada, now=NOW)

    for words in ("a summary of at least 40 characters", "one learning outcome", "one lesson"):
        assert words in refusal.value.detail
    assert status_of(course) == Status.DRAFT


@pytest.mark.parametrize(
    ("lesson", "words"),
    [
        pytest.param({"kind": "video"}, "a processed video to lesson 1.2", id="no video"),
        pytest.param({"kind": "video", "stage": "finalizing"}, "a processed video to lesson 1.2", id="unfinished"),
        pytest.param({"kind": "quiz"}, "content to lesson 1.2", id="quiz without question"),
        pytest.param({"kind": "text", "body": "  "}, "content to lesson 1.2", id="blank text"),
        pytest.param({"kind": "file"}, "content to lesson 1.2", id="no file"),
    ],
)
def test_an_unfinished_lesson_prevents_submission(draft, ada, lesson, words):
    if "stage" in lesson:
        lesson["video"] = VideoFactory(stage=lesson.pop("stage"))
    made = LessonFactory(section=draft.sections.get(), **lesson)
    if made.kind == "quiz":
        QuizFactory(lesson=made)

    with pytest.raises(CourseNotReady) as refusal:
        services.submit_course(course=draft, by=ada, now=NOW)

    assert words in refusal.value.detail


def test_a_course_with_every_kind_of_lesson_can_be_submitted(draft, ada):
    section = draft.sections.get()
    LessonFactory(section=section, kind="video", video=VideoFactory())
    LessonFactory(section=section, kind="file", file=StoredFileFactory())
    QuestionFactory(quiz__lesson=LessonFactory(section=section, kind="quiz"))

    services.submit_course(course=draft, by=ada, now=NOW)

    assert status_of(draft) == Status.REVIEW


@pytest.mark.database
def test_a_course_cannot_be_submitted_twice(submitted, ada):
    with pytest.raises(WrongCourseStatus):
        services.submit_course(course=submitted, by=ada, now=NOW)


def test_the_database_allows_one_pending_submission(submitted, ada):
    from django.db import IntegrityError, transaction

    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.create(course=submitted, submitted_by=ada, submitted_at=NOW)


def test_approval_publishes_the_course(submitted, sam, published_events, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        submission = services.decide_submission(course=submitted, by=sam, outcome="approved", now=LATER)

    course = Course.objects.get(pk=submitted.pk)
    assert (course.status, course.published_at) == (Status.PUBLISHED, LATER)
    assert (submission.decided_by, submission.decided_at) == (sam, LATER)
    assert published_events == [
        CoursePublished(course_id=course.pk),
        SubmissionDecided(course_id=course.pk, submission_id=submission.pk, outcome="approved"),
    ]


@pytest.mark.parametrize("outcome", ["changes_requested", "rejected"])
def test_any_other_decision_requires_a_reason_and_returns_a_draft(submitted, sam, outcome):
    with pytest.raises(CommentMissing):
        services.decide_submission(course=submitted, by=sam, outcome=outcome, comment="  ", now=NOW)

    services.decide_submission(course=submitted, by=sam, outcome=outcome, comment="Number the steps.", now=NOW)

    assert status_of(submitted) == Status.DRAFT
    assert submitted.submissions.get().comment == "Number the steps."


@pytest.mark.parametrize("outcome", ["pending", "withdrawn"])
def test_an_unknown_outcome_is_refused(submitted, sam, outcome):
    with pytest.raises(ValueError, match="not a decision"):
        services.decide_submission(course=submitted, by=sam, outcome=outcome, comment="x", now=NOW)


def test_a_second_decision_is_refused(published, sam):
    with pytest.raises(WrongCourseStatus):
        services.decide_submission(course=published, by=sam, outcome="rejected", comment="Too late.", now=NOW)


def test_an_instructor_cannot_decide_a_submission(submitted, ada, leo):
    for user in (ada, leo):
        with pytest.raises(RoleRequired):
            services.decide_submission(course=submitted, by=user, outcome="approved", now=NOW)

    assert status_of(submitted) == Status.REVIEW


def test_earlier_submissions_remain_in_the_history(submitted, ada, sam):
    services.decide_submission(course=submitted, by=sam, outcome="changes_requested", comment="More.", now=NOW)
    services.submit_course(course=submitted, by=ada, now=LATER)
    services.withdraw_course(course=submitted, by=ada, now=LATER)
    services.submit_course(course=submitted, by=ada, now=LATER)

    assert list(submitted.submissions.order_by("pk").values_list("outcome", flat=True)) == [
        "changes_requested",
        "withdrawn",
        "pending",
    ]


def test_a_withdrawn_course_can_be_edited_again(submitted, ada):
    services.withdraw_course(course=submitted, by=ada, now=NOW)

    services.add_section(course=submitted, by=ada, title="More", now=NOW)

    assert status_of(submitted) == Status.DRAFT


def test_unpublishing_makes_a_draft_that_needs_a_new_review(published, ada):
    services.unpublish_course(course=published, by=ada, now=LATER)

    course = Course.objects.get(pk=published.pk)
    assert course.status == Status.DRAFT
    assert course.published_at == NOW
    with pytest.raises(WrongCourseStatus):
        services.restore_course(course=course, by=ada, now=LATER)


def test_only_an_admin_suspends_a_course_and_gives_a_reason(published, ada, sam):
    with pytest.raises(RoleRequired):
        services.suspend_course(course=published, by=ada, reason="x", now=NOW)
    with pytest.raises(CommentMissing):
        services.suspend_course(course=published, by=sam, reason=" ", now=NOW)

    services.suspend_course(course=published, by=sam, reason="Copied pictures.", now=NOW)
    last = StatusChange.objects.filter(course=published).latest("pk")
    assert (last.was, last.became, last.reason) == ("published", "suspended", "Copied pictures.")

    services.reinstate_course(course=published, by=sam, now=LATER)
    assert status_of(published) == Status.PUBLISHED


def test_an_instructor_cannot_end_a_suspension_by_archiving(published, ada, sam):
    services.suspend_course(course=published, by=sam, reason="Copied pictures.", now=NOW)

    with pytest.raises(PermissionRefused):
        services.archive_course(course=published, by=ada, now=LATER)
    with pytest.raises(RoleRequired):
        services.reinstate_course(course=published, by=ada, now=LATER)

    services.archive_course(course=published, by=sam, now=LATER)
    with pytest.raises(PermissionRefused):
        services.restore_course(course=published, by=ada, now=LATER)
    assert status_of(published) == Status.ARCHIVED


def test_an_instructor_archives_and_restores_their_own_course(published, ada):
    services.archive_course(course=published, by=ada, now=LATER)
    with pytest.raises(WrongCourseStatus):
        services.add_section(course=published, by=ada, title="x", now=LATER)

    services.restore_course(course=published, by=ada, now=LATER)

    assert status_of(published) == Status.PUBLISHED


def test_a_stranger_cannot_change_the_status(draft, ada, eve, leo, sam):
    steps = [
        lambda by: services.submit_course(course=draft, by=by, now=NOW),
        lambda by: services.withdraw_course(course=draft, by=by, now=NOW),
        lambda by: services.unpublish_course(course=draft, by=by, now=NOW),
        lambda by: services.archive_course(course=draft, by=by, now=NOW),
        lambda by: services.delete_course(course=draft, by=by),
    ]
    for step in steps:
        for user in (eve, leo):
            with pytest.raises(CourseNotFound):
                step(user)

    assert status_of(draft) == Status.DRAFT


def test_a_former_instructor_is_no_longer_course_staff(draft, ada):
    ada.role = "student"
    ada.save()

    with pytest.raises(CourseNotFound):
        services.submit_course(course=draft, by=ada, now=NOW)


@pytest.mark.parametrize("current", list(Status))
@pytest.mark.parametrize(
    ("step", "starts"),
    [
        pytest.param("submit", {"draft"}, id="submit"),
        pytest.param("withdraw", {"review"}, id="withdraw"),
        pytest.param("decide", {"review"}, id="decide"),
        pytest.param("unpublish", {"published"}, id="unpublish"),
        pytest.param("suspend", {"published"}, id="suspend"),
        pytest.param("reinstate", {"suspended"}, id="reinstate"),
        pytest.param("archive", {"published", "suspended"}, id="archive"),
        pytest.param("restore", {"archived"}, id="restore"),
    ],
)
def test_each_step_is_allowed_only_from_its_starting_statuses(draft, ada, sam, current, step, starts):
    Course.objects.filter(pk=draft.pk).update(status=current)
    if current == Status.REVIEW:
        Submission.objects.create(course=draft, submitted_by=ada, submitted_at=NOW)
    run_step = {
        "submit": lambda: services.submit_course(course=draft, by=sam, now=NOW),
        "withdraw": lambda: services.withdraw_course(course=draft, by=sam, now=NOW),
        "decide": lambda: services.decide_submission(course=draft, by=sam, outcome="approved", now=NOW),
        "unpublish": lambda: services.unpublish_course(course=draft, by=sam, now=NOW),
        "suspend": lambda: services.suspend_course(course=draft, by=sam, reason="x", now=NOW),
        "reinstate": lambda: services.reinstate_course(course=draft, by=sam, now=NOW),
        "archive": lambda: services.archive_course(course=draft, by=sam, now=NOW),
        "restore": lambda: services.restore_course(course=draft, by=sam, now=NOW),
    }[step]

    if current in starts:
        run_step()
        change = StatusChange.objects.get(course=draft)
        assert change.became in Course.TRANSITIONS[current]
        assert status_of(draft) == change.became
    else:
        with pytest.raises((WrongCourseStatus, CourseUnderReview)):
            run_step()
        assert status_of(draft) == current
