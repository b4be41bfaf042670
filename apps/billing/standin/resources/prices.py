"""Prices: https://docs.stripe.com/api/prices."""

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import hidden, listing
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("POST", "/v1/prices")
def create(work: Work, params: Params) -> Json:
    """Make a price of a product, or of ``product_data``."""
    product = params.text("product")
    if product is None:
        data = params.inner("product_data")
        made = work.new(
            "product",
            {
                "active": True, "attributes": [], "default_price": None, "description": None, "images": [],
                "marketing_features": [], "name": data.required("name"), "package_dimensions": None, "shippable": None,
                "statement_descriptor": None, "tax_code": None, "type": "service", "unit_label": None,
                "updated": work.now, "url": None, "metadata": data.merge_metadata({}),
            },
        )  # fmt: skip
        work.emit("product.created", made)
        product = made["id"]
    return new(work, params, work.get(product, "product", "product")["id"])


def new(work: Work, params: Params, product: str) -> Json:
    """Store a price: one-time, or recurring with ``recurring[interval]``."""
    params.required("unit_amount")
    amount = params.number("unit_amount") or 0
    if amount < 0:
        raise invalid("Invalid non-negative integer", param="unit_amount", code="parameter_invalid_integer")
    recurring = None
    if params.has("recurring"):
        given = params.inner("recurring")
        given.required("interval")
        recurring = {
            "interval": given.choice("interval", ["day", "week", "month", "year"]),
            "interval_count": given.number("interval_count", 1),
            "usage_type": given.choice("usage_type", ["licensed"], "licensed"),
            "meter": None,
            "trial_period_days": None,
        }
    lookup_key = params.text("lookup_key")
    if lookup_key and (former := next(work.rows("price", lookup_key=lookup_key), None)):
        if not params.flag("transfer_lookup_key"):
            message = f"A price (`{former['id']}`) already uses that lookup key."
            raise invalid(message, param="lookup_key", code="resource_already_exists")
        former["lookup_key"] = None
        work.emit("price.updated", work.save(former))
    params.flag("transfer_lookup_key")
    price = work.new(
        "price",
        {
            "active": params.flag("active", default=True), "billing_scheme": "per_unit",
            "currency": params.required("currency").lower(), "custom_unit_amount": None, "lookup_key": lookup_key,
            "metadata": params.merge_metadata({}), "nickname": params.text("nickname"), "product": product,
            "recurring": recurring, "tax_behavior": params.text("tax_behavior", "unspecified"), "tiers_mode": None,
            "transform_quantity": None, "type": "recurring" if recurring else "one_time", "unit_amount": amount,
            "unit_amount_decimal": str(amount),
        },
    )  # fmt: skip
    work.emit("price.created", price)
    return price


@hidden("price", "currency_options")
@hidden("price", "tiers")
def _nothing(work: Work, price: Json) -> None:
    """A price has one currency and no tiers."""


@route("POST", "/v1/prices/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change what can change of a price; its amount cannot."""
    price = work.get(id, "price")
    price["active"] = params.flag("active", default=price["active"])
    for name in ("nickname", "tax_behavior"):
        if params.has(name):
            price[name] = params.text(name)
    if params.has("lookup_key"):
        key = params.text("lookup_key")
        former = next(work.rows("price", lookup_key=key), None) if key else None
        if former and former["id"] != id:
            if not params.flag("transfer_lookup_key"):
                message = f"A price (`{former['id']}`) already uses that lookup key."
                raise invalid(message, param="lookup_key", code="resource_already_exists")
            former["lookup_key"] = None
            work.emit("price.updated", work.save(former))
        price["lookup_key"] = key
    params.flag("transfer_lookup_key")
    price["metadata"] = params.merge_metadata(price["metadata"])
    work.emit("price.updated", work.save(price))
    return price


@route("GET", "/v1/prices/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A price."""
    return work.get(id, "price")


@route("GET", "/v1/prices")
def index(work: Work, params: Params) -> Json:
    """Prices, newest first; ``lookup_keys`` selects."""
    keys = params.words("lookup_keys")
    if keys:
        params.accept("limit")
        found = [one for key in keys for one in work.rows("price", lookup_key=key)]
        if params.text("active"):
            found = [one for one in found if one["active"] == params.flag("active")]
        return {"object": "list", "data": found, "has_more": False, "url": "/v1/prices"}
    return listing(work, params, "price", "/v1/prices", ["active", "product", "type", "currency"])
