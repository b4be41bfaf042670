"""What is posted when money goes back to a learner: refunds and disputes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Sum

from apps.billing.models import EntryKind, LedgerEntry, LedgerLine
from apps.billing.services.ledger.earlier import (
    ITEM_BEYOND,
    amount_on,
    entries_of,
    facts_of,
    key_of_item,
    payment_entries,
)
from apps.billing.services.ledger.posting import (
    BANK,
    DISPUTES,
    FEES,
    LOSSES,
    PENDING_REFUNDS,
    PREMIUM,
    PROVIDER,
    REFUNDS,
    TAX,
    Facts,
    KeyTaken,
    LedgerError,
    Line,
    lines_of,
    post,
    to_instructor,
)
from apps.billing.splits import Split, split_returned, split_returned_by_line

_REFUNDED = (EntryKind.REFUND, EntryKind.REFUND_FAILED)
_GIVEN_BACK = (*_REFUNDED, EntryKind.DISPUTE_LOST, EntryKind.DISPUTE_REVERSED)


@transaction.atomic
def post_refund_pending(
    refund_key: str, payment_key: str, amount: int, *, occurred_at: datetime, gateway_id: str = ""
) -> LedgerEntry | None:
    """A refund has left the provider's balance, and nobody knows yet whether it arrives.

    :raises NotPosted: the payment was not posted.
    """
    facts = _facts_of_whole(payment_entries(payment_key), gateway_id)
    lines = [Line(PENDING_REFUNDS, amount, facts.currency), Line(PROVIDER, -amount, facts.currency)]
    return post(_pending(refund_key), EntryKind.REFUND_PENDING, occurred_at, lines, facts)


@transaction.atomic
def post_refund(
    refund_key: str,
    payment_key: str,
    amount: int,
    *,
    occurred_at: datetime,
    gateway_id: str = "",
    paid_from: str = PROVIDER,
) -> LedgerEntry | None:
    """A part of a payment, or all of it, was given back: each account gives back its part of the sale.

    What was given back before is read from the ledger, so the caller states only this refund. One entry per line of
    the payment's order, of which the first is returned. A refund that was pending is taken from `pending_refunds`.
    ``paid_from``: `BANK` if it was returned by a bank transfer. The provider doesn't know of that one: what it gives
    back in addition, beyond the payment, is a loss.

    :raises NotPosted: the payment was not posted.
    :raises LedgerError: refunds would give back more than was paid.
    """
    was_pending = LedgerEntry.objects.filter(key=_pending(refund_key)).exists()
    source = PENDING_REFUNDS if was_pending else paid_from
    return give_back(f"refund {refund_key}", EntryKind.REFUND, payment_key, amount, source, occurred_at, gateway_id)


@transaction.atomic
def post_refund_failed(refund_key: str, *, occurred_at: datetime, gateway_id: str = "") -> LedgerEntry | None:
    """A refund did not arrive, and the provider or our bank has the money again. None if it had not left.

    It may have been pending, or have succeeded before.
    """
    if refunds := entries_of(f"refund {refund_key}"):
        amount = sum(refund.total - amount_on(refund, LOSSES) for refund in refunds)
        key, payment_key = f"refund {refund_key} failed", refunds[0].payment_key
        target = BANK if any(amount_on(refund, BANK) for refund in refunds) else PROVIDER
        return give_back(key, EntryKind.REFUND_FAILED, payment_key, amount, target, occurred_at, gateway_id)
    pending = LedgerEntry.objects.filter(key=_pending(refund_key)).first()
    if pending is None:
        return None
    lines = [replace(line, amount=-line.amount) for line in lines_of(pending)]
    facts = facts_of(pending, gateway_id=gateway_id)
    return post(f"{pending.key} failed", EntryKind.REFUND_PENDING, occurred_at, lines, facts)


def post_refund_fee(
    refund_key: str, payment_key: str, fee: int, *, occurred_at: datetime, gateway_id: str = ""
) -> LedgerEntry | None:
    """The provider charged a fee for a refund. It keeps it if the refund fails.

    :raises NotPosted: the payment was not posted.
    """
    facts = _facts_of_whole(payment_entries(payment_key), gateway_id)
    lines = [Line(FEES, fee, facts.currency), Line(PROVIDER, -fee, facts.currency)]
    return post(f"refund {refund_key} fee", EntryKind.FEE, occurred_at, lines, facts)


def _pending(refund_key: str) -> str:
    return f"refund {refund_key} pending"


def _facts_of_whole(sales: list[LedgerEntry], gateway_id: str) -> Facts:
    """The facts of an entry about a whole payment: of several courses, it is not any one course's."""
    facts = facts_of(sales[0], total=0, tax=0, gateway_id=gateway_id)
    if len({sale.position for sale in sales}) > 1:
        facts = replace(facts, item=0, instructor_id=None, course_id=None, share_bps=0, description="")
    return facts


class DisputeMoves(NamedTuple):
    """What a dispute has moved in the provider's balance so far: each of these amounts only grows."""

    withdrawn: int = 0
    reinstated: int = 0
    fee: int = 0
    fee_returned: int = 0


