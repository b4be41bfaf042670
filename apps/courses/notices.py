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
