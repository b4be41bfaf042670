"""Refusals about promo codes."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class PromoCodeRefused(AppError):
    code = "PROMO_CODE_REFUSED"
    status = 409
    title = _("This code can't be used")
    message = _("%(reason)s")
    severity = "warning"
    icon = "info"

    reason: str


@dataclass(eq=False, kw_only=True)
class PromoCodeTaken(AppError):
    code = "PROMO_CODE_TAKEN"
    status = 409
    title = _("This code is taken")
    message = _("Another promo code is called %(name)s. Choose another name.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    name: str


class PromoCodeInUse(AppError):
    code = "PROMO_CODE_IN_USE"
    status = 409
    title = _("This code is in use")
    message = _("Someone has used this code, so its discount and its courses can't change. Create another code.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class PromoLimitTooLow(AppError):
    code = "PROMO_LIMIT_TOO_LOW"
    status = 409
    title = _("The limit is too low")
    message = _("This code was used %(used)s times. Enter at least that number, or switch the code off.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    used: int
