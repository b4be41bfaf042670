"""Payment methods, which are cards here: https://docs.stripe.com/api/payment_methods."""

import time
from typing import Any

from apps.billing.standin import cards
from apps.billing.standin.errors import Json, card_error, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

_SPENT = (
    "This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and"
    " may not be used again."
)
YEARS_LEFT = 4  # of the ready-made cards


@route("POST", "/v1/payment_methods", is_public=True)
def create(work: Work, params: Params) -> Json:
    """Make a payment method of a card's data, which only the browser may send."""
    return from_data(work, params)


def from_data(work: Work, params: Params) -> Json:
    """A payment method of ``card[number]``, ``card[exp_month]``, ``card[exp_year]``, ``card[cvc]``."""
    params.choice("type", ["card"], "card")
    params.accept("allow_redisplay")
    card = params.inner("card")
    card.accept("cvc")
    if params.is_secret:
        raise cards.refuse_raw_card()
    month, year = card.number("exp_month") or 0, card.number("exp_year") or 0
    found = cards.details(card.required("number"), month, year, work.now)
    return new(work, found, params.plain("billing_details"), params.merge_metadata({}))


def new(work: Work, card: Json, billing: Json | None = None, metadata: Json | None = None) -> Json:
    """Store a payment method that belongs to nobody yet."""
    details: Json = {"address": None, "email": None, "name": None, "phone": None, "tax_id": None, **(billing or {})}
    values = {
        "type": "card", "card": card, "billing_details": details, "customer": None, "allow_redisplay": "unspecified",
        "metadata": metadata or {}, "radar_options": {}, "_set_up": False, "_spent": False,
    }  # fmt: skip
    return work.new("payment_method", values)


def find(work: Work, id: str, param: str = "payment_method") -> Json:
    """The payment method; the name of a ready-made one (``pm_card_visa``) makes a new one of its kind."""
    number = cards.token_number(id)
    if number is None:
        return work.get(id, "payment_method", param)
    year = time.gmtime(work.now).tm_year + YEARS_LEFT
    return new(work, cards.details(number, 12, year, work.now))


def usable(work: Work, id: str, customer: str | None) -> Json:
    """The payment method, for a payment of this customer.

    :raises ApiError: it belongs to somebody else, or was used up.
    """
    method = find(work, id)
    if method["_spent"] and not method["customer"]:
        raise invalid(_SPENT, param="payment_method")
    if method["customer"] and method["customer"] != customer:
        raise invalid(
            f"The payment method {method['id']} belongs to a customer. Provide the customer it belongs to.",
            param="payment_method",
        )
    return method


def attach_to(work: Work, id: str, customer: str) -> Json:
    """Attach a payment method to a customer, as a setup does after the bank agreed."""
    method = find(work, id)
    if method["customer"] == customer:
        return method
    if method["customer"] or method["_spent"]:
        raise invalid(
            _SPENT if method["_spent"] else "The payment method you provided has already been attached to a customer."
        )
    method["customer"] = customer
    work.emit("payment_method.attached", work.save(method))
    return method


@route("POST", "/v1/payment_methods/{id}/attach")
def attach(work: Work, params: Params, id: str) -> Json:
    """Attach after asking the bank: a card that it refuses cannot be attached."""
    customer = work.get(params.required("customer"), "customer", "customer")
    method = find(work, id)
    if refused := cards.refusal(method["card"], work.now, is_charge=False):
        raise declined(refused, payment_method=None)
    return attach_to(work, method["id"], customer["id"])


def declined(refused: tuple[str, str | None, str], **more: Any) -> Exception:
    """The card error for a refusal of :func:`cards.refusal`."""
    code, decline_code, message = refused
    return card_error(message, code, decline_code=decline_code, **{k: v for k, v in more.items() if v is not None})


@route("POST", "/v1/payment_methods/{id}/detach")
def detach(work: Work, params: Params, id: str) -> Json:
    """Detach from the customer; it cannot be used again."""
    method = work.get(id, "payment_method")
    if not method["customer"]:
        raise invalid("The payment method you provided is not attached to a customer so detachment is impossible.")
    customer = work.get(method["customer"], "customer")
    if customer["invoice_settings"]["default_payment_method"] == id:
        customer["invoice_settings"]["default_payment_method"] = None
        work.emit("customer.updated", work.save(customer))
    former = method["customer"]
    method |= {"customer": None, "_spent": True}
    event = work.emit("payment_method.detached", work.save(method))
    event["data"]["previous_attributes"] = {"customer": former}
    work.save(event)
    return method


@route("POST", "/v1/payment_methods/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the billing details or the expiry."""
    method = work.get(id, "payment_method")
    method["billing_details"] |= params.plain("billing_details")
    card = params.inner("card")
    for name in ("exp_month", "exp_year"):
        if (value := card.number(name)) is not None:
            method["card"][name] = value
    params.accept("allow_redisplay")
    method["metadata"] = params.merge_metadata(method["metadata"])
    work.emit("payment_method.updated", work.save(method))
    return method


@route("GET", "/v1/payment_methods/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A payment method."""
    return work.get(id, "payment_method")


@route("GET", "/v1/payment_methods")
def index(work: Work, params: Params) -> Json:
    """The payment methods of a customer."""
    params.choice("type", ["card"])
    params.required("customer")
    return listing(work, params, "payment_method", "/v1/payment_methods", ["customer"])


@route("GET", "/v1/customers/{id}/payment_methods")
def of_customer(work: Work, params: Params, id: str) -> Json:
    """The payment methods of the customer in the address."""
    params.choice("type", ["card"])
    work.get(id, "customer")
    return listing(work, params, "payment_method", f"/v1/customers/{id}/payment_methods", customer=id)


@route("GET", "/v1/customers/{id}/payment_methods/{method}")
def one_of_customer(work: Work, params: Params, id: str, method: str) -> Json:
    """One payment method of the customer in the address."""
    found = work.get(method, "payment_method")
    return found if found["customer"] == id else work.get(None, "payment_method")
