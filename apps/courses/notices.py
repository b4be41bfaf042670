"""What instructors are told about their courses, and admins about their work."""

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
        title=_("A course of yours is approved"),
        headline=_("“%(course)s” is published"),
        text=_("The review is done: learners find the course in the catalogue now."),
        quote="comment",
        icon="circle-check",
    )
)
CHANGES_REQUESTED = services.register_kind(
    _teaching(
        name="courses.changes_requested",
        title=_("Changes are asked for in a course of yours"),
        headline=_("Changes are asked for: “%(course)s”"),
        text=_("The reviewer writes:"),
        quote="comment",
        icon="message-square",
    )
)
REJECTED = services.register_kind(
    _teaching(
        name="courses.rejected",
        title=_("A course of yours needs revision"),
        headline=_("“%(course)s” needs revision"),
        text=_("It was not published. The reviewer writes:"),
        quote="comment",
        icon="flag",
    )
)
SUSPENDED = services.register_kind(
    _teaching(
        name="courses.suspended",
        title=_("A course of yours is suspended"),
        headline=_("“%(course)s” is suspended"),
        text=_("It is off the catalogue for now; those enrolled keep it. The reason:"),
        quote="comment",
        icon="flag",
    )
)
SUBMITTED = services.register_kind(
    services.Kind(
        name="courses.submitted",
        group="administration",
        title=_("A course waits for review"),
        headline=_("“%(course)s” waits for review"),
        text=_("%(instructor)s handed it in."),
        action=_("Review it"),
        icon="library",
        mail=services.Mail.DIGEST,
        is_for=lambda user: user.is_admin,
    )
)
