"""Refusals about buying and paying."""

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


@dataclass(eq=False, kw_only=True)
class AlreadyOwned(AppError):
    code = "ALREADY_OWNED"
    status = 409
    title = _("You already have access to this course")
    message = _("You can open “%(course)s” already. Nothing was charged.")
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
    message = _("You can't buy “%(course)s” right now.")
    severity = "info"
    icon = "info"
    action = Action(_("Browse courses"), href="/courses/")

    course: str


@dataclass(eq=False, kw_only=True)
class PriceChanged(AppError):
    code = "PRICE_CHANGED"
    status = 409
    title = _("The price has changed")
    message = _("The price has changed. Check the new total before you pay. Nothing was charged.")
    severity = "warning"
    icon = "info"
    action = Action(_("Show the new price"), handler="reload")


class CountryMissing(AppError):
    code = "COUNTRY_MISSING"
    status = 400
    title = _("Choose a country")
    message = _("Your country determines the tax in the price. Choose it to continue. Nothing was charged.")
    severity = "warning"
    icon = "info"


class TermsNotAccepted(AppError):
    code = "TERMS_NOT_ACCEPTED"
    status = 400
    title = _("Agree to the terms of sale")
    message = _("To buy, agree to the terms of sale.")
    severity = "warning"
    icon = "info"
