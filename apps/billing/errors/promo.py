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
    message = _("Another promo code is already called %(name)s. Choose a different name.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    name: str


class PromoCodeInUse(AppError):
    code = "PROMO_CODE_IN_USE"
    status = 409
    title = _("This code is in use")
    message = _("This code has been used, so you can't change its discount or its courses. Create another code.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class PromoLimitTooLow(AppError):
    code = "PROMO_LIMIT_TOO_LOW"
    status = 409
    title = _("The limit is too low")
    message = _("Uses of this code so far: %(used)s. Enter at least that number, or turn the code off.")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    used: int
