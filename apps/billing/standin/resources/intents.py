"""What payment intents and setup intents share: client secrets, the card to use, the bank's question (3-D Secure).

https://docs.stripe.com/payments/3d-secure/authentication-flow
"""

import secrets

from apps.billing.standin import cards
from apps.billing.standin.errors import ApiError, Json, invalid, missing
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import public
from apps.billing.standin.resources import payment_methods
from apps.billing.standin.work import Work

NAMES = {"payment_intent": "PaymentIntent", "setup_intent": "SetupIntent"}
CARD_OPTIONS: Json = {"installments": None, "network": None, "request_three_d_secure": "automatic"}
_ACCEPTED = (
    "automatic_payment_methods", "payment_method_types", "mandate_data", "mandate", "payment_method_options",
    "use_stripe_sdk", "expected_payment_method_type", "radar_options", "error_on_requires_action", "client_context",
)  # fmt: skip


def accept(params: Params) -> None:
    """Parameters that are fine and change nothing, because cards are the only method."""
    params.accept(*_ACCEPTED)


def client_secret(id: str) -> str:
    """The secret that lets a browser work with one intent."""
    return f"{id}_secret_{secrets.token_hex(12)}"


def get(work: Work, params: Params, id: str, kind: str) -> Json:
    """The intent; a browser must know its client secret.

    :raises ApiError: there is none, or the secret is another's.
    """
    given = params.text("client_secret")
    intent = work.get(id, kind, "intent")
    if (given and given != intent["client_secret"]) or (not given and not params.is_secret):
        raise missing(kind, id, "intent")
    return intent


def refuse_state(intent: Json, action: str) -> ApiError:
    """The intent's status does not allow the action."""
    kind, name = intent["object"], NAMES[intent["object"]]
    message = f"This {name}'s status is {intent['status']}, so it cannot be {action}."
    error = invalid(message, code=f"{kind}_unexpected_state")
    error.error[kind] = public(intent)
    return error


def choose_method(work: Work, params: Params, intent: Json) -> None:
    """Take the payment method that the call names, or the card that the browser sent."""
    if params.has("payment_method_data"):
        intent["payment_method"] = payment_methods.from_data(work, params.inner("payment_method_data"))["id"]
    elif id := params.text("payment_method"):
        intent["payment_method"] = payment_methods.usable(work, id, intent["customer"])["id"]


def ask_bank(work: Work, intent: Json, params: Params) -> None:
    """Wait for the cardholder: the browser shows the bank's page, or goes there if a ``return_url`` is given."""
    intent["status"] = "requires_action"
    back = params.text("return_url")
    if back and not params.flag("use_stripe_sdk"):
        url = f"{work.standin.address}/bank/{intent['id']}?client_secret={intent['client_secret']}&back=1"
        intent["next_action"] = {"type": "redirect_to_url", "redirect_to_url": {"url": url, "return_url": back}}
    else:
        url = f"{work.standin.address}/bank/{intent['id']}?client_secret={intent['client_secret']}"
        intent["next_action"] = {
            "type": "use_stripe_sdk",
            "use_stripe_sdk": {"type": "three_d_secure_redirect", "stripe_js": url, "source": intent["id"]},
        }
    work.emit(f"{intent['object']}.requires_action", work.save(intent))


def needs_bank(work: Work, intent: Json, method: Json, *, off_session: bool) -> bool:
    """Whether the bank must ask the cardholder first."""
    if intent["_authenticated"] == method["id"]:
        return False
    return cards.needs_authentication(method["card"], off_session=off_session, is_set_up=method["_set_up"])


def failed(work: Work, intent: Json, method: Json, error: ApiError, field: str, event: str) -> ApiError:
    """Note the failure in the intent, which needs another payment method now; returns the error to raise."""
    shown = {name: value for name, value in error.error.items() if name != "doc_url"}
    kept = {**shown, "payment_method": public(method)}
    intent |= {field: kept, "status": "requires_payment_method", "payment_method": None, "next_action": None}
    intent["_authenticated"] = None
    if not method["customer"]:
        method["_spent"] = True
        work.save(method)
    work.emit(event, work.save(intent))
    error.error |= {"payment_method": public(method), intent["object"]: public(intent)}
    return error


def keep_card(work: Work, intent: Json, method: Json) -> None:
    """Attach the card to the customer and remember that its owner agreed to later payments."""
    if intent["customer"] and not method["customer"]:
        payment_methods.attach_to(work, method["id"], intent["customer"])
    method["_set_up"] = True
    work.save(method)
