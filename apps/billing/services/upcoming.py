"""What a subscription will be charged: the next invoice, as the provider previews it, and the amounts after it.

The provider previews one invoice only. What follows is computed from the price, the discounts and the balance that the
next invoice leaves, by the provider's rules: https://docs.stripe.com/billing/subscriptions/coupons and
https://docs.stripe.com/billing/customer/balance.
"""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from apps.billing import gateway
from apps.billing.models import Subscription
from apps.billing.prices import settle_balance

MAX_PAYMENTS_AHEAD = 36  # of a discount or a credit that lasts longer, the end is not told
MAX_AMOUNTS_TOLD = 4
FIELDS = (
    "next_at", "next_amount", "next_subtotal", "next_discount", "balance_before", "balance_after", "next_count",
    "later_charges",
)  # fmt: skip
_WITHOUT_INVOICE = {"canceled", "incomplete_expired"}


@dataclass(frozen=True)
class Upcoming:
    """The next invoice of a subscription, or its unpaid one, and the amounts of the payments after it.

    ``count``: how many payments in a row are that amount; 0: all. ``later``: the other amounts, each with the day of
    its first payment and its count.
    """

    at: datetime
    invoice: gateway.InvoiceAmounts
    count: int = 0
    later: tuple[tuple[int, datetime, int], ...] = ()


def read_upcoming(state: gateway.SubscriptionState) -> Upcoming | None:
    """Ask the provider what a subscription will be charged; None if nothing.

    Of a canceled one: what it would be charged if the cancellation were taken back.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    if state.status in _WITHOUT_INVOICE:
        return None
    if state.due is not None and state.due_since is not None:
        return _with_later(state, state.due_since, state.due, first=0)
    invoice = gateway.preview_next_invoice(state.id, cancels_at_period_end=state.cancels_at_period_end)
    return _with_later(state, state.period_end, invoice, first=1) if invoice is not None else None


def upcoming_after_change(
    state: gateway.SubscriptionState, preview: gateway.ChangePreview, *, price: int, interval: str, in_trial: bool
) -> Upcoming | None:
    """Return what a change of plan charges, today or after the trial, and the amounts after it."""
    if preview.invoice is None:
        return None
    changed = replace(state, amount=price, interval=interval)
    if in_trial:
        return _with_later(changed, preview.period_end, preview.invoice, first=1)
    left = tuple(each for each in state.discounts if not each.once)  # the invoice of the change uses them up
    changed = replace(changed, anchor=preview.moment, period_end=preview.period_end, discounts=left)
    return _with_later(changed, preview.moment, preview.invoice, first=0)


def apply_upcoming(row: Subscription, upcoming: Upcoming | None) -> None:
    """Write what a subscription will be charged on its row, without saving it."""
    if upcoming is None:
        row.next_at, row.later_charges = None, []
        return
    invoice = upcoming.invoice
    row.next_at, row.next_amount = upcoming.at, invoice.amount_due
    row.next_subtotal, row.next_discount = max(invoice.subtotal, 0), max(invoice.discount, 0)
    row.balance_before, row.balance_after = invoice.balance_before, invoice.balance_after
    row.next_count = upcoming.count
    row.later_charges = [
        {"amount": amount, "at": at.isoformat(), "count": count} for amount, at, count in upcoming.later
    ]


def payment_day(state: gateway.SubscriptionState, number: int) -> datetime:
    """Return the day of a payment: number 0 is the end of the present period, 1 the end of the next one."""
    step = 12 if state.interval == "year" else 1
    passed = 0
    while add_months(state.anchor, passed) < state.period_end:
        passed += step
    return add_months(state.anchor, passed + number * step)


def add_months(anchor: datetime, months: int) -> datetime:
    """Return the moment some months later, on the last day of a month that is too short."""
    year, month = divmod(anchor.year * 12 + anchor.month - 1 + months, 12)
    day = min(anchor.day, calendar.monthrange(year, month + 1)[1])
    return anchor.replace(year=year, month=month + 1, day=day)


def _with_later(
    state: gateway.SubscriptionState, at: datetime, invoice: gateway.InvoiceAmounts, *, first: int
) -> Upcoming:
    """The invoice with the payments from number ``first`` on."""
    runs: list[list[Any]] = [[invoice.amount_due, at, 1]]
    for amount, moment, is_last in _charges(state, balance=invoice.balance_after, first=first):
        if amount == runs[-1][0]:
            runs[-1][2] += 1
        elif len(runs) > MAX_AMOUNTS_TOLD:
            break
        else:
            runs.append([amount, moment, 1])
        if is_last:
            runs[-1][2] = 0
    return Upcoming(at, invoice, runs[0][2], tuple((amount, moment, count) for amount, moment, count in runs[1:]))


def _charges(state: gateway.SubscriptionState, *, balance: int, first: int) -> Iterator[tuple[int, datetime, bool]]:
    """What the payments from number ``first`` on charge, their moments, and whether all after it are the same."""
    lasting = [each for each in state.discounts if each.ends_at is None and not each.once]
    for number in range(first, first + MAX_PAYMENTS_AHEAD):
        moment = payment_day(state, number)
        active = [each for each in state.discounts if _is_active(each, number, moment)]
        before = balance
        due, balance = settle_balance(_reduced(state.amount, active), before, state.currency)
        is_last = active == lasting and before == balance == 0
        yield due, moment, is_last
        if is_last:
            return


def _is_active(discount: gateway.DiscountState, number: int, moment: datetime) -> bool:
    if discount.once:
        return number == 0
    return discount.ends_at is None or discount.ends_at > moment


def _reduced(price: int, discounts: list[gateway.DiscountState]) -> int:
    for each in discounts:
        taken = each.amount
        if each.percent is not None:
            taken = int((price * each.percent / 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))
        price -= min(taken, price)
    return price
