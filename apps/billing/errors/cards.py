"""Refusals about saved cards."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


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
    title = _("Premium uses this card")
    message = _("Premium uses this card, and you have no other. Add another card first, then remove this one.")
    severity = "warning"
    icon = "credit-card"


class TooManyCards(AppError):
    code = "TOO_MANY_CARDS"
    status = 409
    title = _("Too many cards")
    message = _("You can save up to 10 cards. Remove one to add another.")
    severity = "warning"
    icon = "credit-card"
