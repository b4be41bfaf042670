"""What is posted when a bank transfer can't pay its order as it is, and when it is returned."""

from __future__ import annotations

from datetime import datetime

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.posting import BANK, DEPOSITS, Facts, Line, post


def post_deposit(
    key: str, amount: int, currency: str, *, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """A transfer arrived at the bank that is held for its buyer."""
    facts = Facts(currency=currency, description=description)
    lines = [Line(BANK, amount, currency), Line(DEPOSITS, -amount, currency)]
    return post(f"deposit {key}", EntryKind.DEPOSIT, occurred_at, lines, facts)


def post_deposit_returned(
    key: str, amount: int, currency: str, *, occurred_at: datetime, description: str = ""
) -> LedgerEntry | None:
    """What is left of a deposit was transferred back."""
    facts = Facts(currency=currency, description=description)
    lines = [Line(DEPOSITS, amount, currency), Line(BANK, -amount, currency)]
    return post(f"deposit {key} returned", EntryKind.DEPOSIT_RETURNED, occurred_at, lines, facts)
