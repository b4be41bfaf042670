"""What is posted when somebody pays, and what the provider charges for it."""

from __future__ import annotations

from datetime import datetime

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.earlier import key_of_item
from apps.billing.services.ledger.posting import (
    FEES,
    PLATFORM,
    PREMIUM,
    PROVIDER,
    TAX,
    Facts,
    Line,
    note_earnings,
    post,
    to_instructor,
)
from apps.billing.splits import split_sale


def post_sale(
    payment_key: str,
    instructor_id: int | None,
    total: int,
    tax: int,
    share_bps: int,
    currency: str,
    *,
    occurred_at: datetime,
    item: int = 0,
    course_id: int | None = None,
    description: str = "",
    gateway_id: str = "",
    received_in: str = PROVIDER,
) -> LedgerEntry | None:
    """A course, or a user's part of it, was paid for. ``total`` includes ``tax``; without an instructor the platform
    gets everything.

    ``item``: which of the courses of this payment it is, from 0. ``received_in``: the account that has the money: a
    bank transfer arrives in `BANK`.

    Returns None if nothing was paid. The provider's fee is posted when it is known (`post_fee`).
    """
    facts = Facts(
        currency=currency,
        total=total,
        tax=tax,
        share_bps=share_bps if instructor_id is not None else 0,
        description=description,
        payment_key=payment_key,
        item=item,
        gateway_id=gateway_id,
        instructor_id=instructor_id,
        course_id=course_id,
    )
    split = split_sale(total, tax, facts.share_bps)
    lines = [
        Line(received_in, total, currency),
        Line(TAX, -split.tax, currency),
        *to_instructor(facts, -split.instructor),
        Line(PLATFORM, -split.platform, currency),
    ]
    entry = post(key_of_item(f"sale {payment_key}", item), EntryKind.SALE, occurred_at, lines, facts)
    if entry is not None and instructor_id is not None:
        note_earnings(instructor_id)
    return entry


def post_subscription_payment(
    payment_key: str,
    total: int,
    tax: int,
    currency: str,
    *,
    occurred_at: datetime,
    description: str = "",
    gateway_id: str = "",
    received_in: str = PROVIDER,
) -> LedgerEntry | None:
    """A period of Premium was paid for: all but the tax goes to the pool that `post_premium_share` divides.

    ``received_in``: the account that has the money.
    """
    facts = Facts(
        currency=currency,
        total=total,
        tax=tax,
        description=description,
        payment_key=payment_key,
        gateway_id=gateway_id,
    )
    split = split_sale(total, tax, 0)
    lines = [
        Line(received_in, total, currency),
        Line(TAX, -split.tax, currency),
        Line(PREMIUM, -split.platform, currency),
    ]
    return post(f"subscription {payment_key}", EntryKind.SUBSCRIPTION, occurred_at, lines, facts)


def post_fee(
    payment_key: str, fee: int, currency: str, *, occurred_at: datetime, gateway_id: str = ""
) -> LedgerEntry | None:
    """The provider kept a fee for a payment. The platform pays it; the instructor's share stays the same."""
    facts = Facts(currency=currency, payment_key=payment_key, gateway_id=gateway_id)
    lines = [Line(FEES, fee, currency), Line(PROVIDER, -fee, currency)]
    return post(f"fee {payment_key}", EntryKind.FEE, occurred_at, lines, facts)
