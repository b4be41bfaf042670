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
class SeatInvoiceUnpaid(AppError):
    code = "SEAT_INVOICE_UNPAID"
    status = 409
    title = _("An invoice for seats isn't paid")
    message = _(
        "Order %(order)s is in your name. Pay it, or cancel the order if nobody has used its seats; then delete your "
        "account. If you can do neither, email %(support)s."
    )
    severity = "warning"
    icon = "receipt-text"
    action = Action(_("See the order"), href="/billing/orders/{uid}")
    is_for_scripts = False

    order: str
    uid: str
    support: str


@dataclass(eq=False, kw_only=True)
class TeamInUse(AppError):
    code = "TEAM_IN_USE"
    status = 409
    title = _("Others have seats of your team")
    message = _(
        "Hand %(team)s over to someone with a seat, or take back its seats and invitations; then delete your account."
    )
    severity = "warning"
    icon = "user-round"
    action = Action(_("Hand the team over"), href="/billing/teams/{uid}/settings")
    is_for_scripts = False

    team: str
    uid: str


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
