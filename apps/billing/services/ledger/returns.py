"""What is posted when money goes back to a learner: refunds and disputes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import Sum

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.earlier import (
    amount_on,
    entries_of,
    entry_of,
    facts_of,
    key_of_item,
    payment_entries,
    refuse_other,
)
from apps.billing.services.ledger.posting import (
    DISPUTES,
    FEES,
    PREMIUM,
    PROVIDER,
    REFUNDS,
    TAX,
    KeyTaken,
    LedgerError,
    Line,
    NotPosted,
    post,
    to_instructor,
)
from apps.billing.splits import Split, split_returned, split_returned_by_line

_GIVEN_BACK = (EntryKind.REFUND, EntryKind.REFUND_FAILED, EntryKind.DISPUTE_LOST)


def post_refund(
    refund_key: str, payment_key: str, amount: int, *, occurred_at: datetime, gateway_id: str = ""
) -> LedgerEntry | None:
    """A part of a payment, or all of it, was given back: each account gives back its part of the sale.

    What was given back before is read from the ledger, so the caller states only this refund. One entry per line of
    the payment's order, of which the first is returned.

    :raises NotPosted: the payment was not posted.
    :raises LedgerError: more would be given back than was paid.
    """
    return give_back(f"refund {refund_key}", EntryKind.REFUND, payment_key, amount, PROVIDER, occurred_at, gateway_id)


@transaction.atomic
def post_refund_failed(refund_key: str, *, occurred_at: datetime, gateway_id: str = "") -> LedgerEntry | None:
    """A refund did not arrive, and the provider has the money again.

    :raises NotPosted: the refund was not posted.
    """
    refunds = entries_of(f"refund {refund_key}")
    if not refunds:
        raise NotPosted(f"refund {refund_key}")
    return give_back(
        f"refund {refund_key} failed",
        EntryKind.REFUND_FAILED,
        refunds[0].payment_key,
        sum(refund.total for refund in refunds),
        PROVIDER,
        occurred_at,
        gateway_id,
    )


@transaction.atomic
def post_dispute_opened(
    dispute_key: str,
    payment_key: str,
    amount: int,
    *,
    occurred_at: datetime,
    fee: int = 0,
    gateway_id: str = "",
) -> LedgerEntry | None:
    """The provider took back a disputed amount, and its fee, until the dispute is decided.

    :raises NotPosted: the payment was not posted.
    """
    sale, *others = payment_entries(payment_key)
    facts = facts_of(sale, total=0, tax=0, gateway_id=gateway_id)
    if others:  # the amount is not any one course's
        facts = replace(facts, item=0, instructor_id=None, course_id=None, share_bps=0, description="")
    lines = [
        Line(DISPUTES, amount, sale.currency),
        Line(FEES, fee, sale.currency),
        Line(PROVIDER, -amount - fee, sale.currency),
    ]
    return post(_opened(dispute_key), EntryKind.DISPUTE_OPENED, occurred_at, lines, facts)


@transaction.atomic
def post_dispute_won(
    dispute_key: str, *, occurred_at: datetime, fee_returned: int = 0, gateway_id: str = ""
) -> LedgerEntry | None:
    """The provider gave back the disputed amount, and perhaps its fee.

    :raises NotPosted: the dispute was not posted.
    :raises LedgerError: the dispute was lost.
    """
    opened = entry_of(_opened(dispute_key))
    refuse_other(f"dispute {dispute_key} lost")
    amount, currency = amount_on(opened, DISPUTES), opened.currency
    facts = facts_of(opened, gateway_id=gateway_id)
    lines = [
        Line(DISPUTES, -amount, currency),
        Line(FEES, -fee_returned, currency),
        Line(PROVIDER, amount + fee_returned, currency),
    ]
    return post(f"dispute {dispute_key} won", EntryKind.DISPUTE_WON, occurred_at, lines, facts)


@transaction.atomic
def post_dispute_lost(dispute_key: str, *, occurred_at: datetime, gateway_id: str = "") -> LedgerEntry | None:
    """The disputed amount stays with the learner: like a refund of it.

    :raises NotPosted: the dispute was not posted.
    :raises LedgerError: the dispute was won.
    """
    opened = entry_of(_opened(dispute_key))
    refuse_other(f"dispute {dispute_key} won")
    return give_back(
        f"dispute {dispute_key} lost",
        EntryKind.DISPUTE_LOST,
        opened.payment_key,
        amount_on(opened, DISPUTES),
        DISPUTES,
        occurred_at,
        gateway_id,
    )


def _opened(dispute_key: str) -> str:
    return f"dispute {dispute_key} opened"


@transaction.atomic
def give_back(
    key: str, kind: EntryKind, payment_key: str, amount: int, source: str, occurred_at: datetime, gateway_id: str
) -> LedgerEntry | None:
    """Give back an amount of a payment from the account ``source``; a negative one came back."""
    sales = payment_entries(payment_key)
    if earlier := entries_of(key):
        is_same = all(entry.kind == kind and entry.payment_key == payment_key for entry in earlier)
        if not is_same or sum(entry.total for entry in earlier) != -amount:
            raise KeyTaken(key)
        return earlier[0]
    given_back = LedgerEntry.objects.filter(payment_key=payment_key, kind__in=_GIVEN_BACK)
    before = -(given_back.aggregate(sum=Sum("total"))["sum"] or 0)
    totals = [sale.total for sale in sales]
    if kind is EntryKind.REFUND and not 0 < amount <= sum(totals) - before:
        raise LedgerError(f"{key}: {amount} of {sum(totals)}, of which {before} were given back")
    earlier_parts = split_returned_by_line(before, totals)
    parts = split_returned_by_line(before + amount, totals)
    posted = [
        _give_back_line(key_of_item(key, sale.item), kind, sale, earlier_part, part, source, occurred_at, gateway_id)
        for sale, earlier_part, part in zip(sales, earlier_parts, parts, strict=True)
        if part != earlier_part
    ]
    return next(iter(posted), None)


def _give_back_line(
    key: str,
    kind: EntryKind,
    sale: LedgerEntry,
    before: int,
    after: int,
    source: str,
    occurred_at: datetime,
    gateway_id: str,
) -> LedgerEntry | None:
    """Give back a part of one line: ``before`` and ``after`` are what was given back of it so far, and then."""
    amount = after - before
    split = _returned(sale, after) - _returned(sale, before)
    currency = sale.currency
    facts = facts_of(sale, total=-amount, tax=-split.tax, gateway_id=gateway_id)
    lines = [
        Line(source, -amount, currency),
        Line(TAX, split.tax, currency),
        *to_instructor(facts, split.instructor),
        Line(PREMIUM if sale.kind == EntryKind.SUBSCRIPTION else REFUNDS, split.platform, currency),
    ]
    return post(key, kind, occurred_at, lines, facts)


def _returned(sale: LedgerEntry, returned: int) -> Split:
    return split_returned(sale.total, sale.tax, sale.share_bps, returned)
