"""Refusals about money."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class CardDeclined(AppError):
    code = "PAYMENT_CARD_DECLINED"
    status = 402
    title = _("Your card was declined")
    message = _("Your card was declined. Nothing was charged.")
    icon = "credit-card"
    action = Action(_("Update payment method"), href="/settings/billing")


class PaymentProcessingError(AppError):
    code = "PAYMENT_PROCESSING_ERROR"
    status = 502
    title = _("The payment did not go through")
    message = _("The payment could not be processed. You were not charged.")
    icon = "credit-card"
    action = Action(_("Try again"), handler="retry")


class SubscriptionExpired(AppError):
    code = "SUBSCRIPTION_EXPIRED"
    status = 402
    title = _("Your subscription has ended")
    message = _("Your Premium subscription has ended. Free content is still available.")
    severity = "warning"
    icon = "clock"
    action = Action(_("Renew"), href="/billing/renew")
