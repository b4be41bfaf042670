"""What is posted when a bank transfer can't pay its order as it is, and when it is returned."""

from __future__ import annotations

from datetime import datetime

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.posting import BANK, DEPOSITS, FEES, Facts, Line, post


def post_deposit(
    key: str, amount: int, currency: str, *, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """A transfer arrived at the bank that is held for its buyer."""
    facts = Facts(currency=currency, description=description)
    lines = [Line(BANK, amount, currency), Line(DEPOSITS, -amount, currency)]
    return post(f"deposit {key}", EntryKind.DEPOSIT, occurred_at, lines, facts)


def post_deposit_returned(
    key: str, amount: int, currency: str, *, occurred_at: datetime, description: str = "", number: int = 0
) -> LedgerEntry | None:
    """What is left of a deposit was transferred back. ``number``: how often the bank sent it back before."""
    facts = Facts(currency=currency, description=description)
    lines = [Line(DEPOSITS, amount, currency), Line(BANK, -amount, currency)]
    key = f"deposit {key} returned{f' {number}' if number else ''}"
    return post(key, EntryKind.DEPOSIT_RETURNED, occurred_at, lines, facts)


def post_deposit_rejected(
    key: str, amount: int, currency: str, *, occurred_at: datetime, description: str = "", number: int = 0
) -> LedgerEntry | None:
    """The bank sent back what was transferred back: it is held again. ``number``: of its earlier rejections."""
    facts = Facts(currency=currency, description=description)
    lines = [Line(BANK, amount, currency), Line(DEPOSITS, -amount, currency)]
    return post(f"{_rejected(key)}{number}", EntryKind.DEPOSIT, occurred_at, lines, facts)


def count_rejected_deposits(key: str) -> int:
    """Return how often the bank sent back what was returned of a deposit. One query."""
    return LedgerEntry.objects.filter(key__startswith=_rejected(key)).count()


def _rejected(key: str) -> str:
    return f"deposit {key} rejected "


def post_transfer_charge(
    key: str, amount: int, currency: str, *, payment_key: str, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """Banks kept a part of a transfer on its way, and the platform bears it: the buyer has paid in full."""
    facts = Facts(currency=currency, description=description, payment_key=payment_key)
    lines = [Line(FEES, amount, currency), Line(DEPOSITS, -amount, currency)]
    return post(f"deposit {key} charges", EntryKind.TRANSFER_CHARGE, occurred_at, lines, facts)
