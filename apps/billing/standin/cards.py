"""Stripe's published test cards and how they behave: https://docs.stripe.com/testing.

A number is looked up once, when a payment method is made; what is stored is the brand, the last four digits, the
expiry and the name of the behavior. The number itself is never stored.
"""

import re
import time
from dataclasses import dataclass
from typing import Any

from apps.billing.standin.errors import ApiError, Json, card_error, invalid


@dataclass(frozen=True)
class PublishedCard:
    """A card: its brand, and what happens with it (see :data:`DECLINES` and the flags of authentication)."""

    brand: str
    behavior: str = "ok"
    name: str = ""  # Stripe's name for the ready-made payment method, e.g. pm_card_visa
    last4: str = ""


_BANK_THEN_DECLINE = "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds"
CARDS = {
    "4242424242424242": PublishedCard("visa", name="pm_card_visa"),
    "4000056655665556": PublishedCard("visa", name="pm_card_visa_debit"),
    "5555555555554444": PublishedCard("mastercard", name="pm_card_mastercard"),
    "5105105105105100": PublishedCard("mastercard", name="pm_card_mastercard_prepaid"),
    "378282246310005": PublishedCard("amex", name="pm_card_amex"),
    "4000000000000002": PublishedCard("visa", "card_declined", "pm_card_visa_chargeDeclined"),
    "4000000000009995": PublishedCard("visa", "insufficient_funds", "pm_card_visa_chargeDeclinedInsufficientFunds"),
    "4000000000009987": PublishedCard("visa", "lost_card", "pm_card_visa_chargeDeclinedLostCard"),
    "4000000000009979": PublishedCard("visa", "stolen_card", "pm_card_visa_chargeDeclinedStolenCard"),
    "4000000000000069": PublishedCard("visa", "expired_card", "pm_card_chargeDeclinedExpiredCard"),
    "4000000000000127": PublishedCard("visa", "incorrect_cvc", "pm_card_chargeDeclinedIncorrectCvc"),
    "4000000000000119": PublishedCard("visa", "processing_error", "pm_card_chargeDeclinedProcessingError"),
    "4000000000000341": PublishedCard("visa", "fails_later", "pm_card_chargeCustomerFail"),
    "4000000000000259": PublishedCard("visa", "disputed", "pm_card_createDispute"),
    "4000000000002685": PublishedCard("visa", "disputed_not_received", "pm_card_createDisputeProductNotReceived"),
    "4000000000001976": PublishedCard("visa", "inquiry", "pm_card_createDisputeInquiry"),
    "4000000000005423": PublishedCard("visa", "fraud_warning", "pm_card_createIssuerFraudRecord"),
    "4000000000007726": PublishedCard("visa", "refund_pending", "pm_card_pendingRefund"),
    "4000000000005126": PublishedCard("visa", "refund_fails", "pm_card_refundFail"),
    "4000000000003220": PublishedCard("visa", "authenticate", "pm_card_threeDSecure2Required"),
    "4000002500003155": PublishedCard("visa", "authenticate", "pm_card_authenticationRequired"),
    "4000002760003184": PublishedCard("visa", "always_authenticate", "pm_card_authenticationRequiredAlways"),
    "4000008260003178": PublishedCard("visa", "authenticate_then_decline", _BANK_THEN_DECLINE),
}
_BY_TOKEN = {card.name: number for number, card in CARDS.items()} | {
    "pm_card_chargeDeclined": "4000000000000002",
    "pm_card_chargeDeclinedInsufficientFunds": "4000000000009995",
}

# code, decline_code, message
_GENERIC = ("card_declined", "generic_decline", "Your card was declined.")
_FUNDS = ("card_declined", "insufficient_funds", "Your card has insufficient funds.")
DECLINES: dict[str, tuple[str, str | None, str]] = {
    "card_declined": _GENERIC,
    "insufficient_funds": _FUNDS,
    "lost_card": ("card_declined", "lost_card", "Your card was declined."),
    "stolen_card": ("card_declined", "stolen_card", "Your card was declined."),
    "expired_card": ("expired_card", None, "Your card has expired."),
    "incorrect_cvc": ("incorrect_cvc", None, "Your card's security code is incorrect."),
    "processing_error": (
        "processing_error", None, "An error occurred while processing your card. Try again in a little bit.",
    ),
}  # fmt: skip
_ONLY_WHEN_CHARGED = {"fails_later": _GENERIC, "authenticate_then_decline": _FUNDS}


