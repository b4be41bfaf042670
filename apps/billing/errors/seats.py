"""Refusals about seats of teams."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class SeatNotFree(AppError):
    code = "SEAT_NOT_FREE"
    status = 409
    title = _("This seat isn't free")
    message = _("Someone has this seat already, or it has ended. Reload the page.")
    severity = "warning"
    icon = "user-round"
    is_for_scripts = False


class SeatHeldAlready(AppError):
    code = "SEAT_HELD_ALREADY"
    status = 409
    title = _("They have a seat already")
    message = _("This person has a seat of this team for the same already.")
    severity = "info"
    icon = "user-round"
    is_for_scripts = False


class SeatChangesUsed(AppError):
    code = "SEAT_CHANGES_USED"
    status = 409
    title = _("This seat can't change hands now")
    message = _("This seat has changed hands 20 times within a year. Use another seat, or add one.")
    severity = "warning"
    icon = "user-round"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class SeatsRefused(AppError):
    code = "SEATS_REFUSED"
    status = 422
    title = _("These seats can't be ordered")
    message = _("%(reason)s")
    severity = "warning"
    icon = "user-round"
    is_for_scripts = False

    reason: str


class SeatsUsed(AppError):
    code = "SEATS_USED"
    status = 409
    title = _("These seats were used")
    message = _(
        "Seats that someone has opened a lesson with can't be given back. You can take them back and reassign them."
    )
    severity = "warning"
    icon = "user-round"


@dataclass(eq=False, kw_only=True)
class SeatEnded(AppError):
    code = "SEAT_ENDED"
    status = 402
    title = _("Your seat doesn't open this course")
    message = _("%(reason)s")
    severity = "warning"
    icon = "clock"
    action = Action(_("Your seats"), href="/billing/teams")

    reason: str
