"""Customers: https://docs.stripe.com/api/customers."""

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import hidden, listing, page, public
from apps.billing.standin.resources import lifecycle, payment_methods
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

_TEXTS = ("email", "name", "description", "phone")
_ENDED = {"canceled", "incomplete_expired"}


@route("POST", "/v1/customers")
def create(work: Work, params: Params) -> Json:
    """Make a customer."""
    customer = work.new(
        "customer",
        {
            "address": None, "balance": 0, "currency": None, "default_source": None, "delinquent": False,
            "description": None, "discount": None, "email": None, "name": None, "phone": None, "shipping": None,
            "invoice_prefix": "STUDY", "next_invoice_sequence": 1, "preferred_locales": [], "tax_exempt": "none",
            "invoice_settings": {
                "custom_fields": None, "default_payment_method": None, "footer": None, "rendering_options": None,
            },
            "test_clock": None,
        },
    )  # fmt: skip
    _change(work, customer, params)
    if method := params.text("payment_method"):
        payment_methods.attach_to(work, method, customer["id"])
    work.emit("customer.created", work.save(customer))
    return customer


@route("POST", "/v1/customers/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change a customer."""
    customer = get(work, id)
    _change(work, customer, params)
    work.emit("customer.updated", work.save(customer))
    return customer


def _change(work: Work, customer: Json, params: Params) -> None:
    for name in _TEXTS:
        if params.has(name):
            customer[name] = params.text(name)
    for name in ("address", "shipping"):
        if params.has(name):
            customer[name] = params.plain(name) or None
    if params.has("preferred_locales"):
        customer["preferred_locales"] = params.words("preferred_locales")
    params.choice("tax_exempt", ["none"])
    if params.has("balance"):
        customer["balance"] = params.number("balance", 0)
    settings = params.inner("invoice_settings")
    settings.accept("custom_fields", "footer", "rendering_options")
    if settings.has("default_payment_method"):
        method = settings.text("default_payment_method")
        if method and payment_methods.find(work, method).get("customer") != customer["id"]:
            raise invalid(
                f"The customer does not have a payment method with the ID {method}. The payment method must be attached"
                " to the customer.",
                param="invoice_settings[default_payment_method]",
            )
        customer["invoice_settings"]["default_payment_method"] = method
    customer["metadata"] = params.merge_metadata(customer["metadata"])


def get(work: Work, id: str, param: str = "customer") -> Json:
    """The customer, who was not deleted."""
    customer = work.get(id, "customer", param)
    if customer.get("deleted"):
        raise invalid(f"No such customer: '{id}'", param=param, code="resource_missing", status=404)
    return customer


@route("GET", "/v1/customers/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A customer; a deleted one is a stub that says so."""
    customer = work.get(id, "customer")
    return {"id": id, "object": "customer", "deleted": True} if customer.get("deleted") else customer


@route("GET", "/v1/customers")
def index(work: Work, params: Params) -> Json:
    """Customers, newest first."""
    return listing(work, params, "customer", "/v1/customers", ["email"], _gone=None)


@route("DELETE", "/v1/customers/{id}")
def delete(work: Work, params: Params, id: str) -> Json:
    """Delete a customer; the payment methods go with it."""
    customer = get(work, id, "id")
    for subscription in list(work.rows("subscription", customer=id)):
        if subscription["status"] not in _ENDED:
            lifecycle.end(work, subscription, "cancellation_requested")
    for method in list(work.rows("payment_method", customer=id)):
        payment_methods.detach(work, Params(), method["id"])
    work.emit("customer.deleted", customer)
    customer |= {"deleted": True, "_gone": True}
    work.save(customer)
    return {"id": id, "object": "customer", "deleted": True}


@route("GET", "/v1/customers/{id}/sources")
def sources(work: Work, params: Params, id: str) -> Json:
    """Legacy sources: there are none."""
    params.accept("object", "limit", "starting_after")
    return page([], f"/v1/customers/{id}/sources")


@route("GET", "/v1/customers/{id}/tax_ids")
def tax_ids(work: Work, params: Params, id: str) -> Json:
    """Tax ids: there are none."""
    params.accept("limit", "starting_after")
    return page([], f"/v1/customers/{id}/tax_ids")


@hidden("customer", "subscriptions")
def _subscriptions(work: Work, customer: Json) -> Json:
    rows = [one for one in work.rows("subscription", customer=customer["id"]) if one["status"] not in _ENDED]
    return page(map(public, rows), f"/v1/customers/{customer['id']}/subscriptions")


@hidden("customer", "sources")
def _sources(work: Work, customer: Json) -> Json:
    return page([], f"/v1/customers/{customer['id']}/sources")


@hidden("customer", "tax_ids")
def _tax_ids(work: Work, customer: Json) -> Json:
    return page([], f"/v1/customers/{customer['id']}/tax_ids")
