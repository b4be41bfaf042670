"""What the provider will charge: previews of invoices (https://docs.stripe.com/api/invoices/create_preview)."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import stripe

from apps.billing.gateway.client import client, moment, translates_errors
from apps.billing.gateway.objects import ChangePreview, DiscountState, InvoiceAmounts
from apps.billing.provider_amounts import from_provider


@translates_errors
def preview_next_invoice(subscription: str, *, cancels_at_period_end: bool = False) -> InvoiceAmounts | None:
    """Return what the next invoice of a subscription will come to; None if there will be none.

    ``cancels_at_period_end``: the invoice that follows if the cancellation is taken back. The provider knows all
    coupons, the customer's balance and prorations: https://docs.stripe.com/api/invoices/create_preview.
    """
    params: Any = {"subscription": subscription}
    if cancels_at_period_end:
        params["subscription_details"] = {"cancel_at_period_end": False}
    try:
        return amounts_of(client().v1.invoices.create_preview(params))
    except stripe.InvalidRequestError as error:
        if error.code == "invoice_upcoming_none":
            return None
        raise


@translates_errors
def preview_change_in_trial(*, subscription: str, item: str, price: str, coupons: Mapping[str, str]) -> InvoiceAmounts:
    """Return what the first payment after a trial would come to with another price.

    ``coupons``: the ids of the present discounts, each with the coupon that takes its place ("": it stays).
    """
    params: Any = {
        "subscription": subscription,
        "subscription_details": {"items": [{"id": item, "price": price}], "proration_behavior": "none"},
    }
    if any(coupons.values()):
        params["discounts"] = discounts_in(coupons)
    return amounts_of(client().v1.invoices.create_preview(params))


@translates_errors
def preview_change(*, subscription: str, item: str, price: str, when: datetime) -> ChangePreview:
    """Return what a change of the price would cost at this moment."""
    params: Any = {
        "subscription": subscription,
        "subscription_details": {
            "items": [{"id": item, "price": price}],
            "proration_behavior": "always_invoice",
            "proration_date": int(when.timestamp()),
        },
    }
    preview = client().v1.invoices.create_preview(params)
    lines = list(preview.lines.data)
    return ChangePreview(
        amount_due=from_provider(preview.amount_due, preview.currency),
        credit=-from_provider(sum(line.amount for line in lines if line.amount < 0), preview.currency),
        currency=preview.currency,
        moment=when,
        period_end=moment(max(line.period.end for line in lines)),
        invoice=amounts_of(preview),
    )


def discounts_in(coupons: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the parameter ``discounts`` that keeps discounts, or puts coupons in their place."""
    return [{"coupon": coupon} if coupon else {"discount": discount} for discount, coupon in coupons.items()]


def discounts_of(found: stripe.Subscription) -> Iterator[DiscountState]:
    """The discounts that later invoices have; none if they were not asked for."""
    for each in found.discounts or []:
        coupon = each.source.coupon if isinstance(each, stripe.Discount) else None
        if isinstance(each, stripe.Discount) and isinstance(coupon, stripe.Coupon):
            yield DiscountState(
                id=each.id,
                coupon=coupon.id,
                percent=Decimal(str(coupon.percent_off)) if coupon.percent_off else None,
                amount=from_provider(coupon.amount_off or 0, found.currency),
                once=coupon.duration == "once",
                ends_at=moment(each.end) if each.end else None,
            )


def amounts_of(found: stripe.Invoice) -> InvoiceAmounts:
    """Return what an invoice, or the preview of one, comes to."""
    currency = found.currency
    after = found.starting_balance + found.total - found.amount_due  # the same as ending_balance, which drafts lack
    return InvoiceAmounts(
        subtotal=from_provider(found.subtotal, currency),
        discount=from_provider(found.subtotal - found.total, currency),
        balance_before=from_provider(found.starting_balance, currency),
        balance_after=from_provider(after, currency),
        amount_due=from_provider(found.amount_due, currency),
        currency=currency,
    )
