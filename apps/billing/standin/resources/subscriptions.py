"""Subscriptions: https://docs.stripe.com/api/subscriptions and their states https://docs.stripe.com/billing/subscriptions/overview."""

from apps.billing.standin.clock import DAY
from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing, page
from apps.billing.standin.resources import coupons, lifecycle, payment_methods, periods, setup_intents, upgrades
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

_BEHAVIORS = ("allow_incomplete", "default_incomplete", "error_if_incomplete")


@route("POST", "/v1/subscriptions")
def create(work: Work, params: Params) -> Json:
    """Subscribe a customer to a price, after a trial or at once."""
    customer = work.get(params.required("customer"), "customer", "customer")
    price, row = _price(work, params)
    behavior = params.choice("payment_behavior", _BEHAVIORS, "allow_incomplete")
    subscription = _new(work, customer, price, row)
    _change(work, subscription, params)
    trial_end = _trial_end(work, params)
    item = subscription["items"]["data"][0]
    if trial_end:
        subscription |= {
            "status": "trialing",
            "trial_start": work.now,
            "trial_end": trial_end,
            "billing_cycle_anchor": trial_end,
        }
        item |= {"current_period_start": work.now, "current_period_end": trial_end}
        if not lifecycle.method_of(work, subscription):
            _ask_for_card(work, subscription)
    else:
        item |= {
            "current_period_start": work.now,
            "current_period_end": periods.after(work.now, price["recurring"], work.now),
        }
    lifecycle.begin(work, subscription, behavior or "", off_session=params.flag("off_session"))
    return subscription


def _price(work: Work, params: Params) -> tuple[Json, Params]:
    rows = params.rows("items")
    if len(rows) != 1:
        raise invalid("The stand-in knows subscriptions of exactly one item.", param="items")
    price = work.get(rows[0].required("price"), "price", "items[0][price]")
    if not price["recurring"] or not price["active"]:
        raise invalid("The price must be active and recurring.", param="items[0][price]")
    rows[0].accept("quantity", "metadata")
    if rows[0].number("quantity", 1) != 1:
        raise invalid("The stand-in knows a quantity of 1 only.", param="items[0][quantity]")
    return price, rows[0]


def _new(work: Work, customer: Json, price: Json, row: Params) -> Json:
    subscription = work.new(
        "subscription",
        {
            "application": None, "application_fee_percent": None,
            "automatic_tax": {"enabled": False, "liability": None},
            "billing_cycle_anchor": work.now, "billing_cycle_anchor_config": None, "billing_mode": {"type": "flexible"},
            "billing_thresholds": None, "cancel_at": None, "cancel_at_period_end": False, "canceled_at": None,
            "cancellation_details": {"comment": None, "feedback": None, "reason": None},
            "collection_method": "charge_automatically", "currency": price["currency"], "customer": customer["id"],
            "days_until_due": None, "default_payment_method": None, "default_source": None, "default_tax_rates": [],
            "description": None, "discounts": [], "ended_at": None, "invoice_settings": {"issuer": {"type": "self"}},
            "latest_invoice": None, "next_pending_invoice_item_invoice": None, "on_behalf_of": None,
            "pause_collection": None, "payment_settings": {
                "payment_method_options": None, "payment_method_types": None, "save_default_payment_method": "off",
            },
            "pending_invoice_item_interval": None, "pending_setup_intent": None, "pending_update": None,
            "schedule": None,
            "start_date": work.now, "status": "incomplete", "test_clock": None, "transfer_data": None,
            "trial_end": None,
            "trial_settings": {"end_behavior": {"missing_payment_method": "create_invoice"}}, "trial_start": None,
        },
    )  # fmt: skip
    item = work.new(
        "subscription_item",
        {
            "billing_thresholds": None, "current_period_end": work.now, "current_period_start": work.now,
            "discounts": [],
            "metadata": row.merge_metadata({}), "price": price, "quantity": 1, "subscription": subscription["id"],
            "tax_rates": [],
        },
    )  # fmt: skip
    subscription["items"] = page([item], f"/v1/subscription_items?subscription={subscription['id']}")
    customer["currency"] = customer["currency"] or price["currency"]
    work.save(customer)
    return lifecycle.save(work, subscription)


def _trial_end(work: Work, params: Params) -> int | None:
    if days := params.number("trial_period_days"):
        return work.now + days * DAY
    if params.text("trial_end") == "now":
        return None
    moment = params.number("trial_end")
    if moment is not None and moment <= work.now:
        raise invalid("Invalid timestamp: must be an integer Unix time in the future.", param="trial_end")
    return moment


