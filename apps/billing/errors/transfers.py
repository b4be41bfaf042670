"""Refusals about orders that are paid by bank transfer."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class OrderSettled(AppError):
    code = "ORDER_SETTLED"
    status = 409
    title = _("This order is closed")
    message = _("This order has been paid or canceled in the meantime. Nothing was changed.")
    severity = "info"
    icon = "info"


@dataclass(eq=False, kw_only=True)
class TransferRefused(AppError):
    code = "TRANSFER_REFUSED"
    status = 400
    title = _("The bank transfer wasn't recorded")
    message = _("%(reason)s")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    reason: str


@dataclass(eq=False, kw_only=True)
class TransferDiffers(AppError):
    code = "TRANSFER_DIFFERS"
    status = 409
    title = _("The amount differs")
    message = _("%(received)s arrived, and %(expected)s is missing. Nothing was recorded.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    received: str
    expected: str


class CardPaymentBegun(AppError):
    code = "CARD_PAYMENT_BEGUN"
    status = 409
    title = _("This order is being paid by card")
    message = _("A card payment of this order has begun. Wait until it is finished, then try again.")
    severity = "info"
    icon = "credit-card"


@dataclass(eq=False, kw_only=True)
class TransferExpected(AppError):
    code = "TRANSFER_EXPECTED"
    status = 409
    title = _("You've ordered this by bank transfer")
    message = _("We're waiting for your transfer. You can pay by card instead, or cancel that order.")
    severity = "info"
    icon = "landmark"
    action = Action(_("See your order"), href="/billing/orders/{order}")

    order: str


class TransferNotOffered(AppError):
    code = "TRANSFER_NOT_OFFERED"
    status = 409
    title = _("Bank transfer isn't possible here")
    message = _("This purchase can't be paid by bank transfer. Pay by card instead.")
    severity = "info"
    icon = "landmark"
