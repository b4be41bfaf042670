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
_people = partial(services.Kind, group="teaching", is_for=_teaches, icon="users")
CO_INSTRUCTOR_JOINED = services.register_kind(
    _people(
        name="courses.co_instructor_joined",
        title=_("A co-instructor joins your course"),
        headline=_("%(name)s teaches “%(course)s” with you"),
        text=_("They accepted your invitation."),
        action=_("See who teaches the course"),
    )
)
CO_INSTRUCTOR_DECLINED = services.register_kind(
    _people(
        name="courses.co_instructor_declined",
        title=_("An invitation to teach is declined"),
        headline=_("%(name)s doesn't join “%(course)s”"),
        text=_("They declined your invitation. A share that it promised is yours again."),
        action=_("See who teaches the course"),
    )
)
CO_INSTRUCTOR_LEFT = services.register_kind(
    _people(
        name="courses.co_instructor_left",
        title=_("A co-instructor leaves your course"),
        headline=_("%(name)s no longer teaches “%(course)s”"),
        text=_("They left the course. Their share of what is sold from now on is yours."),
        action=_("See who teaches the course"),
    )
)
CO_INSTRUCTOR_REMOVED = services.register_kind(
    _people(
        name="courses.co_instructor_removed",
        title=_("You no longer teach a course with others"),
        headline=_("You no longer teach “%(course)s”"),
        text=_("Its instructor removed you from the course. What you earned with it until now stays yours."),
        action=_("Your courses"),
    )
)
CO_INSTRUCTOR_ROLE = services.register_kind(
    _people(
        name="courses.co_instructor_role",
        title=_("Your role in a course changes"),
        headline=_("Your role in “%(course)s” is now: %(role)s"),
        text=_("Its instructor changed what you can do there."),
        action=_("Open the course"),
    )
)
OWNERSHIP_OFFERED = services.register_kind(
    _people(
        name="courses.ownership_offered",
        title=_("A course is offered to you"),
        headline=_("%(name)s offers you “%(course)s”"),
        text=_("Once you accept, you are its instructor, and it is you who decides about prices and people."),
        action=_("Answer the offer"),
    )
)
OWNERSHIP_ACCEPTED = services.register_kind(
    _people(
        name="courses.ownership_accepted",
        title=_("A course has another instructor"),
        headline=_("%(name)s is now the instructor of “%(course)s”"),
        text=_("What was sold before stays with those who had it then."),
        action=_("See who teaches the course"),
    )
)
OWNERSHIP_DECLINED = services.register_kind(
    _people(
        name="courses.ownership_declined",
        title=_("The offer of a course is declined"),
        headline=_("%(name)s doesn't take over “%(course)s”"),
        text=_("You stay its instructor."),
        action=_("See who teaches the course"),
    )
)
