"""What goes live without a review: the rule of the site (``REVIEW_RULE``) for corrections and for whole versions."""

from django.conf import settings
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses import policies
from apps.courses.errors import CorrectionsAreReviewed, CourseUnderReview, VersionIsReviewed, WrongCourseStatus
from apps.courses.errors.captions import VideoOfOtherCourse
from apps.courses.models import Course, Lesson, Right, Submission
from apps.courses.rights import courses_with_right
from apps.files.models import VideoAsset
from studyplatform.kit.policies import Verdict

RULES = ("small", "all", "trusted")  # corrections go live at once, nothing does, versions of trusted authors do too
APPROVALS_OF_TRUSTED_AUTHORS = 3


def publish_corrections(user: AnyUser, live: Course, edited: Course) -> Verdict:
    """Those who edit publish small corrections of a published course, unless the site reviews everything.

    Admins review themselves.
    """
    refusal = policies.edit_course(user, edited)
    if refusal is not None:
        return refusal
    if live.status != Course.Status.PUBLISHED:
        return WrongCourseStatus(status_now=str(live.get_status_display()))
    is_reviewer = isinstance(user, User) and user.is_admin
    return None if settings.REVIEW_RULE != "all" or is_reviewer else CorrectionsAreReviewed()


def change_shown_video(user: User, video: VideoAsset) -> Verdict:
    """What a published course shows, only those change who edit it: not the video's owner. At most two queries."""
    shown = set(_courses_showing(video).exclude(published_at=None))
    return None if courses_with_right(user, shown, Right.EDIT) >= {one.pk for one in shown} else VideoOfOtherCourse()


def replace_shown_captions(user: User, video: VideoAsset) -> Verdict:
    """Captions of a video that courses show are changed by those who edit these, as the rule of the site allows it.

    What is under review stays as it was submitted. At most four queries.
    """
    refusal = change_shown_video(user, video)
    if refusal is not None:
        return refusal
    if not user.is_admin and _courses_under_review(video).exists():
        return CourseUnderReview()
    return _review_captions(user, video)


def edit_captions(user: AnyUser, course: Course, video: VideoAsset) -> Verdict:
    """Those who edit the captions of a course, if they also edit all other published courses that show the video."""
    refusal = policies.edit_captions(user, course)
    if refusal is not None or not isinstance(user, User):
        return refusal
    return change_shown_video(user, video) or _await_review(video)


def publish_captions(user: AnyUser, course: Course, video: VideoAsset) -> Verdict:
    """Those who edit captions publish them, also of a published course, unless the site reviews corrections too.

    Then captions of videos that learners have go live with the next version. At most seven queries.
    """
    refusal = edit_captions(user, course, video)
    return refusal if refusal is not None else _review_captions(user, video)


def _review_captions(user: AnyUser, video: VideoAsset) -> Verdict:
    if settings.REVIEW_RULE != "all" or (isinstance(user, User) and user.is_admin):
        return None
    shown = Lesson.objects.filter(video=video, course__published_at__isnull=False)
    return CorrectionsAreReviewed() if shown.exists() else None


def _await_review(video: VideoAsset) -> Verdict:
    """Where the site reviews corrections, what is under review stays as it was submitted, whichever course shows it."""
    is_frozen = settings.REVIEW_RULE == "all" and _courses_under_review(video).exists()
    return CourseUnderReview() if is_frozen else None


def _courses_showing(video: VideoAsset) -> QuerySet[Course]:
    return Course.objects.filter(lessons__video=video, lessons__removed_at=None)


def _courses_under_review(video: VideoAsset) -> QuerySet[Course]:
    """Return the courses and next versions under review that show a video."""
    submitted = Course.with_working_copies.filter(status=Course.Status.REVIEW)
    return submitted.filter(lessons__video=video, lessons__removed_at=None)


def publish_alone(user: AnyUser, live: Course, edited: Course) -> Verdict:
    """Trusted authors publish versions themselves, where the rule of the site says so. At most two queries.

    They have had several submissions approved, and none rejected.
    """
    refusal = policies.submit_course(user, edited)
    if refusal is not None:
        return refusal
    if live.status != Course.Status.PUBLISHED or not edited.is_working_copy:
        return WrongCourseStatus(status_now=str(live.get_status_display()))
    if settings.REVIEW_RULE != "trusted" or not isinstance(user, User):
        return VersionIsReviewed()
    outcomes = list(Submission.objects.filter(submitted_by=user).values_list("outcome", flat=True))
    approved = outcomes.count(Submission.Outcome.APPROVED)
    is_trusted = approved >= APPROVALS_OF_TRUSTED_AUTHORS and Submission.Outcome.REJECTED not in outcomes
    return None if is_trusted else VersionIsReviewed()
