"""Refusals about refunds and payouts."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class RefundPending(AppError):
    code = "REFUND_PENDING"
    status = 409
    title = _("A refund is on its way")
    message = _("A refund of this payment has already been requested.")
    severity = "info"
    icon = "info"


class NothingToRefund(AppError):
    code = "NOTHING_TO_REFUND"
    status = 409
    title = _("Nothing left to refund")
    message = _("This amount can't be refunded: it has already been returned, or your bank is reviewing it.")
    severity = "warning"
    icon = "info"


class RefundTermsChanged(AppError):
    code = "REFUND_TERMS_CHANGED"
    status = 409
    title = _("Another rule applies now")
    message = _("The refund rules for this payment changed while this page was open. Nothing was requested.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False


class RefundDecided(AppError):
    code = "REFUND_DECIDED"
    status = 409
    title = _("Already decided")
    message = _("Someone else has already decided this request.")
    severity = "info"
    icon = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class EarningsUnpaid(AppError):
    code = "EARNINGS_UNPAID"
    status = 409
    title = _("You have unpaid earnings")
    message = _(
        "%(amount)s of your earnings hasn't been paid out yet. Wait for your next payout. If your balance is too small "
        "for one, email %(support)s."
    )
    severity = "warning"
    icon = "wallet"
    action = Action(_("See your earnings"), href="/dashboard/instructor/earnings/")
    is_for_scripts = False

    amount: str
    support: str
