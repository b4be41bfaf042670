"""Notifications to instructors about their courses, and to admins about reviews."""

from functools import partial

from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import User


def _teaches(user: User) -> bool:
    return user.can_teach


_teaching = partial(services.Kind, group="teaching", is_for=_teaches, action=_("Open the course"))

APPROVED = services.register_kind(
    _teaching(
        name="courses.approved",
        title=_("Your course is approved"),
        headline=_("“%(course)s” is published"),
        text=_("The review is complete, and learners can now find your course in the catalog."),
        quote="comment",
        icon="circle-check",
    )
)
CHANGES_REQUESTED = services.register_kind(
    _teaching(
        name="courses.changes_requested",
        title=_("A reviewer requests changes to your course"),
        headline=_("Changes requested: “%(course)s”"),
        text=_("The reviewer's comment:"),
        quote="comment",
        icon="message-square",
    )
)
REJECTED = services.register_kind(
    _teaching(
        name="courses.rejected",
        title=_("Your course needs revision"),
        headline=_("“%(course)s” needs revision"),
        text=_("The course wasn't published. The reviewer's comment:"),
        quote="comment",
        icon="flag",
    )
)
SUSPENDED = services.register_kind(
    _teaching(
        name="courses.suspended",
        title=_("Your course is suspended"),
        headline=_("“%(course)s” is suspended"),
        text=_("The course is hidden from the catalog for now. Enrolled learners still have access. Reason:"),
        quote="comment",
        icon="flag",
    )
)
SUBMITTED = services.register_kind(
    services.Kind(
        name="courses.submitted",
        group="administration",
        title=_("A course is waiting for review"),
        headline=_("“%(course)s” is waiting for review"),
        text=_("%(instructor)s submitted the course."),
        action=_("Review the course"),
        icon="library",
        mail=services.Mail.DIGEST,
        is_for=lambda user: user.is_admin,
    )
)
REVIEW_MENTION = services.register_kind(
    services.Kind(
        name="courses.review_mention",
        group="teaching",
        title=_("You're mentioned in a review of a course"),
        headline=_("%(writer)s mentions you: “%(course)s”, %(place)s"),
        quote="comment",
        action=_("Open the comment"),
        icon="message-square",
        is_for=lambda user: user.can_teach,
    )
)
REVIEW_COMMENT = services.register_kind(
    services.Kind(
        name="courses.review_comment",
        group="teaching",
        title=_("Someone comments on your course in its review, or answers your comment"),
        headline=_("%(writer)s comments on “%(course)s”, %(place)s"),
        quote="comment",
        action=_("Open the comment"),
        icon="message-square",
        mail=services.Mail.DIGEST,
        is_for=lambda user: user.can_teach,
    )
)
APPEALED = services.register_kind(
    services.Kind(
        name="courses.appealed",
        group="administration",
        title=_("An instructor appeals a suspension"),
        headline=_("The suspension of “%(course)s” is appealed"),
        text=_("%(writer)s writes:"),
        quote="comment",
        action=_("Decide the appeal"),
        icon="scale",
        is_for=lambda user: user.is_admin,
    )
)
APPEAL_ACCEPTED = services.register_kind(
    _teaching(
        name="courses.appeal_accepted",
        title=_("Your appeal is accepted"),
        headline=_("“%(course)s” is live again"),
        text=_("Your appeal was accepted, and the suspension is lifted."),
        quote="comment",
        icon="circle-check",
    )
)
APPEAL_REJECTED = services.register_kind(
    _teaching(
        name="courses.appeal_rejected",
        title=_("Your appeal is rejected"),
        headline=_("“%(course)s” stays suspended"),
        text=_("Your appeal was read, and the suspension is kept. The answer:"),
        quote="comment",
        icon="flag",
    )
)
