"""The provider's reasons for disputes and for refunds that failed, in words.

See https://docs.stripe.com/disputes/categories and https://docs.stripe.com/refunds#failed-refunds. Reasons that the
provider adds later are shown as it writes them.
"""

from typing import Any

from django.utils.translation import gettext_lazy as _

_DISPUTES: dict[str, Any] = {
    "bank_cannot_process": _("The bank couldn't process the payment"),
    "check_returned": _("The check was returned"),
    "credit_not_processed": _("A promised refund hasn't arrived"),
    "customer_initiated": _("The cardholder asked their bank"),
    "debit_not_authorized": _("The debit wasn't authorized"),
    "duplicate": _("Charged twice"),
    "fraudulent": _("The cardholder says they didn't pay"),
    "general": _("No reason given"),
    "incorrect_account_details": _("Wrong account details"),
    "insufficient_funds": _("Not enough money on the account"),
    "noncompliant": _("Against the rules of the card network"),
    "product_not_received": _("The course couldn't be opened"),
    "product_unacceptable": _("The course isn't as described"),
    "subscription_canceled": _("The subscription was canceled"),
    "unrecognized": _("The cardholder doesn't recognize the payment"),
}
_FAILED_REFUNDS: dict[str, Any] = {
    "charge_for_pending_refund_disputed": _("the payment is disputed"),
    "declined": _("the bank declined it"),
    "expired_or_canceled_card": _("the card has expired or was canceled"),
    "insufficient_funds": _("not enough money at the provider"),
    "lost_or_stolen_card": _("the card was reported lost or stolen"),
    "merchant_request": _("it was canceled"),
    "unknown": _("no reason given"),
}


def explain_dispute(reason: str) -> str:
    """Return a reason for a dispute as admins read it."""
    return str(_DISPUTES.get(reason) or reason.replace("_", " ").capitalize() or _DISPUTES["general"])


def explain_failed_refund(reason: str) -> str:
    """Return why a refund failed, to be written within a sentence."""
    return str(_FAILED_REFUNDS.get(reason) or reason.replace("_", " ") or _FAILED_REFUNDS["unknown"])
