"""Refusals about the people of a course: its instructor and co-instructors."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class RightNotGiven(AppError):
    code = "RIGHT_NOT_GIVEN"
    status = 403
    title = _("Your role in this course doesn't include this")
    message = _("Ask the instructor of the course to give you another role.")
    severity = "info"
    icon = "info"


class OnlyForInstructor(AppError):
    code = "ONLY_FOR_INSTRUCTOR"
    status = 403
    title = _("Only the instructor of the course can do this")
    message = _("Co-instructors can't change prices or people, and can't archive or delete the course.")
    severity = "info"
    icon = "info"


class CoInstructorGone(AppError):
    code = "CO_INSTRUCTOR_GONE"
    status = 404
    title = _("This person doesn't teach the course")
    message = _("They left or were removed, or haven't accepted the invitation yet.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class AlreadyCoInstructor(AppError):
    code = "ALREADY_CO_INSTRUCTOR"
    status = 409
    title = _("This person is here already")
    message = _("%(email)s teaches the course or has an open invitation.")
    severity = "info"
    icon = "info"

    email: str


@dataclass(eq=False, kw_only=True)
class TooManyCoInstructors(AppError):
    code = "TOO_MANY_CO_INSTRUCTORS"
    status = 409
    title = _("The course has as many co-instructors as it can have")
    message = _("A course has up to %(most)s co-instructors, open invitations included. Remove one to invite another.")
    severity = "warning"

    most: int


@dataclass(eq=False, kw_only=True)
class SharesTooHigh(AppError):
    code = "SHARES_TOO_HIGH"
    status = 409
    title = _("The shares are more than 100 percent")
    message = _("Up to %(free)s percent is left for this person, open invitations included. Lower another share first.")
    severity = "warning"

    free: int


class InvitationUnknown(AppError):
    code = "CO_INSTRUCTOR_INVITATION_UNKNOWN"
    status = 404
    title = _("This invitation isn't open")
    message = _("It was accepted, declined or revoked, or its link was sent again. Use the link of the latest email.")
    severity = "info"
    icon = "info"


class InvitationExpired(AppError):
    code = "CO_INSTRUCTOR_INVITATION_EXPIRED"
    status = 410
    title = _("This invitation has expired")
    message = _("Ask the instructor of the course to send it again.")
    severity = "info"
    icon = "clock"


@dataclass(eq=False, kw_only=True)
class InvitationOfAnother(AppError):
    code = "CO_INSTRUCTOR_INVITATION_OF_ANOTHER"
    status = 403
    title = _("This invitation is for another address")
    message = _("It was sent to %(email)s. Sign in with the account of this address, or create one.")
    severity = "info"
    icon = "info"

    email: str


class OfferGone(AppError):
    code = "OWNERSHIP_OFFER_GONE"
    status = 409
    title = _("The course isn't offered to you any longer")
    message = _("The offer was withdrawn or answered before.")
    severity = "info"
    icon = "info"
