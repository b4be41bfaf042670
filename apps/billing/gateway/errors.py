"""What went wrong with a payment, in the words of the specification (section 8, "Payment provider error mapping").

This table is the only source: ``make contract`` writes it to TypeScript, so that an error that the browser meets first
reads the same.
"""

from dataclasses import dataclass
from typing import Literal

import stripe
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.errors import CardDeclined, PaymentProcessingError, PaymentRefused
from studyplatform.kit.errors import AppError

Kind = Literal[
    "card_error",
    "validation_error",
    "api_connection_error",
    "api_error",
    "authentication_error",
    "rate_limit_error",
    "other",
    "unknown",
    "plain",
]


@dataclass(frozen=True)
class Mapping:
    """How one kind of error reads. ``own_words``: the error's own message comes first, if it has one."""

    kind: Kind
    message: str | Promise
    own_words: bool = False


MAPPINGS = {
    one.kind: one
    for one in (
        Mapping("card_error", _("Your card was declined"), own_words=True),
        Mapping("validation_error", _("Invalid payment information provided")),
        Mapping("api_connection_error", _("Network error occurred. Please try again")),
        Mapping("api_error", _("A server error occurred. Please try again")),
        Mapping("authentication_error", _("Authentication with payment provider failed")),
        Mapping("rate_limit_error", _("Too many requests. Please wait and try again")),
        Mapping("other", _("Payment processing error"), own_words=True),
        Mapping("unknown", _("An unknown error occurred")),
        Mapping("plain", _("An unexpected error occurred"), own_words=True),
    )
}


def payment_message(kind: str, own: str = "") -> str:
    """Return the message for an error of this kind, whose own message is ``own``.

    A kind that the table does not have reads as "other".
    """
    mapping = MAPPINGS.get(kind, MAPPINGS["other"])  # type: ignore[call-overload]
    return own if mapping.own_words and own else str(mapping.message)


def kind_of(error: BaseException | None) -> Kind:
    """Return the kind of an error, by the classes of stripe-python (https://docs.stripe.com/api/errors)."""
    if error is None:
        return "unknown"
    if not isinstance(error, stripe.StripeError):
        return "plain"
    for kinds, kind in _KINDS:
        if isinstance(error, kinds):
            return kind
    return "other"


_KINDS: tuple[tuple[type[stripe.StripeError], Kind], ...] = (
    (stripe.CardError, "card_error"),
    (stripe.RateLimitError, "rate_limit_error"),  # before its base class InvalidRequestError
    (stripe.InvalidRequestError, "validation_error"),
    (stripe.APIConnectionError, "api_connection_error"),
    (stripe.AuthenticationError, "authentication_error"),
    (stripe.PermissionError, "authentication_error"),
    (stripe.APIError, "api_error"),
)


def describe(error: BaseException | None) -> str:
    """Return what a user reads about this error."""
    own = (error.user_message if isinstance(error, stripe.StripeError) else str(error)) if error else None
    return payment_message(kind_of(error), own or "")


def refusal_of(error: stripe.StripeError) -> AppError:
    """Return the refusal of the catalog for an error of the provider."""
    text = describe(error)
    if isinstance(error, stripe.CardError):
        return CardDeclined(reason=text)
    if isinstance(error, stripe.InvalidRequestError):
        return PaymentRefused(reason=text)
    return PaymentProcessingError(reason=text)


def code_of(error: stripe.StripeError) -> str:
    """Return the provider's code of an error; "" if it has none. stripe-python leaves some in the answer alone."""
    return error.code or (error.error.code if error.error is not None else None) or ""


def is_refusal(error: Exception) -> bool:
    """Whether the provider answered that it doesn't do what it was asked, for example because an object is gone."""
    return isinstance(error, stripe.InvalidRequestError | stripe.PermissionError)


def is_about_one_object(error: AppError) -> bool:
    """Whether the provider answered, and failed at what it was asked: other objects may be fine."""
    return isinstance(error.__cause__, stripe.APIError)
