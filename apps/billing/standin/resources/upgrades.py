"""Another price for a running subscription: https://docs.stripe.com/billing/subscriptions/prorations.

The unused part of the present period is credited and the rest of it charged at the new price, both by the second.
Another interval begins a new period now, which is billed at once.
"""

from dataclasses import dataclass

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.resources import invoices, lifecycle, periods
from apps.billing.standin.work import Work


@dataclass(frozen=True)
class Change:
    """The new price, what is billed for it, and whether that is billed now or with the next renewal."""

    price: Json
    lines: list[Json]
    is_billed_now: bool
    period: tuple[int, int] | None  # a new period; None keeps the present one


def read(work: Work, subscription: Json, params: Params) -> Change:
    """The change that ``items[0]`` asks for, with ``proration_behavior`` and ``proration_date``.

    :raises ApiError: the item or the price is wrong.
    """
    rows = params.rows("items")
    item = subscription["items"]["data"][0]
    if len(rows) != 1 or rows[0].text("id", item["id"]) != item["id"]:
        raise invalid("The stand-in knows subscriptions of exactly one item: name its id.", param="items")
    price = work.get(rows[0].text("price", item["price"]["id"]), "price", "items[0][price]")
    if not price["recurring"] or price["currency"] != subscription["currency"]:
        raise invalid("The price must be recurring and of the same currency.", param="items[0][price]")
    rows[0].accept("quantity", "metadata")
    params.choice("billing_cycle_anchor", ["unchanged", "now"])
    behavior = params.choice("proration_behavior", ["create_prorations", "always_invoice", "none"], "create_prorations")
    moment = params.number("proration_date", work.now) or work.now
    start, end = item["current_period_start"], item["current_period_end"]
    if not start <= moment <= end:
        raise invalid("proration_date must be within the present period.", param="proration_date")
    is_same = price["id"] == item["price"]["id"]
    if subscription["status"] in {"trialing", "incomplete"} or is_same:
        return Change(price, [], is_billed_now=False, period=None)
    is_new_period = price["recurring"] != item["price"]["recurring"] or params.text("billing_cycle_anchor") == "now"
    lines = []
    if behavior != "none":
        left = (end - moment) / (end - start)
        credit = int(_part(item["price"], left) * _paid_share(work, subscription, start))
        lines.append(_proration(subscription, item["price"], -credit, moment, end))
        if not is_new_period:
            lines.append(_proration(subscription, price, _part(price, left), moment, end))
    if not is_new_period:
        return Change(price, lines, is_billed_now=behavior == "always_invoice", period=None)
    until = periods.after(moment, price["recurring"], moment)
    lines.append(invoices.line(subscription, item, price, price["unit_amount"], moment, until, is_proration=False))
    return Change(price, lines, is_billed_now=True, period=(moment, until))


def _part(price: Json, share: float) -> int:
    """A share of a price, rounded half up."""
    return int(price["unit_amount"] * share + 0.5)


def _paid_share(work: Work, subscription: Json, start: int) -> float:
    """The share of the price that was invoiced for the present period: a credit never exceeds what a coupon left.

    https://docs.stripe.com/billing/subscriptions/billing-mode (flexible)
    """
    for invoice in work.rows("invoice"):
        details = invoice["parent"]["subscription_details"]
        is_mine = details["subscription"] == subscription["id"]
        if (
            is_mine
            and invoice["subtotal"] > 0
            and any(row["period"]["start"] == start for row in invoice["lines"]["data"])
        ):
            return float(invoice["total"] / invoice["subtotal"])
    return 1.0


def _proration(subscription: Json, price: Json, amount: int, start: int, end: int) -> Json:
    item = subscription["items"]["data"][0]
    return invoices.line(subscription, item, price, amount, start, end, is_proration=True)


def carry_out(work: Work, subscription: Json, change: Change, behavior: str) -> None:
    """Make the change, and bill it if that is due now.

    :raises ApiError: the payment failed and ``behavior`` is ``error_if_incomplete``.
    """
    item = subscription["items"]["data"][0]
    item["price"] = change.price
    if change.period:
        start, until = change.period
        item |= {"current_period_start": start, "current_period_end": until}
        subscription["billing_cycle_anchor"] = start
    lifecycle.save(work, subscription)
    if change.period:
        lifecycle.wait(work, subscription)
    if not change.is_billed_now:
        subscription["_pending"] = [*subscription.get("_pending", []), *change.lines]
        return
    rows = [*lifecycle.pending(work, subscription), *change.lines]
    invoice = invoices.bill(work, subscription, rows, "subscription_update")
    subscription["latest_invoice"] = invoice["id"]
    lifecycle.save(work, subscription)
    if invoice["status"] == "open" and behavior != "default_incomplete":
        method = lifecycle.method_of(work, subscription)
        lifecycle.collect(work, invoice, method, behavior, off_session=False)
