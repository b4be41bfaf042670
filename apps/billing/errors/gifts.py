"""Refusals about gifts."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class GiftCodeUnknown(AppError):
    code = "GIFT_CODE_UNKNOWN"
    status = 404
    title = _("No gift has this code")
    message = _("No gift has this code. Check each letter: it has 20, and no zero, one, I or O.")
    severity = "warning"
    icon = "gift"
    is_for_scripts = False


class GiftRedeemed(AppError):
    code = "GIFT_REDEEMED"
    status = 409
    title = _("This gift has been redeemed")
    message = _("This code has been used. If that wasn't you, ask the person who gave it to you.")
    severity = "warning"
    icon = "gift"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class GiftOwned(AppError):
    code = "GIFT_OWNED"
    status = 409
    title = _("You have this already")
    message = _("You can open “%(gift)s” already, so the code wasn't used. You can give it to someone else.")
    severity = "info"
    icon = "gift"
    is_for_scripts = False

    gift: str


class GiftOnHold(AppError):
    code = "GIFT_ON_HOLD"
    status = 409
    title = _("This gift can't be redeemed")
    message = _("Its payment was returned or is under review. Ask the person who gave it to you.")
    severity = "warning"
    icon = "gift"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class GiftRefused(AppError):
    code = "GIFT_REFUSED"
    status = 422
    title = _("Check the gift")
    message = _("%(reason)s")
    severity = "warning"
    icon = "gift"
    action = Action(_("Your gifts"), href="/billing/gifts")

    reason: str
