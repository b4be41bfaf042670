"""Premium at the provider: its price, subscriptions and their invoices (https://docs.stripe.com/api/subscriptions).

A subscription has no card of its own: the provider charges the customer's default card.
"""

import contextlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

import stripe

from apps.billing.gateway.cards import id_of
from apps.billing.gateway.client import client, iterate_translated, moment, translates_errors
from apps.billing.gateway.objects import InvoiceState, Listed, SubscriptionState
from apps.billing.gateway.previews import amounts_of, discounts_in, discounts_of
from apps.billing.provider_amounts import from_provider, to_provider

_WITH_INVOICE = ["latest_invoice.confirmation_secret"]
_WITH_DISCOUNTS = ["discounts.source.coupon"]
_WITH_PAYMENTS = ["payments"]


@translates_errors
def ensure_price(*, name: str, product: str, lookup_key: str, amount: int, currency: str, interval: str) -> str:
    """Return the id of the recurring price with this key; the first time the price and its product are created.

    ``product``: our own id of the product. The key contains the amount, so another amount makes another price, and
    subscriptions keep the price that they began with.
    """
    found = client().v1.prices.list({"lookup_keys": [lookup_key], "active": True, "limit": 1})
    if found.data:
        return found.data[0].id
    params: Any = {
        "product": _ensure_product(name, product),
        "unit_amount": to_provider(amount, currency),
        "currency": currency,
        "recurring": {"interval": interval},
        "lookup_key": lookup_key,
    }
    return client().v1.prices.create(params, {"idempotency_key": f"price {lookup_key}"}).id


def _ensure_product(name: str, product: str) -> str:
    try:
        return client().v1.products.retrieve(product).id
    except stripe.InvalidRequestError:  # there is none yet
        made = client().v1.products.create({"id": product, "name": name}, {"idempotency_key": f"product {product}"})
        return made.id


@translates_errors
def ensure_coupon(*, coupon: str, name: str, percent: int | None, amount: int | None, currency: str) -> str:
    """Return the id of the coupon that takes something off one invoice; the first time it is created."""
    try:
        return client().v1.coupons.retrieve(coupon).id
    except stripe.InvalidRequestError:  # there is none yet
        taken: Any = (
            {"percent_off": percent}
            if percent
            else {"amount_off": to_provider(amount or 0, currency), "currency": currency}
        )
        params: Any = {"id": coupon, "name": name, "duration": "once", **taken}
        return client().v1.coupons.create(params, {"idempotency_key": f"coupon {coupon}"}).id


@translates_errors
def create_subscription(
    *, customer: str, price: str, trial_days: int, coupon: str, reference: str, key: str
) -> SubscriptionState:
    """Begin a subscription. Without a trial it is incomplete until the browser confirms its first payment.

    If a trial ends without a card, the provider ends the subscription. A coupon is for the first payment: the invoice
    of a trial, which is made at once and costs nothing, would use it up, so after a trial it follows with
    :func:`discount_first_payment`.
    """
    params: Any = {
        "customer": customer,
        "items": [{"price": price}],
        "payment_behavior": "default_incomplete",
        "payment_settings": {"payment_method_types": ["card"]},
        "metadata": {"subscription": reference},
        "expand": _WITH_INVOICE,
    }
    if trial_days:
        params["trial_period_days"] = trial_days
        params["trial_settings"] = {"end_behavior": {"missing_payment_method": "cancel"}}
    if coupon and not trial_days:
        params["discounts"] = [{"coupon": coupon}]
    return _subscription(client().v1.subscriptions.create(params, {"idempotency_key": key}))


@translates_errors
def discount_first_payment(*, subscription: str, coupon: str, key: str) -> None:
    """Let a coupon reduce the next invoice of a subscription. The provider does it once per key."""
    params: Any = {"discounts": [{"coupon": coupon}]}
    client().v1.subscriptions.update(subscription, params, {"idempotency_key": key})


@translates_errors
def get_subscription(subscription: str) -> SubscriptionState:
    """Return the present state of a subscription."""
    wanted: Any = {"expand": [*_WITH_INVOICE, *_WITH_DISCOUNTS]}
    return _subscription(client().v1.subscriptions.retrieve(subscription, wanted))


@translates_errors
def find_subscription(*, customer: str, reference: str) -> str | None:
    """Return the id of the customer's subscription with our own id; None if it was never made."""
    found = client().v1.subscriptions.list({"customer": customer, "status": "all", "limit": 100})
    for each in found.auto_paging_iter():
        if _reference(each) == reference:
            return each.id
    return None


@translates_errors
def all_subscriptions() -> Iterator[Listed[SubscriptionState]]:
    """Return all subscriptions, also those that have ended: any of them may be new, renewed, canceled or paid."""
    params: Any = {"status": "all", "limit": 100, "expand": [f"data.{each}" for each in _WITH_INVOICE]}
    found = iterate_translated(client().v1.subscriptions.list(params).auto_paging_iter())
    return (Listed(each.id, partial(_subscription, each)) for each in found)


@translates_errors
def set_cancel_at_period_end(subscription: str, *, cancels: bool) -> None:
    """Let a subscription end with its period, or go on. Idempotent."""
    client().v1.subscriptions.update(subscription, {"cancel_at_period_end": cancels})


@translates_errors
def end_subscription(subscription: str) -> None:
    """End a subscription at once and never charge its open invoices. Idempotent."""
    with contextlib.suppress(stripe.InvalidRequestError):  # it has ended before
        client().v1.subscriptions.cancel(subscription)
    for each in client().v1.invoices.list({"subscription": subscription, "status": "open", "limit": 100}).data:
        with contextlib.suppress(stripe.InvalidRequestError):  # it was paid or voided in the meantime
            client().v1.invoices.void_invoice(each.id)


