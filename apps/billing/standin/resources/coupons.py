"""Coupons, promotion codes and discounts: https://docs.stripe.com/api/coupons, …/promotion_codes, …/discounts."""

import secrets

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import hidden, listing
from apps.billing.standin.resources import periods
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("POST", "/v1/coupons")
def create(work: Work, params: Params) -> Json:
    """Make a coupon of a percentage or an amount."""
    percent, amount = params.text("percent_off"), params.number("amount_off")
    if (percent is None) == (amount is None):
        raise invalid("You must pass either percent_off or amount_off.", param="percent_off")
    if percent is not None and not 0 < float(percent) <= 100:
        raise invalid("Invalid percent_off: must be greater than 0 and at most 100.", param="percent_off")
    duration = params.choice("duration", ["once", "repeating", "forever"], "once")
    if (duration == "repeating") != params.has("duration_in_months"):
        raise invalid("duration_in_months is needed for a repeating coupon only.", param="duration_in_months")
    id = params.text("id") or secrets.token_urlsafe(6).replace("-", "x").replace("_", "y")
    if work.find(id):
        raise invalid(f"Coupon already exists: {id}", param="id", code="resource_already_exists")
    coupon = work.new(
        "coupon",
        {
            "amount_off": amount,
            "currency": params.required("currency").lower() if amount else params.text("currency"),
            "duration": duration, "duration_in_months": params.number("duration_in_months"),
            "max_redemptions": params.number("max_redemptions"), "metadata": params.merge_metadata({}),
            "name": params.text("name"), "percent_off": float(percent) if percent else None,
            "redeem_by": params.number("redeem_by"), "times_redeemed": 0, "valid": True,
            "_products": params.inner("applies_to").words("products"),
        },
        id=id,
    )  # fmt: skip
    work.emit("coupon.created", coupon)
    return coupon


@hidden("coupon", "applies_to")
def _applies_to(work: Work, coupon: Json) -> Json | None:
    products = work.get(coupon["id"], "coupon")["_products"]
    return {"products": products} if products else None


