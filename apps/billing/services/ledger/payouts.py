"""What is posted when instructors get their part: shares of Premium, and payouts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

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
    lines_of,
    note_earnings,
    post,
    to_instructor,
)
from apps.billing.splits import share_of


class PremiumPart(NamedTuple):
    """A course's part of the pool, in minor units, before it is divided between its instructor and the platform.

    A course that several people teach has a part for each who has a share of it.
    """

    instructor_id: int
    course_id: int
    title: str
    amount: int


@transaction.atomic
def post_premium_share(
    period: str,
    pool: int,
    parts: Iterable[PremiumPart],
    share_bps: int,
    currency: str,
    *,
    occurred_at: datetime,
) -> dict[int, int]:
    """Divide a month's pool of Premium. Returns what was earned with each course, by the course's id.

    ``period`` is such as "2026-11". Who a part is for gets the share of it, the platform the rest, so without any parts
    the platform gets all. The first part of a course is that of its instructor, others those of co-instructors. The
    parts can be more than the pool, if payments were refunded after their months had been shared: that is the
    platform's loss. One entry per part, and one for the platform.
    """
    earned: dict[int, int] = {}
    for part in sorted(parts, key=lambda part: part.course_id):
        amount = share_of(part.amount, share_bps)
        key = f"premium {period} {currency} course {part.course_id}"
        if part.course_id in earned:
            key = f"{key} user {part.instructor_id}"
        earned[part.course_id] = earned.get(part.course_id, 0) + amount
        facts = Facts(
            currency=currency,
            total=part.amount,
            share_bps=share_bps,
            description=part.title,
            instructor_id=part.instructor_id,
            course_id=part.course_id,
        )
        lines = [Line(PREMIUM, amount, currency), *to_instructor(facts, -amount)]
        post(key, EntryKind.PREMIUM_SHARE, occurred_at, lines, facts)
        note_earnings(part.instructor_id)
    rest = pool - sum(earned.values())
    facts = Facts(currency=currency, description=period)
    lines = [Line(PREMIUM, rest, currency), Line(PLATFORM, -rest, currency)]
    post(f"premium {period} {currency} {PLATFORM}", EntryKind.PREMIUM_SHARE, occurred_at, lines, facts)
    return earned


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


@transaction.atomic
def post_payout_transfer(payout_key: str, transfer: str, amount: int, *, occurred_at: datetime) -> LedgerEntry | None:
    """A transfer was found of a payout that had failed, or that another transfer had sent: the instructor has it.

    Their balance may become negative: later payouts are less by that.

    :raises NotPosted: the payout was not started.
    """
    started = entry_of(f"payout {payout_key}")
    facts = facts_of(started, gateway_id=transfer)
    lines = [*to_instructor(facts, amount), Line(PROVIDER, -amount, started.currency)]
    return post(f"payout {payout_key} transfer {transfer}", EntryKind.PAYOUT_SENT, occurred_at, lines, facts)


@transaction.atomic
def post_payout_reversed(payout_key: str, reversal: str, amount: int, *, occurred_at: datetime) -> LedgerEntry | None:
    """The provider took back a transfer, or a part of it: the amount belongs to the instructor's balance again.

    :raises NotPosted: the payout was not started.
    """
    started = entry_of(f"payout {payout_key}")
    facts = facts_of(started, gateway_id=reversal)
    lines = [Line(PROVIDER, amount, started.currency), *to_instructor(facts, -amount)]
    return post(f"payout {payout_key} reversal {reversal}", EntryKind.PAYOUT_REVERSED, occurred_at, lines, facts)
