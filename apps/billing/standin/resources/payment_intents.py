"""Payment intents: https://docs.stripe.com/api/payment_intents and their states https://docs.stripe.com/payments/paymentintents/lifecycle."""

from collections.abc import Callable

from apps.billing.standin.errors import Json, card_error, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.resources import charges, intents, payment_methods
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

_OPEN = {"requires_payment_method", "requires_confirmation", "requires_action"}
_REASONS = ("duplicate", "fraudulent", "requested_by_customer", "abandoned")
_TEXTS = ("description", "receipt_email", "statement_descriptor", "transfer_group")
_MINIMUM = 50  # minor units; Stripe takes no less than about 50 cents
_REFUSED = "We are unable to authenticate your payment method. Please choose a different payment method and try again."
_AUTHENTICATE = "Your card was declined. This transaction requires authentication."

# Told about the outcome of a payment that belongs to an invoice; the module of invoices adds itself.
WATCHERS: list[Callable[[Work, Json], None]] = []


@route("POST", "/v1/payment_intents")
def create(work: Work, params: Params) -> Json:
    """Make a payment intent; with ``confirm`` the card is charged at once."""
    customer = params.text("customer")
    if customer:
        work.get(customer, "customer", "customer")
    amount, currency = params.amount("amount"), params.required("currency").lower()
    intent = new(work, amount, currency, customer)
    _change(work, intent, params)
    work.emit("payment_intent.created", work.save(intent))
    return _confirm(work, params, intent) if params.flag("confirm") else intent


def new(work: Work, amount: int, currency: str, customer: str | None) -> Json:
    """Store a payment intent that waits for a payment method."""
    if amount < _MINIMUM:
        message = f"Amount must be at least {_MINIMUM} of the currency's minor unit."
        raise invalid(message, param="amount", code="amount_too_small")
    intent = work.new(
        "payment_intent",
        {
            "amount": amount, "amount_capturable": 0, "amount_details": {"tip": {}}, "amount_received": 0,
            "application": None, "application_fee_amount": None, "automatic_payment_methods": None, "canceled_at": None,
            "cancellation_reason": None, "capture_method": "automatic_async", "client_secret": None,
            "confirmation_method": "automatic", "currency": currency, "customer": customer, "description": None,
            "excluded_payment_method_types": None, "last_payment_error": None, "latest_charge": None,
            "next_action": None,
            "on_behalf_of": None, "payment_method": None,
            "payment_method_configuration_details": None,
            "payment_method_options": {"card": intents.CARD_OPTIONS},
            "payment_method_types": ["card"], "processing": None, "receipt_email": None, "review": None,
            "setup_future_usage": None, "shipping": None, "source": None, "statement_descriptor": None,
            "statement_descriptor_suffix": None, "status": "requires_payment_method", "transfer_data": None,
            "transfer_group": None, "_authenticated": None, "_off_session": False, "_invoice": None,
        },
    )  # fmt: skip
    intent["client_secret"] = intents.client_secret(intent["id"])
    return work.save(intent)


def _change(work: Work, intent: Json, params: Params) -> None:
    intents.accept(params)
    params.accept("confirm", "customer", "off_session", "return_url")
    params.choice("capture_method", ["automatic", "automatic_async"])
    params.choice("confirmation_method", ["automatic"])
    intent["currency"] = (params.text("currency") or intent["currency"]).lower()
    for name in _TEXTS:
        if params.has(name):
            intent[name] = params.text(name)
    if params.has("shipping"):
        intent["shipping"] = params.plain("shipping")
    if params.has("amount"):
        intent["amount"] = params.amount("amount")
    if params.has("setup_future_usage"):
        intent["setup_future_usage"] = params.choice("setup_future_usage", ["off_session", "on_session"])
    intents.choose_method(work, params, intent)
    if intent["payment_method"] and intent["status"] == "requires_payment_method":
        intent["status"] = "requires_confirmation"
    intent["metadata"] = params.merge_metadata(intent["metadata"])


