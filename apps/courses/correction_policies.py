"""What goes live without a review: the rule of the site (``REVIEW_RULE``) for corrections and for whole versions."""

from django.conf import settings

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses import policies
from apps.courses.errors import CorrectionsAreReviewed, VersionIsReviewed, WrongCourseStatus
from apps.courses.models import Course, Lesson, Submission
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


def publish_captions(user: AnyUser, course: Course, video: VideoAsset) -> Verdict:
    """Those who edit captions publish them, also of a published course, unless the site reviews corrections too.

    Then captions of videos that learners have go live with the next version. At most two queries.
    """
    refusal = policies.edit_captions(user, course)
    if refusal is not None or settings.REVIEW_RULE != "all" or (isinstance(user, User) and user.is_admin):
        return refusal
    shown = Lesson.objects.filter(video=video, course__published_at__isnull=False)
    return CorrectionsAreReviewed() if shown.exists() else None


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
