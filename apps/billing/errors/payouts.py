"""Refusals about payouts and the books, for admins."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class PayoutInProgress(AppError):
    code = "PAYOUT_IN_PROGRESS"
    status = 409
    title = _("The payout is being sent")
    message = _("This payout is being sent right now. Try again in ten minutes. Nothing was changed.")
    severity = "warning"
    icon = "clock"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class PayoutTransferred(AppError):
    code = "PAYOUT_TRANSFERRED"
    status = 409
    title = _("The money has been sent")
    message = _(
        "The payment provider has transferred %(amount)s of this payout to the instructor. Take it back before the"
        " amount can be paid out again. Nothing was changed."
    )
    severity = "warning"
    icon = "circle-alert"
    is_for_scripts = False

    amount: str


class NothingToReverse(AppError):
    code = "NOTHING_TO_REVERSE"
    status = 409
    title = _("Nothing to take back")
    message = _("The payment provider has nothing left to take back of this payout.")
    severity = "info"
    icon = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class ReversalRefused(AppError):
    code = "REVERSAL_REFUSED"
    status = 409
    title = _("The transfer can't be taken back")
    message = _(
        "The payment provider didn't take the transfer back: %(reason)s. The instructor's account may not have enough"
        " money. Nothing was changed."
    )
    severity = "error"
    icon = "circle-alert"
    is_for_scripts = False

    reason: str


class EntryPosted(AppError):
    code = "ENTRY_POSTED"
    status = 409
    title = _("Already posted")
    message = _("This form was posted before with other values. Open the page again to post another entry.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False
