"""The cardholder's answer to the bank (3-D Secure): https://docs.stripe.com/payments/3d-secure."""

from apps.billing.standin.errors import ApiError, Json, missing
from apps.billing.standin.resources import payment_intents, setup_intents
from apps.billing.standin.work import Work


def waiting(work: Work, id: str) -> Json:
    """The payment intent or setup intent with this id.

    :raises ApiError: there is none.
    """
    intent = work.find(id)
    if intent is None or intent["object"] not in {"payment_intent", "setup_intent"}:
        raise missing("intent", id)
    return intent


def answered(work: Work, id: str, *, accepts: bool) -> Json:
    """Go on with the intent after the cardholder accepted or refused; returns the intent."""
    intent = waiting(work, id)
    try:
        if intent["object"] == "payment_intent":
            return payment_intents.authenticated(work, intent, accepts=accepts)
        return setup_intents.authenticated(work, intent, accepts=accepts)
    except ApiError as error:
        if not error.keeps:
            raise
        return intent
