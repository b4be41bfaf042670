"""Refusals about the seats of a team: inviting, assigning, taking and handing over."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class SeatInvitationUnknown(AppError):
    code = "SEAT_INVITATION_UNKNOWN"
    status = 404
    title = _("This invitation is no longer valid")
    message = _("It was canceled, or the link is incomplete. Ask the person who invited you to send it again.")
    severity = "warning"
    icon = "user-round-plus"
    is_for_scripts = False


class SeatInvitationUsed(AppError):
    code = "SEAT_INVITATION_USED"
    status = 409
    title = _("This invitation has been used")
    message = _("Someone has accepted it. If that wasn't you, ask the person who invited you for another one.")
    severity = "warning"
    icon = "user-round-plus"
    is_for_scripts = False


class SeatInvitationOfAnother(AppError):
    code = "SEAT_INVITATION_OF_ANOTHER"
    status = 403
    title = _("This invitation is for another account")
    message = _("An account with the invited email address exists. Sign in with that account to accept.")
    severity = "warning"
    icon = "user-round-plus"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class SeatHeld(AppError):
    code = "SEAT_HELD"
    status = 409
    title = _("One seat is enough")
    message = _("This account has a seat of %(team)s for the same already.")
    severity = "info"
    icon = "user-round-plus"
    action = Action(_("Your seats"), href="/billing/teams")
    is_for_scripts = False

    team: str


class NoFreeSeat(AppError):
    code = "NO_FREE_SEAT"
    status = 409
    title = _("No seat is free")
    message = _("All seats are assigned. Ask the person who manages your team for another one.")
    severity = "warning"
    icon = "user-round-plus"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class SeatChangesUsedUp(AppError):
    code = "SEAT_CHANGES_USED_UP"
    status = 409
    title = _("This seat can't change hands now")
    message = _("A seat can change hands %(limit)s times a year. The next one can be given to someone else on %(day)s.")
    severity = "warning"
    icon = "clock"
    is_for_scripts = False

    limit: int
    day: str


@dataclass(eq=False, kw_only=True)
class SeatsClosed(AppError):
    code = "SEATS_CLOSED"
    status = 409
    title = _("These seats aren't open")
    message = _("%(reason)s")
    severity = "warning"
    icon = "clock"
    is_for_scripts = False

    reason: str


@dataclass(eq=False, kw_only=True)
class SeatListRefused(AppError):
    code = "SEAT_LIST_REFUSED"
    status = 422
    title = _("Check what you entered")
    message = _("%(reason)s")
    severity = "warning"
    icon = "user-round-plus"
    is_for_scripts = False

    reason: str


class SeatChanged(AppError):
    code = "SEAT_CHANGED"
    status = 409
    title = _("This seat has changed")
    message = _("Someone accepted, left or took it back meanwhile. This page shows the current state.")
    severity = "info"
    icon = "rotate-ccw"
    is_for_scripts = False