@route("POST", "/v1/payment_intents/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change an open payment intent; the amount cannot change once the bank was asked."""
    intent = intents.get(work, params, id, "payment_intent")
    touches = [
        name for name in params.names() if name not in {"metadata", "description", "receipt_email", "transfer_group"}
    ]
    if touches and intent["status"] not in _OPEN:
        raise intents.refuse_state(intent, "updated")
    if params.has("customer"):
        intent["customer"] = work.get(params.required("customer"), "customer", "customer")["id"]
    if intent["status"] == "requires_action" and params.has("amount") and params.number("amount") != intent["amount"]:
        intent |= {"status": "requires_confirmation", "next_action": None, "_authenticated": None}
    _change(work, intent, params)
    return work.save(intent)


@route("POST", "/v1/payment_intents/{id}/confirm", is_public=True)
def confirm(work: Work, params: Params, id: str) -> Json:
    """Charge the card; the browser may send a new one."""
    intent = intents.get(work, params, id, "payment_intent")
    if intent["status"] not in _OPEN:
        raise intents.refuse_state(intent, "confirmed")
    if params.has("setup_future_usage"):
        intent["setup_future_usage"] = params.choice("setup_future_usage", ["off_session", "on_session"])
    if params.has("receipt_email"):
        intent["receipt_email"] = params.text("receipt_email")
    intents.choose_method(work, params, intent)
    return _confirm(work, params, intent)


def _confirm(work: Work, params: Params, intent: Json) -> Json:
    intents.accept(params)
    params.accept("return_url", "off_session")
    if not intent["payment_method"]:
        message = "You cannot confirm this PaymentIntent because it's missing a payment method."
        raise invalid(message, code="payment_intent_unexpected_state")
    intent["_off_session"] = params.text("off_session", "false") not in {"false", None}
    method = payment_methods.usable(work, intent["payment_method"], intent["customer"])
    if intents.needs_bank(work, intent, method, off_session=intent["_off_session"]):
        if intent["_off_session"]:
            error = card_error(_AUTHENTICATE, "authentication_required", decline_code="authentication_required")
            raise _failed(work, intent, method, error)
        intents.ask_bank(work, intent, params)
        _tell(work, intent)
        return intent
    return _charge(work, intent, method)


def _charge(work: Work, intent: Json, method: Json) -> Json:
    charge, refused = charges.charge(work, intent, method)
    intent["latest_charge"] = charge["id"]
    if refused:
        code, decline_code, message = refused
        error = card_error(message, code, decline_code=decline_code, charge=charge["id"])
        raise _failed(work, intent, method, error)
    if intent["setup_future_usage"] or intent["_invoice"]:
        intents.keep_card(work, intent, method)
    elif not method["customer"]:
        method["_spent"] = True
        work.save(method)
    intent |= {
        "amount_received": intent["amount"], "last_payment_error": None, "next_action": None,
        "payment_method": method["id"],
        "status": "succeeded",
    }  # fmt: skip
    work.emit("payment_intent.succeeded", work.save(intent))
    _tell(work, intent)
    return intent


def _failed(work: Work, intent: Json, method: Json, error: Exception) -> Exception:
    raised = intents.failed(work, intent, method, error, "last_payment_error", "payment_intent.payment_failed")  # type: ignore[arg-type]
    _tell(work, intent)
    return raised


def _tell(work: Work, intent: Json) -> None:
    for watcher in WATCHERS:
        watcher(work, intent)


def authenticated(work: Work, intent: Json, *, accepts: bool) -> Json:
    """The cardholder answered the bank."""
    if intent["status"] != "requires_action":
        raise intents.refuse_state(intent, "authenticated")
    method = work.get(intent["payment_method"], "payment_method")
    if not accepts:
        error = card_error(_REFUSED, "payment_intent_authentication_failure")
        error.error["type"] = "invalid_request_error"
        raise _failed(work, intent, method, error)
    intent["_authenticated"] = method["id"]
    return _charge(work, intent, method)


def pay(work: Work, intent: Json, method_id: str | None, *, off_session: bool) -> Json:
    """Try to pay an invoice's intent with a saved card.

    :raises ApiError: the bank refused; the intent then waits for another payment method.
    """
    values = {"off_session": "true" if off_session else "false"}
    intent["payment_method"] = method_id
    return _confirm(work, Params(values), intent)


@route("POST", "/v1/payment_intents/{id}/cancel")
def cancel(work: Work, params: Params, id: str) -> Json:
    """Give up an open payment intent."""
    intent = intents.get(work, params, id, "payment_intent")
    if intent["status"] not in _OPEN:
        raise intents.refuse_state(intent, "canceled")
    close(work, intent, params.choice("cancellation_reason", _REASONS))
    return intent


def close(work: Work, intent: Json, reason: str | None) -> None:
    """Cancel an open intent."""
    intent |= {"status": "canceled", "canceled_at": work.now, "cancellation_reason": reason, "next_action": None}
    work.emit("payment_intent.canceled", work.save(intent))


@route("GET", "/v1/payment_intents/{id}", is_public=True)
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A payment intent."""
    return intents.get(work, params, id, "payment_intent")


@route("GET", "/v1/payment_intents")
def index(work: Work, params: Params) -> Json:
    """Payment intents, newest first."""
    return listing(work, params, "payment_intent", "/v1/payment_intents", ["customer"])
