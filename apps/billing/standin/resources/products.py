"""Products: https://docs.stripe.com/api/products."""

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing, page
from apps.billing.standin.resources import prices
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

_TEXTS = ("name", "description", "statement_descriptor", "unit_label", "url", "tax_code", "default_price")


@route("POST", "/v1/products")
def create(work: Work, params: Params) -> Json:
    """Make a product, with its default price if ``default_price_data`` is given."""
    params.required("name")
    id = params.text("id")
    if id and work.find(id):
        raise invalid(f"Product already exists: {id}", param="id", code="resource_already_exists")
    product = work.new(
        "product",
        {
            "active": True, "attributes": [], "default_price": None, "description": None, "images": [],
            "marketing_features": [], "name": "", "package_dimensions": None, "shippable": None,
            "statement_descriptor": None, "tax_code": None, "type": "service", "unit_label": None, "updated": work.now,
            "url": None,
        },
        id=id,
    )  # fmt: skip
    _change(work, product, params)
    work.emit("product.created", work.save(product))
    if params.has("default_price_data"):
        price = prices.new(work, params.inner("default_price_data"), product["id"])
        product["default_price"] = price["id"]
        work.emit("product.updated", work.save(product), previous={"default_price": None})
    return product


@route("POST", "/v1/products/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change a product."""
    product = work.get(id, "product")
    _change(work, product, params)
    work.emit("product.updated", work.save(product))
    return product


def _change(work: Work, product: Json, params: Params) -> None:
    for name in _TEXTS:
        if params.has(name):
            product[name] = params.text(name)
    if params.has("images"):
        product["images"] = params.words("images")
    params.accept("type", "shippable", "marketing_features")
    product["active"] = params.flag("active", default=product["active"])
    product["metadata"] = params.merge_metadata(product["metadata"])
    product["updated"] = work.now


@route("GET", "/v1/products/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A product."""
    return work.get(id, "product")


@route("GET", "/v1/products")
def index(work: Work, params: Params) -> Json:
    """Products, newest first."""
    return listing(work, params, "product", "/v1/products", ["active", "url"])


@route("DELETE", "/v1/products/{id}")
def delete(work: Work, params: Params, id: str) -> Json:
    """Delete a product that has no price."""
    product = work.get(id, "product")
    if next(work.rows("price", product=id), None):
        raise invalid("This product cannot be deleted because it has one or more user-created prices.", param="id")
    work.emit("product.deleted", product)
    work.remove(product)
    return {"id": id, "object": "product", "deleted": True}


@route("GET", "/v1/products/{id}/features")
def features(work: Work, params: Params, id: str) -> Json:
    """Features of entitlements: there are none."""
    params.accept("limit", "starting_after")
    return page([], f"/v1/products/{id}/features")
