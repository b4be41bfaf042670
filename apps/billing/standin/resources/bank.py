"""The cardholder's answer to the bank (3-D Secure): https://docs.stripe.com/payments/3d-secure."""

from urllib.parse import urlencode

from apps.billing.standin.errors import ApiError, Json, missing
from apps.billing.standin.resources import payment_intents, setup_intents
from apps.billing.standin.work import Work


def waiting(work: Work, id: str, secret: str | None = None) -> Json:
    """The payment intent or setup intent with this id, and with this client secret if one is given.

    :raises ApiError: there is none.
    """
    intent = work.find(id)
    is_intent = intent is not None and intent["object"] in {"payment_intent", "setup_intent"}
    if intent is None or not is_intent or secret not in {None, intent["client_secret"]}:
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


def back_to(url: str, intent: Json) -> str:
    """The shop's address with what Stripe adds to it after a redirect."""
    kind = intent["object"]
    status = "succeeded" if intent["status"] == "succeeded" else "failed"
    told = {kind: intent["id"], f"{kind}_client_secret": intent["client_secret"], "redirect_status": status}
    return f"{url}{'&' if '?' in url else '?'}{urlencode(told)}"