def refusal(card: Json, now: int, *, is_charge: bool) -> tuple[str, str | None, str] | None:
    """Why the bank refuses the card now (code, decline code, message), or None.

    A card can be attached that fails only when it is charged.
    """
    behavior = card["_behavior"]
    if found := DECLINES.get(behavior):
        return found
    if is_charge and (found := _ONLY_WHEN_CHARGED.get(behavior)):
        return found
    return DECLINES["expired_card"] if has_expired(card["exp_month"], card["exp_year"], now) else None


def needs_authentication(card: Json, *, off_session: bool, is_set_up: bool) -> bool:
    """Whether the bank wants 3-D Secure.

    3155 and 3220 want it whenever the cardholder is there, and for payments without them unless the card was set up.
    """
    behavior = card["_behavior"]
    if behavior == "always_authenticate":
        return True
    if behavior in {"authenticate", "authenticate_then_decline"}:
        return not (off_session and is_set_up)
    return False


def has_expired(month: int, year: int, now: int) -> bool:
    """Whether the card's last month is over."""
    today = time.gmtime(now)
    return (year, month) < (today.tm_year, today.tm_mon)


def token_number(name: str) -> str | None:
    """The number behind one of Stripe's ready-made payment methods, e.g. ``pm_card_visa``."""
    return _BY_TOKEN.get(name)


def details(number: str, month: int, year: int, now: int) -> Json:
    """What a payment method keeps of a card.

    :raises ApiError: the number or the expiry is not valid, or it is a real card.
    """
    number = re.sub(r"[ -]", "", number)
    if not re.fullmatch(r"\d{12,19}", number) or not _luhn(number):
        raise card_error("Your card number is incorrect.", "incorrect_number", param="number")
    if not 1 <= month <= 12:
        raise card_error("Your card's expiration month is invalid.", "invalid_expiry_month", param="exp_month")
    year += 2000 if year < 100 else 0
    if has_expired(month, year, now) or year > time.gmtime(now).tm_year + 50:
        raise card_error("Your card's expiration year is invalid.", "invalid_expiry_year", param="exp_year")
    card = CARDS.get(number)
    if card is None:
        message = "Your card was declined. Your request was in test mode, but used a non test card."
        raise card_error(message, "card_declined", decline_code="test_mode_live_card")
    return {
        "brand": card.brand, "display_brand": card.brand, "last4": number[-4:], "exp_month": month, "exp_year": year,
        "funding": "credit", "country": "US", "fingerprint": f"standin{card.behavior}{number[-4:]}"[:40],
        "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"},
        "networks": {"available": [card.brand], "preferred": None}, "three_d_secure_usage": {"supported": True},
        "generated_from": None, "wallet": None, "regulated_status": "unregulated", "_behavior": card.behavior,
    }  # fmt: skip


def refuse_raw_card() -> ApiError:
    """What Stripe answers to a server that sends card numbers."""
    return invalid(
        "Sending credit card numbers directly to the Stripe API is generally unsafe. Use Stripe.js or one of the test"
        " payment methods, such as pm_card_visa.",
        param="card[number]",
    )


def redacted(value: Any) -> Any:
    """The values of a form without card numbers and security codes, so that nothing derived from them is stored."""
    if isinstance(value, dict):
        return {key: redacted(one) for key, one in value.items() if key not in {"number", "cvc"}}
    return value


def _luhn(number: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1)."""
    digits = [int(one) for one in number[::-1]]
    return sum(digits[0::2] + [sum(divmod(2 * one, 10)) for one in digits[1::2]]) % 10 == 0
