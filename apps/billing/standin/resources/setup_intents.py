"""Setup intents, which save a card without charging it: https://docs.stripe.com/api/setup_intents."""

from collections.abc import Callable

from apps.billing.standin import cards
from apps.billing.standin.errors import Json, card_error
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.resources import intents, payment_methods
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

# Told about cards that were set up; subscriptions add themselves.
WATCHERS: list[Callable[[Work, Json], None]] = []
_OPEN = {"requires_payment_method", "requires_confirmation", "requires_action"}
_REFUSED = "We are unable to authenticate your payment method. Please choose a different payment method and try again."


@route("POST", "/v1/setup_intents")
def create(work: Work, params: Params) -> Json:
    """Make a setup intent; with ``confirm`` the card is set up at once."""
    customer = params.text("customer")
    if customer:
        work.get(customer, "customer", "customer")
    intent = new(work, customer, usage=params.choice("usage", ["off_session", "on_session"], "off_session"))
    _change(work, intent, params)
    work.emit("setup_intent.created", work.save(intent))
    return _confirm(work, params, intent) if params.flag("confirm") else intent


def new(work: Work, customer: str | None, *, usage: str | None = "off_session") -> Json:
    """Store a setup intent that waits for a card."""
    intent = work.new(
        "setup_intent",
        {
            "application": None, "attach_to_self": False, "automatic_payment_methods": None,
            "cancellation_reason": None,
            "client_secret": None, "customer": customer, "description": None, "excluded_payment_method_types": None,
            "flow_directions": None, "last_setup_error": None, "latest_attempt": None, "mandate": None,
            "next_action": None, "on_behalf_of": None, "payment_method": None,
            "payment_method_configuration_details": None,
            "payment_method_options": {"card": intents.CARD_OPTIONS},
            "payment_method_types": ["card"], "single_use_mandate": None, "status": "requires_payment_method",
            "usage": usage, "_authenticated": None,
        },
    )  # fmt: skip
    intent["client_secret"] = intents.client_secret(intent["id"])
    return work.save(intent)


def _change(work: Work, intent: Json, params: Params) -> None:
    intents.accept(params)
    params.accept("off_session", "return_url", "confirm", "usage", "customer")
    if params.has("description"):
        intent["description"] = params.text("description")
    intents.choose_method(work, params, intent)
    if intent["payment_method"] and intent["status"] == "requires_payment_method":
        intent["status"] = "requires_confirmation"
    intent["metadata"] = params.merge_metadata(intent["metadata"])


@route("POST", "/v1/setup_intents/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change an open setup intent."""
    intent = intents.get(work, params, id, "setup_intent")
    if intent["status"] not in _OPEN:
        raise intents.refuse_state(intent, "updated")
    _change(work, intent, params)
    return work.save(intent)


@route("POST", "/v1/setup_intents/{id}/confirm", is_public=True)
def confirm(work: Work, params: Params, id: str) -> Json:
    """Set the card up; the browser may send a new one."""
    intent = intents.get(work, params, id, "setup_intent")
    if intent["status"] not in _OPEN:
        raise intents.refuse_state(intent, "confirmed")
    intents.choose_method(work, params, intent)
    return _confirm(work, params, intent)


def _confirm(work: Work, params: Params, intent: Json) -> Json:
    intents.accept(params)
    params.accept("return_url", "off_session")
    if not intent["payment_method"]:
        raise intents.refuse_state(intent, "confirmed without a payment method")
    method = payment_methods.usable(work, intent["payment_method"], intent["customer"])
    if intents.needs_bank(work, intent, method, off_session=False):
        intents.ask_bank(work, intent, params)
        return intent
    return _finish(work, intent, method)


def _finish(work: Work, intent: Json, method: Json) -> Json:
    if refused := cards.refusal(method["card"], work.now, is_charge=False):
        code, decline_code, message = refused
        error = card_error(message, code, decline_code=decline_code)
        raise intents.failed(work, intent, method, error, "last_setup_error", "setup_intent.setup_failed")
    intents.keep_card(work, intent, method)
    intent |= {"status": "succeeded", "next_action": None, "last_setup_error": None, "payment_method": method["id"]}
    work.emit("setup_intent.succeeded", work.save(intent))
    for watcher in WATCHERS:
        watcher(work, intent)
    return intent


def authenticated(work: Work, intent: Json, *, accepts: bool) -> Json:
    """The cardholder answered the bank."""
    if intent["status"] != "requires_action":
        raise intents.refuse_state(intent, "authenticated")
    method = work.get(intent["payment_method"], "payment_method")
    if not accepts:
        error = card_error(_REFUSED, "setup_intent_authentication_failure")
        error.error["type"] = "invalid_request_error"
        raise intents.failed(work, intent, method, error, "last_setup_error", "setup_intent.setup_failed")
    intent["_authenticated"] = method["id"]
    return _finish(work, intent, method)


@route("POST", "/v1/setup_intents/{id}/cancel")
def cancel(work: Work, params: Params, id: str) -> Json:
    """Give up an open setup intent."""
    intent = intents.get(work, params, id, "setup_intent")
    if intent["status"] not in _OPEN:
        raise intents.refuse_state(intent, "canceled")
    reason = params.choice("cancellation_reason", ["abandoned", "requested_by_customer", "duplicate"])
    intent |= {"status": "canceled", "cancellation_reason": reason, "next_action": None}
    work.emit("setup_intent.canceled", work.save(intent))
    return intent


@route("GET", "/v1/setup_intents/{id}", is_public=True)
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A setup intent."""
    return intents.get(work, params, id, "setup_intent")


@route("GET", "/v1/setup_intents")
def index(work: Work, params: Params) -> Json:
    """Setup intents, newest first."""
    return listing(work, params, "setup_intent", "/v1/setup_intents", ["customer", "payment_method"])
