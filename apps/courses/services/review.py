"""The review of a course, and later changes of its status."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.content_tree import diff_trees
from apps.courses.errors import CommentMissing, CourseNotReady, NothingToPublish, WrongCourseStatus
from apps.courses.events import (
    CourseArchived,
    CourseEdited,
    CoursePublished,
    CourseSubmitted,
    CourseSuspended,
    CourseUnpublished,
    SubmissionDecided,
)
from apps.courses.models import Course, StatusChange, Submission
from apps.courses.queries import readiness
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.reviewed_captions import captions_for_review
from apps.courses.services.locking import lock_course_row, lock_versions
from apps.courses.services.versions import check_new_videos, merge_version
from studyplatform.kit.events import publish
from studyplatform.kit.policies import Verdict, enforce

Status = Course.Status
Outcome = Submission.Outcome


def submit_course(*, course: Course, by: User, note: str = "", now: datetime) -> Submission:
    """Submit a draft, or the next version of a course, for review. It can't be edited until it is decided or withdrawn.

    :raises CourseNotReady: something required is missing.
    :raises WrongCourseStatus: it is not a draft.
    :raises NothingToPublish: the next version is the same as the published course.
    :raises UploadsUnderWay: the new video of a lesson is being uploaded or processed.
    :raises WatchedChoiceMissing: a new video has another length, and nobody chose what becomes of what was watched.
    """
    with transaction.atomic():
        live, edited = lock_versions(course)
        enforce(policies.submit_course(by, edited))
        if missing := readiness.missing(edited):
            raise CourseNotReady(missing=missing)
        number = 1
        if edited.is_working_copy:
            number = edited.draft.number
            if diff_trees(read_tree(live), read_tree(edited)).is_empty and not captions_for_review(edited):
                raise NothingToPublish
            check_new_videos(edited)
        _move(edited, Status.REVIEW, by, now)
        submission = Submission.objects.create(
            course=live,
            version_number=number,
            submitted_by=by,
            submitted_at=now,
            note=note.strip(),
            outcome=Outcome.PENDING,
        )
        publish(CourseSubmitted(course_id=live.pk, submission_id=submission.pk))
    return submission


def withdraw_course(*, course: Course, by: User, now: datetime) -> Course:
    """Withdraw the course, or its next version, from review, which makes it a draft again."""
    with transaction.atomic():
        live, edited = lock_versions(course)
        enforce(policies.withdraw_course(by, edited))
        _move(edited, Status.DRAFT, by, now)
        live.submissions.filter(outcome=Outcome.PENDING).update(
            outcome=Outcome.WITHDRAWN, decided_by=by, decided_at=now
        )
    return edited


def decide_submission(*, course: Course, by: User, outcome: str, comment: str = "", now: datetime) -> Submission:
    """Decide the pending submission: what is approved is published, any other becomes a draft again.

    :raises CommentMissing: a decision other than approval needs a comment.
    :raises WrongCourseStatus: nothing is pending, for example because another admin has decided.
    """
    outcome, comment = Outcome(outcome), comment.strip()
    if outcome not in {Outcome.APPROVED, Outcome.CHANGES_REQUESTED, Outcome.REJECTED}:
        raise ValueError(f"{outcome} is not a decision")
    if outcome != Outcome.APPROVED and not comment:
        raise CommentMissing
    with transaction.atomic():
        live, edited = lock_versions(course)
        enforce(policies.review_course(by, edited))
        submission = live.submissions.select_for_update().get(outcome=Outcome.PENDING)
        submission.outcome = outcome
        submission.comment = comment
        submission.decided_by = by
        submission.decided_at = now
        submission.save(update_fields=["outcome", "comment", "decided_by", "decided_at"])
        if outcome != Outcome.APPROVED:
            _move(edited, Status.DRAFT, by, now)
        elif edited.is_working_copy:
            merge_version(live, edited, by=submission.submitted_by, approved_by=by, now=now)
            live = lock_course_row(live.pk)
            if live.status == Status.DRAFT:
                _publish(live, by, now)
        else:
            _publish(edited, by, now)
        publish(SubmissionDecided(course_id=live.pk, submission_id=submission.pk, outcome=outcome))
    return submission


def unpublish_course(*, course: Course, by: User, reason: str = "", now: datetime) -> Course:
    """Make a published course a draft again. Enrolled learners keep access."""
    with transaction.atomic():
        course = _locked(course, by, policies.unpublish_course)
        _move(course, Status.DRAFT, by, now, reason)
        publish(CourseUnpublished(course_id=course.pk))
    return course


def suspend_course(*, course: Course, by: User, reason: str, now: datetime) -> Course:
    """Hide a published course for a policy review. Enrolled learners keep access.

    :raises CommentMissing: a reason for the instructor is required.
    """
    if not reason.strip():
        raise CommentMissing
    with transaction.atomic():
        course = _locked(course, by, policies.suspend_course)
        _move(course, Status.SUSPENDED, by, now, reason)
        publish(CourseSuspended(course_id=course.pk))
    return course


def reinstate_course(*, course: Course, by: User, now: datetime) -> Course:
    """Lift a suspension: the course is published again."""
    with transaction.atomic():
        course = _locked(course, by, policies.reinstate_course)
        _publish(course, by, now)
    return course


def archive_course(*, course: Course, by: User, reason: str = "", now: datetime) -> Course:
    """Archive the course. Enrolled learners keep access."""
    with transaction.atomic():
        course = _locked(course, by, policies.archive_course)
        _move(course, Status.ARCHIVED, by, now, reason)
        publish(CourseArchived(course_id=course.pk))
    return course


def restore_course(*, course: Course, by: User, now: datetime) -> Course:
    """Publish an archived course again."""
    with transaction.atomic():
        course = _locked(course, by, policies.restore_course)
        _publish(course, by, now)
    return course


def _locked(course: Course, by: User, policy: Callable[[User, Course], Verdict]) -> Course:
    """Lock the course and enforce the policy on its current status: of two simultaneous requests one is refused."""
    course = lock_course_row(course.pk)
    enforce(policy(by, course))
    return course


def _publish(course: Course, by: User, now: datetime) -> None:
    course.published_at = course.published_at or now
    course.is_announced = False
    _move(course, Status.PUBLISHED, by, now)
    publish(CoursePublished(course_id=course.pk))


def _move(course: Course, to: str, by: User, now: datetime, reason: str = "") -> None:
    """Change the status along ``TRANSITIONS`` and record it."""
    was = course.status
    if to not in Course.TRANSITIONS[was]:
        raise WrongCourseStatus(status_now=str(course.get_status_display()))
    course.status = to
    course.updated_at = now
    course.version += 1
    course.save(update_fields=["status", "published_at", "is_announced", "updated_at", "version"])
    StatusChange.objects.create(course=course, was=was, became=to, changed_by=by, changed_at=now, reason=reason.strip())
    publish(CourseEdited(course_id=course.pk))