def _ask_for_card(work: Work, subscription: Json) -> None:
    intent = setup_intents.new(work, subscription["customer"])
    intent["_subscription"] = subscription["id"]
    work.emit("setup_intent.created", work.save(intent))
    subscription["pending_setup_intent"] = intent["id"]


def _change(work: Work, subscription: Json, params: Params) -> None:
    """What creation and update have in common."""
    params.accept("off_session", "proration_behavior")
    params.choice("collection_method", ["charge_automatically"])
    params.inner("automatic_tax").choice("enabled", ["false"])
    if params.has("default_payment_method"):
        given = params.text("default_payment_method")
        method = payment_methods.find(work, given) if given else None
        if method and method["customer"] != subscription["customer"]:
            message = "The customer does not have a payment method with this ID. It must be attached to the customer."
            raise invalid(message, param="default_payment_method")
        subscription["default_payment_method"] = method["id"] if method else None
    if params.has("description"):
        subscription["description"] = params.text("description")
    settings = params.inner("payment_settings")
    settings.accept("payment_method_options", "payment_method_types")
    if saves := settings.choice("save_default_payment_method", ["on_subscription", "off"]):
        subscription["payment_settings"]["save_default_payment_method"] = saves
    end = params.inner("trial_settings").inner("end_behavior")
    if missing := end.choice("missing_payment_method", ["create_invoice", "cancel"]):
        subscription["trial_settings"] = {"end_behavior": {"missing_payment_method": missing}}
    if params.has("discounts"):
        subscription["discounts"] = [coupons.redeem(work, one, subscription)["id"] for one in params.rows("discounts")]
    if params.has("cancel_at_period_end"):
        lifecycle.cancel_later(work, subscription, is_wanted=params.flag("cancel_at_period_end"))
    details = params.inner("cancellation_details")
    for name in ("comment", "feedback"):
        if details.has(name):
            subscription["cancellation_details"][name] = details.text(name)
    subscription["metadata"] = params.merge_metadata(subscription["metadata"])


@route("POST", "/v1/subscriptions/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change a subscription; another price is prorated (https://docs.stripe.com/billing/subscriptions/prorations)."""
    subscription = work.get(id, "subscription")
    if subscription["status"] in {"canceled", "incomplete_expired"}:
        changes = set(params.names()) - {"metadata", "cancellation_details"}
        if changes:
            raise invalid("A canceled subscription can only update its metadata and cancellation details.")
    _change(work, subscription, params)
    behavior = params.choice("payment_behavior", _BEHAVIORS, "allow_incomplete")
    if params.has("trial_end"):
        lifecycle.move_trial_end(work, subscription, _trial_end(work, params))
    if params.has("items"):
        change = upgrades.read(work, subscription, params)
        upgrades.carry_out(work, subscription, change, behavior or "")
    lifecycle.save(work, subscription)
    work.emit("customer.subscription.updated", subscription)
    return subscription


@route("DELETE", "/v1/subscriptions/{id}")
def cancel(work: Work, params: Params, id: str) -> Json:
    """End a subscription now."""
    subscription = work.get(id, "subscription")
    if subscription["status"] in {"canceled", "incomplete_expired"}:
        raise invalid(f"No such subscription: '{id}'", param="id", code="resource_missing", status=404)
    params.accept("invoice_now", "prorate")
    details = params.inner("cancellation_details")
    for name in ("comment", "feedback"):
        subscription["cancellation_details"][name] = details.text(name)
    lifecycle.end(work, subscription, "cancellation_requested")
    return subscription


@route("GET", "/v1/subscriptions/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A subscription."""
    return work.get(id, "subscription")


@route("GET", "/v1/subscriptions")
def index(work: Work, params: Params) -> Json:
    """Subscriptions, newest first; without ``status`` those that have not been canceled."""
    status = params.text("status")
    wanted: Json = {}
    if status is None or status == "ended":
        ended = ["canceled", "incomplete_expired"]
        live = ["incomplete", "trialing", "active", "past_due", "unpaid", "paused"]
        wanted["status"] = live if status is None else ended
    elif status != "all":
        wanted["status"] = status
    params.choice("collection_method", ["charge_automatically"])
    return listing(work, params, "subscription", "/v1/subscriptions", ["customer"], **wanted)


@route("GET", "/v1/subscription_items")
def items(work: Work, params: Params) -> Json:
    """The items of a subscription."""
    params.required("subscription")
    return listing(work, params, "subscription_item", "/v1/subscription_items", ["subscription"])


@route("GET", "/v1/subscription_items/{id}")
def item(work: Work, params: Params, id: str) -> Json:
    """One item."""
    return work.get(id, "subscription_item")
