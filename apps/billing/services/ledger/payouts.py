"""What is posted when instructors get their part: shares of Premium, and payouts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.earlier import amount_on, entry_of, facts_of, refuse_other
from apps.billing.services.ledger.posting import (
    PAYOUTS,
    PLATFORM,
    PREMIUM,
    PROVIDER,
    Facts,
    Line,
    account_of,
    lines_of,
    note_earnings,
    post,
    to_instructor,
)
from apps.billing.splits import share_of, split_by_weight


@transaction.atomic
def post_premium_share(
    period: str,
    pool: int,
    minutes: Mapping[int, int],
    share_bps: int,
    currency: str,
    *,
    occurred_at: datetime,
) -> list[LedgerEntry]:
    """Divide a month's part of the premium pool: by the minutes that subscribers watched per instructor.

    ``period`` is such as "2026-11". Each instructor gets the share of their part of the pool, the platform the rest;
    without any minutes the platform gets all. One entry per instructor and one for the platform, in this order.
    """
    parts = split_by_weight(pool, minutes)
    entries = []
    rest = pool
    for instructor_id in sorted(parts):
        part = parts[instructor_id]
        earned = share_of(part, share_bps)
        rest -= earned
        facts = Facts(
            currency=currency, total=part, share_bps=share_bps, description=period, instructor_id=instructor_id
        )
        lines = [Line(PREMIUM, earned, currency), *to_instructor(facts, -earned)]
        key = f"premium {period} {currency} {account_of(instructor_id)}"
        entries.append(post(key, EntryKind.PREMIUM_SHARE, occurred_at, lines, facts))
        note_earnings(instructor_id)
    facts = Facts(currency=currency, description=period)
    lines = [Line(PREMIUM, rest, currency), Line(PLATFORM, -rest, currency)]
    key = f"premium {period} {currency} {PLATFORM}"
    entries.append(post(key, EntryKind.PREMIUM_SHARE, occurred_at, lines, facts))
    return [entry for entry in entries if entry is not None]


def post_payout_started(
    payout_key: str, instructor_id: int, amount: int, currency: str, *, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """An amount left the instructor's balance and is on its way."""
    facts = Facts(currency=currency, instructor_id=instructor_id, description=description)
    lines = [*to_instructor(facts, amount), Line(PAYOUTS, -amount, currency)]
    return post(f"payout {payout_key}", EntryKind.PAYOUT_STARTED, occurred_at, lines, facts)


@transaction.atomic
def post_payout_sent(
    payout_key: str, *, occurred_at: datetime, source: str = PROVIDER, gateway_id: str = ""
) -> LedgerEntry | None:
    """The payout left the account ``source``: the provider's, or the platform's own bank account.

    :raises NotPosted: the payout was not started.
    :raises LedgerError: the payout failed.
    """
    started = entry_of(f"payout {payout_key}")
    refuse_other(f"payout {payout_key} failed")
    amount, currency = -amount_on(started, PAYOUTS), started.currency
    facts = facts_of(started, gateway_id=gateway_id)
    lines = [Line(PAYOUTS, amount, currency), Line(source, -amount, currency)]
    return post(f"payout {payout_key} sent", EntryKind.PAYOUT_SENT, occurred_at, lines, facts)


@transaction.atomic
def post_payout_failed(payout_key: str, *, occurred_at: datetime, gateway_id: str = "") -> LedgerEntry | None:
    """The payout did not arrive: the amount belongs to the instructor's balance again.

    It may fail before it was sent, or come back afterwards.

    :raises NotPosted: the payout was not started.
    """
    key = f"payout {payout_key}"
    started = entry_of(key)
    if earlier := LedgerEntry.objects.filter(key=f"{key} failed").first():
        return earlier
    sent = LedgerEntry.objects.filter(key=f"{key} sent").first()
    amount, currency = -amount_on(started, PAYOUTS), started.currency
    source = next(line.account for line in lines_of(sent) if line.amount < 0) if sent else PAYOUTS
    facts = facts_of(started, gateway_id=gateway_id)
    lines = [Line(source, amount, currency), *to_instructor(facts, -amount)]
    return post(f"{key} failed", EntryKind.PAYOUT_FAILED, occurred_at, lines, facts)
