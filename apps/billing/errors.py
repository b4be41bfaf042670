"""Refusals about money."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class CardDeclined(AppError):
    code = "PAYMENT_CARD_DECLINED"
    status = 402
    title = _("Your card was declined")
    message = _("Your card was declined. Nothing was charged.")
    icon = "credit-card"
    action = Action(_("Update payment method"), href="/settings/billing")

    reason: str = ""


@dataclass(eq=False, kw_only=True)
class PaymentProcessingError(AppError):
    code = "PAYMENT_PROCESSING_ERROR"
    status = 502
    title = _("The payment did not go through")
    message = _("The payment could not be processed. You were not charged.")
    icon = "credit-card"
    action = Action(_("Try again"), handler="retry")

    reason: str = ""


@dataclass(eq=False, kw_only=True)
class PaymentRefused(AppError):
    code = "PAYMENT_REFUSED"
    status = 409
    title = _("The payment information is not valid")
    message = _("The payment provider refused this information. Nothing was charged.")
    icon = "credit-card"

    reason: str = ""


class SubscriptionExpired(AppError):
    code = "SUBSCRIPTION_EXPIRED"
    status = 402
    title = _("Your subscription has ended")
    message = _("Your Premium subscription has ended. Free content is still available.")
    severity = "warning"
    icon = "clock"
    action = Action(_("Renew"), href="/billing/renew")


@dataclass(eq=False, kw_only=True)
class AlreadyOwned(AppError):
    code = "ALREADY_OWNED"
    status = 409
    title = _("You already have this course")
    message = _("“%(course)s” is already open to you. Nothing was charged.")
    severity = "info"
    icon = "info"
    action = Action(_("Open the course"), href="/learn/{slug}")

    course: str
    slug: str


@dataclass(eq=False, kw_only=True)
class NotForSale(AppError):
    code = "NOT_FOR_SALE"
    status = 409
    title = _("Not for sale")
    message = _("“%(course)s” can't be bought at the moment.")
    severity = "info"
    icon = "info"
    action = Action(_("Browse courses"), href="/courses/")

    course: str


@dataclass(eq=False, kw_only=True)
class PriceChanged(AppError):
    code = "PRICE_CHANGED"
    status = 409
    title = _("The price has changed")
    message = _("The price has changed. Look at the new total before you pay. Nothing was charged.")
    severity = "warning"
    icon = "info"
    action = Action(_("Show the new price"), handler="reload")


@dataclass(eq=False, kw_only=True)
class PromoCodeRefused(AppError):
    code = "PROMO_CODE_REFUSED"
    status = 409
    title = _("This code can't be used")
    message = _("%(reason)s")
    severity = "warning"
    icon = "info"

    reason: str


class CardExpired(AppError):
    code = "CARD_UNUSABLE"
    status = 409
    title = _("This card can't be used")
    message = _("This card was removed or has expired. Choose another one.")
    severity = "warning"
    icon = "credit-card"


class CardInUse(AppError):
    code = "CARD_IN_USE"
    status = 409
    title = _("Premium is charged to this card")
    message = _("Your subscription is charged to this card. Make another card the default, then remove this one.")
    severity = "warning"
    icon = "credit-card"


class TooManyCards(AppError):
    code = "TOO_MANY_CARDS"
    status = 409
    title = _("Too many cards")
    message = _("You can save up to 10 cards. Remove one to add another.")
    severity = "warning"
    icon = "credit-card"


class TermsNotAccepted(AppError):
    code = "TERMS_NOT_ACCEPTED"
    status = 400
    title = _("Agree to the terms of sale")
    message = _("To buy, agree to the terms of sale.")
    severity = "warning"
    icon = "info"


class RefundPending(AppError):
    code = "REFUND_PENDING"
    status = 409
    title = _("A refund is on its way")
    message = _("A refund of this payment was requested before.")
    severity = "info"
    icon = "info"


class NothingToRefund(AppError):
    code = "NOTHING_TO_REFUND"
    status = 409
    title = _("Nothing left to refund")
    message = _("This amount can't be refunded: it was returned before, or your bank is deciding about it.")
    severity = "warning"
    icon = "info"


class RefundDecided(AppError):
    code = "REFUND_DECIDED"
    status = 409
    title = _("Already decided")
    message = _("Someone else has already decided this request.")
    severity = "info"
    icon = "info"
    is_for_scripts = False


class AlreadySubscribed(AppError):
    code = "ALREADY_SUBSCRIBED"
    status = 409
    title = _("You already have Premium")
    message = _("You already have Premium. Nothing was charged.")
    severity = "info"
    icon = "gem"
    action = Action(_("See your subscription"), href="/billing/subscriptions")


class NotSubscribed(AppError):
    code = "NOT_SUBSCRIBED"
    status = 409
    title = _("You don't have Premium")
    message = _("You don't have a Premium subscription at the moment.")
    severity = "info"
    icon = "gem"
    action = Action(_("See Premium"), href="/premium")


class PlanNotOffered(AppError):
    code = "PLAN_NOT_OFFERED"
    status = 409
    title = _("This plan isn't available now")
    message = _("Your subscription can't change to this plan at the moment.")
    severity = "info"
    icon = "info"
    action = Action(_("See your subscription"), href="/billing/subscriptions")


class NothingDue(AppError):
    code = "NOTHING_DUE"
    status = 409
    title = _("Nothing to pay")
    message = _("No payment for Premium is open. Nothing was charged.")
    severity = "info"
    icon = "info"
    action = Action(_("See your subscription"), href="/billing/subscriptions")