@translates_errors
def change_price(*, subscription: str, item: str, price: str, when: datetime, key: str) -> None:
    """Change the price of a subscription and charge the difference at once. If that fails, nothing changes.

    ``when``: the moment of the preview that the user agreed to.
    """
    params: Any = {
        "items": [{"id": item, "price": price}],
        "proration_behavior": "always_invoice",
        "proration_date": int(when.timestamp()),
        "payment_behavior": "error_if_incomplete",
    }
    client().v1.subscriptions.update(subscription, params, {"idempotency_key": key})


@translates_errors
def change_price_in_trial(*, subscription: str, item: str, price: str, coupons: Mapping[str, str], key: str) -> None:
    """Change what a subscription costs once its trial ends. Nothing is charged now.

    ``coupons``: as in :func:`preview_change_in_trial`.
    """
    params: Any = {"items": [{"id": item, "price": price}], "proration_behavior": "none"}
    if any(coupons.values()):
        params["discounts"] = discounts_in(coupons)
    client().v1.subscriptions.update(subscription, params, {"idempotency_key": key})


@translates_errors
def invoices_of(subscription: str) -> list[InvoiceState]:
    """Return all invoices of a subscription."""
    params: Any = {"subscription": subscription, "limit": 100, "expand": [f"data.{each}" for each in _WITH_PAYMENTS]}
    return [_invoice(each) for each in client().v1.invoices.list(params).auto_paging_iter()]


@translates_errors
def paid_invoices_since(since: datetime) -> Iterator[Listed[InvoiceState]]:
    """Return the paid invoices that were made since then, also those without a subscription."""
    params: Any = {
        "created": {"gte": int(since.timestamp())},
        "status": "paid",
        "limit": 100,
        "expand": [f"data.{each}" for each in _WITH_PAYMENTS],
    }
    found = iterate_translated(client().v1.invoices.list(params).auto_paging_iter())
    return (Listed(each.id, partial(_invoice, each)) for each in found)


def _subscription(found: stripe.Subscription) -> SubscriptionState:
    item = found["items"].data[0]
    price = item.price
    latest = found.latest_invoice
    due = latest if isinstance(latest, stripe.Invoice) and latest.status == "open" else None
    secret = due.confirmation_secret if due else None
    return SubscriptionState(
        id=found.id,
        status=found.status,
        customer=id_of(found.customer) or "",
        reference=_reference(found),
        item=item.id,
        price=price.id,
        interval=price.recurring.interval if price.recurring else "",
        amount=from_provider(price.unit_amount or 0, price.currency),
        currency=price.currency,
        period_start=moment(item.current_period_start),
        period_end=moment(item.current_period_end),
        trial_end=moment(found.trial_end) if found.trial_end else None,
        cancels_at_period_end=found.cancel_at_period_end,
        started_at=moment(found.start_date),
        ended_at=moment(found.ended_at) if found.ended_at else None,
        client_secret=secret.client_secret if secret else "",
        due=amounts_of(due) if due else None,
        due_since=moment(due.created) if due else None,
        anchor=moment(found.billing_cycle_anchor),
        discounts=tuple(discounts_of(found)),
    )


def _reference(found: stripe.Subscription) -> str:
    return str(found.metadata.to_dict().get("subscription", "")) if found.metadata else ""


def _invoice(found: stripe.Invoice) -> InvoiceState:
    details = found.parent.subscription_details if found.parent else None
    lines = list(found.lines.data)
    # What it charges, beside what it credits of a former plan: its period and its price are the invoice's.
    charged = max([each for each in lines if each.amount > 0] or lines, key=_by_end, default=None)
    return InvoiceState(
        id=found.id,
        status=found.status or "",
        subscription=(id_of(details.subscription) or "") if details else "",
        customer=id_of(found.customer) or "",
        currency=found.currency,
        subtotal=from_provider(found.subtotal, found.currency),
        total=from_provider(found.total, found.currency),
        amount_due=from_provider(found.amount_due, found.currency),
        amount_paid=from_provider(found.amount_paid, found.currency),
        reason=found.billing_reason or "",
        created=moment(found.created),
        period_start=moment(charged.period.start if charged else found.period_start),
        period_end=moment(charged.period.end if charged else found.period_end),
        intent=_intent_of(found),
        price=_price_of(charged),
        credit=from_provider(-sum(min(each.amount, 0) for each in lines), found.currency),
    )


def _by_end(line: stripe.InvoiceLineItem) -> tuple[int, int]:
    return line.period.end, line.period.start


def _price_of(line: stripe.InvoiceLineItem | None) -> str:
    """The id of the price that a line charges; "" if it has none, such as an amount that was entered by hand."""
    details = line.pricing.price_details if line is not None and line.pricing is not None else None
    return (id_of(details.price) or "") if details is not None else ""


@lru_cache(maxsize=64)
def _recurring_of(price: str) -> str:
    found = client().v1.prices.retrieve(price)
    return found.recurring.interval if found.recurring else ""


@translates_errors
def interval_of(price: str) -> str:
    """Return in which interval a price is charged: "month" or "year"; "" if it is charged once. It never changes."""
    return _recurring_of(price)


def _intent_of(found: stripe.Invoice) -> str | None:
    """The payment intent that paid the invoice."""
    for each in found.payments.data if found.payments else []:
        intent = id_of(each.payment.payment_intent) if each.payment else None
        if each.status == "paid" and intent:
            return intent
    return None