@route("POST", "/v1/coupons/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the name or the metadata."""
    coupon = work.get(id, "coupon")
    if params.has("name"):
        coupon["name"] = params.text("name")
    coupon["metadata"] = params.merge_metadata(coupon["metadata"])
    work.emit("coupon.updated", work.save(coupon))
    return coupon


@route("GET", "/v1/coupons/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A coupon."""
    return work.get(id, "coupon")


@route("GET", "/v1/coupons")
def index(work: Work, params: Params) -> Json:
    """Coupons, newest first."""
    return listing(work, params, "coupon", "/v1/coupons")


@route("DELETE", "/v1/coupons/{id}")
def delete(work: Work, params: Params, id: str) -> Json:
    """Delete a coupon. Subscriptions that have its discount keep it."""
    coupon = work.get(id, "coupon")
    work.emit("coupon.deleted", coupon)
    work.save(coupon | {"valid": False})
    return {"id": id, "object": "coupon", "deleted": True}


# --- Promotion codes ------------------------------------------------------------------------------


@route("POST", "/v1/promotion_codes")
def create_code(work: Work, params: Params) -> Json:
    """Make a code that customers enter for a coupon."""
    promotion = params.inner("promotion")
    promotion.choice("type", ["coupon"])
    coupon = work.get(params.text("coupon") or promotion.required("coupon"), "coupon", "coupon")
    code = (params.text("code") or secrets.token_hex(4)).upper()
    if any(one["active"] for one in work.rows("promotion_code", code=code)):
        message = "An active promotion code with this code already exists."
        raise invalid(message, param="code", code="resource_already_exists")
    restrictions = params.inner("restrictions")
    made = work.new(
        "promotion_code",
        {
            "active": params.flag("active", default=True), "code": code, "customer": params.text("customer"),
            "expires_at": params.number("expires_at"), "max_redemptions": params.number("max_redemptions"),
            "metadata": params.merge_metadata({}), "promotion": {"coupon": coupon["id"], "type": "coupon"},
            "restrictions": {
                "first_time_transaction": restrictions.flag("first_time_transaction"),
                "minimum_amount": restrictions.number("minimum_amount"),
                "minimum_amount_currency": restrictions.text("minimum_amount_currency"),
            },
            "times_redeemed": 0,
        },
    )  # fmt: skip
    work.emit("promotion_code.created", made)
    return made


@route("POST", "/v1/promotion_codes/{id}")
def update_code(work: Work, params: Params, id: str) -> Json:
    """Activate or deactivate a code."""
    code = work.get(id, "promotion_code")
    code["active"] = params.flag("active", default=code["active"])
    code["metadata"] = params.merge_metadata(code["metadata"])
    work.emit("promotion_code.updated", work.save(code))
    return code


@route("GET", "/v1/promotion_codes/{id}")
def retrieve_code(work: Work, params: Params, id: str) -> Json:
    """A promotion code."""
    return work.get(id, "promotion_code")


@route("GET", "/v1/promotion_codes")
def list_codes(work: Work, params: Params) -> Json:
    """Promotion codes, newest first."""
    return listing(work, params, "promotion_code", "/v1/promotion_codes", ["code", "active", "customer"])


# --- Discounts of subscriptions -------------------------------------------------------------------


def redeem(work: Work, given: Params, subscription: Json) -> Json:
    """Make the discount that ``discounts[0][coupon]`` or ``discounts[0][promotion_code]`` asks for.

    :raises ApiError: the code or coupon has expired, was used up, or belongs to somebody else.
    """
    if given.has("discount"):  # one that the subscription has, and keeps
        kept = work.get(given.text("discount"), "discount", given.full("discount"))
        if kept["id"] not in subscription["discounts"]:
            raise invalid("This discount belongs to another subscription.", param=given.full("discount"))
        return kept
    code_id = given.text("promotion_code")
    code = work.get(code_id, "promotion_code", given.full("promotion_code")) if code_id else None
    coupon_id = code["promotion"]["coupon"] if code else given.required("coupon")
    coupon = work.get(coupon_id, "coupon", given.full("coupon"))
    for one in filter(None, (code, coupon)):
        expires = one.get("expires_at") or one.get("redeem_by")
        is_used_up = one["max_redemptions"] is not None and one["times_redeemed"] >= one["max_redemptions"]
        if not one.get("active", True) or not one.get("valid", True) or is_used_up or (expires and expires <= work.now):
            kind = "promotion code" if one is code else "coupon"
            raise invalid(f"This {kind} is expired or has been used up.", param=given.full(kind), code="coupon_expired")
        one["times_redeemed"] += 1
        work.save(one)
    if code and code["customer"] not in {None, subscription["customer"]}:
        raise invalid("This promotion code belongs to another customer.", param=given.full("promotion_code"))
    end = None
    if coupon["duration"] == "repeating":
        recurring = {"interval": "month", "interval_count": coupon["duration_in_months"]}
        end = periods.after(work.now, recurring, work.now)
    discount = work.new(
        "discount",
        {
            "checkout_session": None, "customer": subscription["customer"], "end": end, "invoice": None,
            "invoice_item": None, "promotion_code": code_id, "source": {"coupon": coupon["id"], "type": "coupon"},
            "start": work.now, "subscription": subscription["id"], "subscription_item": None,
        },
    )  # fmt: skip
    for name in ("created", "livemode", "metadata"):
        del discount[name]
    return work.save(discount)


def reduction(work: Work, discount_id: str, subtotal: int, moment: int) -> int:
    """How much a discount takes off a subtotal at a moment; percentages are rounded half up."""
    discount = work.get(discount_id, "discount")
    if subtotal <= 0 or (discount["end"] and discount["end"] <= moment):
        return 0
    coupon = work.get(discount["source"]["coupon"], "coupon")
    if coupon["amount_off"]:
        return min(int(coupon["amount_off"]), subtotal)
    return int(subtotal * coupon["percent_off"] / 100 + 0.5)


def use(work: Work, subscription: Json) -> None:
    """After an invoice: discounts for one invoice are over, and so are those whose months have passed."""
    kept = []
    for id in subscription["discounts"]:
        discount = work.get(id, "discount")
        is_once = work.get(discount["source"]["coupon"], "coupon")["duration"] == "once"
        if not is_once and not (discount["end"] and discount["end"] <= work.now):
            kept.append(id)
    subscription["discounts"] = kept
