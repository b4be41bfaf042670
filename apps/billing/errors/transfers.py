"""Refusals about orders that are paid by bank transfer."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


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
