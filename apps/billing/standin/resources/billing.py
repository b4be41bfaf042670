"""Calls about invoices: reading, previewing and paying them. https://docs.stripe.com/api/invoices."""

import secrets

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing, page, public
from apps.billing.standin.resources import coupons, invoices, lifecycle, payment_methods, periods, upgrades
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("POST", "/v1/invoices/create_preview")
def preview(work: Work, params: Params) -> Json:
    """What a change would be billed, without making it: https://docs.stripe.com/api/invoices/create_preview."""
    details = params.inner("subscription_details")
    params.accept("customer", "preview_mode", "currency")
    id = params.text("subscription")
    if id is None:
        return _preview_new(work, params, details)
    subscription = work.get(id, "subscription", "subscription")
    if subscription["status"] in {"canceled", "incomplete_expired"}:
        raise invalid("There is no upcoming invoice for a canceled subscription.", code="invoice_upcoming_none")
    if details.flag("cancel_at_period_end", default=subscription["cancel_at_period_end"]) and not details.has("items"):
        raise invalid("The subscription ends with its period.", code="invoice_upcoming_none")
    work.db.execute("SAVEPOINT preview")
    shown = subscription
    if params.has("discounts"):
        redeemed = [coupons.redeem(work, one, subscription)["id"] for one in params.rows("discounts")]
        shown = {**subscription, "discounts": redeemed}
    renewal = subscription["items"]["data"][0]["current_period_end"]
    if not details.has("items"):
        rows = [*subscription.get("_pending", []), _next(subscription, subscription["items"]["data"][0]["price"])]
        made = _unsaved(work, shown, rows, renewal)
    else:
        change = upgrades.read(work, subscription, details)
        rows = [*subscription.get("_pending", []), *change.lines]
        if not change.is_billed_now:
            rows.append(_next(subscription, change.price))
        made = _unsaved(work, shown, rows, work.now if change.is_billed_now else renewal)
    work.db.execute("ROLLBACK TO preview")  # a code that was redeemed for the preview is not used
    return made


def _preview_new(work: Work, params: Params, details: Params) -> Json:
    rows = details.rows("items")
    if len(rows) != 1:
        raise invalid("Name a subscription, or one item of a new one.", param="subscription")
    price = work.get(rows[0].required("price"), "price", "subscription_details[items][0][price]")
    rows[0].accept("quantity")
    details.accept("trial_end")
    unborn: Json = {
        "id": None, "customer": params.required("customer"), "currency": price["currency"], "metadata": {},
        "discounts": [],
    }  # fmt: skip
    end = periods.after(work.now, price["recurring"], work.now)
    item = {"id": None, "price": price}
    amount = price["unit_amount"]
    return _unsaved(
        work, unborn, [invoices.line(unborn, item, price, amount, work.now, end, is_proration=False)], work.now
    )


def _next(subscription: Json, price: Json) -> Json:
    """The line of the next renewal."""
    item = subscription["items"]["data"][0]
    start = item["current_period_end"]
    end = periods.after(subscription["billing_cycle_anchor"], price["recurring"], start)
    return invoices.line(subscription, item, price, price["unit_amount"], start, end, is_proration=False)


def _unsaved(work: Work, subscription: Json, rows: list[Json], moment: int) -> Json:
    id = f"upcoming_in_{secrets.token_hex(8)}"
    shown = [
        {"id": f"il_tmp_{secrets.token_hex(6)}", "invoice": id, "livemode": False, "metadata": {}, **row}
        for row in rows
    ]
    invoice = invoices.blank(work, subscription, rows, "upcoming", moment)
    made: Json = {"id": id, "object": "invoice", "created": work.now, "livemode": False, "metadata": {}, **invoice}
    made["lines"] = page(shown, f"/v1/invoices/{id}/lines")
    return made


@route("POST", "/v1/invoices/{id}/pay")
def pay(work: Work, params: Params, id: str) -> Json:
    """Pay an open invoice, with ``payment_method`` or the card of its subscription."""
    invoice = work.get(id, "invoice")
    if invoice["status"] != "open":
        code = "invoice_already_paid" if invoice["status"] == "paid" else "invoice_not_editable"
        raise invalid(f"Invoice is already {invoice['status']}.", code=code)
    given = params.text("payment_method")
    subscription = work.get(invoice["parent"]["subscription_details"]["subscription"], "subscription")
    method = (
        payment_methods.usable(work, given, invoice["customer"])["id"]
        if given
        else lifecycle.method_of(work, subscription)
    )
    error = invoices.pay(work, invoice, method, off_session=params.flag("off_session", default=True))
    if error:
        raise error
    return invoice


@route("POST", "/v1/invoices/{id}/void")
def void(work: Work, params: Params, id: str) -> Json:
    """Declare an open invoice void."""
    invoice = work.get(id, "invoice")
    if invoice["status"] != "open":
        raise invalid(f"Only open invoices can be voided; this one is {invoice['status']}.")
    work.unschedule("try again", id)
    invoices.void(work, invoice)
    return invoice


@route("POST", "/v1/invoices/{id}/mark_uncollectible")
def give_up(work: Work, params: Params, id: str) -> Json:
    """Declare an open invoice uncollectible."""
    invoice = work.get(id, "invoice")
    if invoice["status"] != "open":
        raise invalid(f"Only open invoices can be marked uncollectible; this one is {invoice['status']}.")
    work.unschedule("try again", id)
    invoices.void(work, invoice, "uncollectible")
    return invoice


@route("GET", "/v1/invoices/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """An invoice."""
    return work.get(id, "invoice")


@route("GET", "/v1/invoices/{id}/lines")
def lines(work: Work, params: Params, id: str) -> Json:
    """The lines of an invoice."""
    params.accept("limit", "starting_after")
    found: Json = work.get(id, "invoice")["lines"]
    return found


@route("GET", "/v1/invoices")
def index(work: Work, params: Params) -> Json:
    """Invoices, newest first."""
    given = params.text("subscription")
    if given:
        wanted = {"parent.subscription_details.subscription": given}
        return listing(work, params, "invoice", "/v1/invoices", ["customer", "status"], **wanted)
    params.choice("collection_method", ["charge_automatically"])
    return listing(work, params, "invoice", "/v1/invoices", ["customer", "status"])


@route("GET", "/v1/invoice_payments")
def payments(work: Work, params: Params) -> Json:
    """Which payment paid which invoice: https://docs.stripe.com/api/invoice-payment."""
    wanted: Json = {}
    given = params.inner("payment")
    given.accept("type")
    if intent := given.text("payment_intent"):
        wanted["payment.payment_intent"] = intent
    return listing(work, params, "invoice_payment", "/v1/invoice_payments", ["invoice", "status"], **wanted)


@route("GET", "/v1/invoice_payments/{id}")
def payment(work: Work, params: Params, id: str) -> Json:
    """One of them."""
    return work.get(id, "invoice_payment")


@route("GET", "/v1/invoiceitems")
def pending_items(work: Work, params: Params) -> Json:
    """Invoice items: prorations are lines here, so there are none."""
    params.accept("customer", "invoice", "pending", "limit", "starting_after")
    return page(map(public, []), "/v1/invoiceitems")