@transaction.atomic
def post_dispute(
    dispute_key: str,
    payment_key: str,
    moves: DisputeMoves,
    *,
    is_closed: bool,
    opened_at: datetime,
    occurred_at: datetime,
    gateway_id: str = "",
) -> None:
    """Post what a dispute has moved since it was posted last, and once it is closed, what stays with the cardholder.

    What was withdrawn is in the account `disputes` until the dispute is closed; then the part that was not reinstated
    is given back like a refund. If the bank changes its mind later, the difference is posted. Moves that are fewer
    than those posted are a stale answer of the provider, and change nothing.

    :raises NotPosted: the payment was not posted.
    """
    sales = payment_entries(payment_key)
    name = f"dispute {dispute_key}"
    posted, lost = _posted_moves(name, payment_key)
    if any(now < before for now, before in zip(moves, posted, strict=True)):
        return
    facts = _facts_of_whole(sales, gateway_id)
    taken, fee = moves.withdrawn - posted.withdrawn, moves.fee - posted.fee
    if taken or fee:
        lines = _dispute_lines(taken, fee, facts.currency)
        moment = occurred_at if posted.withdrawn else opened_at
        post(_next_key(f"{name} opened"), EntryKind.DISPUTE_OPENED, moment, lines, facts)
    back, fee_back = moves.reinstated - posted.reinstated, moves.fee_returned - posted.fee_returned
    if back or fee_back:
        lines = _dispute_lines(-back, -fee_back, facts.currency)
        post(_next_key(f"{name} won"), EntryKind.DISPUTE_WON, occurred_at, lines, facts)
    rest = moves.withdrawn - moves.reinstated - lost
    if is_closed and rest:
        kind, outcome = (EntryKind.DISPUTE_LOST, "lost") if rest > 0 else (EntryKind.DISPUTE_REVERSED, "reversed")
        key = _next_key(f"{name} {outcome}")
        give_back(key, kind, payment_key, rest, DISPUTES, occurred_at, gateway_id)


def _dispute_lines(amount: int, fee: int, currency: str) -> list[Line]:
    return [Line(DISPUTES, amount, currency), Line(FEES, fee, currency), Line(PROVIDER, -amount - fee, currency)]


def _posted_moves(name: str, payment_key: str) -> tuple[DisputeMoves, int]:
    """What was posted of a dispute, and what of it was given back to the cardholder."""
    lines = LedgerLine.objects.filter(
        entry__payment_key=payment_key, entry__key__startswith=f"{name} ", account__code__in=[DISPUTES, FEES]
    )
    sums = lines.order_by().values_list("entry__kind", "account__code").annotate(Sum("amount"))
    found = {(kind, account): amount for kind, account, amount in sums}
    moves = DisputeMoves(
        withdrawn=found.get((EntryKind.DISPUTE_OPENED, DISPUTES), 0),
        reinstated=-found.get((EntryKind.DISPUTE_WON, DISPUTES), 0),
        fee=found.get((EntryKind.DISPUTE_OPENED, FEES), 0),
        fee_returned=-found.get((EntryKind.DISPUTE_WON, FEES), 0),
    )
    lost = sum(found.get((kind, DISPUTES), 0) for kind in (EntryKind.DISPUTE_LOST, EntryKind.DISPUTE_REVERSED))
    return moves, -lost


def _next_key(key: str) -> str:
    """The key, with a number if the same happened before."""
    number, found = 1, key
    while entries_of(found):
        number += 1
        found = f"{key}, {number}"
    return found


@transaction.atomic
def give_back(
    key: str, kind: EntryKind, payment_key: str, amount: int, source: str, occurred_at: datetime, gateway_id: str
) -> LedgerEntry | None:
    """Give back an amount of a payment from the account ``source``; a negative one came back.

    What exceeds the payment is the platform's loss: a dispute over more than what was left after refunds, or a refund
    after such a dispute.
    """
    sales = payment_entries(payment_key)
    if earlier := entries_of(key):
        is_same = all(entry.kind == kind and entry.payment_key == payment_key for entry in earlier)
        if not is_same or sum(amount_on(entry, source) for entry in earlier) != -amount:
            raise KeyTaken(key)
        return earlier[0]
    before = _given_back(payment_key, _GIVEN_BACK)
    totals = [sale.total for sale in sales]
    whole = sum(totals)
    by_bank = 0 if source == BANK else _returned_by_bank(payment_key)
    if kind is EntryKind.REFUND and not 0 < amount <= whole - _given_back(payment_key, _REFUNDED) + by_bank:
        raise LedgerError(f"{key}: {amount} of {whole}, of which {before} were given back")
    after = before + amount
    earlier_parts = split_returned_by_line(min(before, whole), totals)
    parts = split_returned_by_line(min(after, whole), totals)
    posted = [
        _give_back_line(key_of_item(key, sale.item), kind, sale, earlier_part, part, source, occurred_at, gateway_id)
        for sale, earlier_part, part in zip(sales, earlier_parts, parts, strict=True)
        if part != earlier_part
    ]
    beyond = max(0, after - whole) - max(0, before - whole)
    if beyond:
        facts = replace(_facts_of_whole(sales, gateway_id), item=ITEM_BEYOND)
        lines = [Line(source, -beyond, facts.currency), Line(LOSSES, beyond, facts.currency)]
        posted.append(post(key_of_item(key, ITEM_BEYOND), kind, occurred_at, lines, facts))
    return next(iter(posted), None)


def _given_back(payment_key: str, kinds: Iterable[EntryKind]) -> int:
    """What was given back of a payment so far, also beyond what was paid."""
    entries = LedgerEntry.objects.filter(payment_key=payment_key, kind__in=kinds)
    lines = LedgerLine.objects.filter(entry__in=entries, account__code=LOSSES)
    beyond = lines.aggregate(sum=Sum("amount"))["sum"] or 0
    return int(beyond) - (entries.aggregate(sum=Sum("total"))["sum"] or 0)


def _returned_by_bank(payment_key: str) -> int:
    """What of a payment went back by bank transfers."""
    lines = LedgerLine.objects.filter(
        entry__payment_key=payment_key, entry__kind__in=_REFUNDED, account__code=BANK
    ).aggregate(sum=Sum("amount"))
    return -(lines["sum"] or 0)


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
