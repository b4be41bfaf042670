"""The tables of billing."""

from apps.billing.models.ledger import (
    DESCRIPTION_LENGTH,
    LEDGER_TRIGGERS,
    AccountType,
    EntryKind,
    LedgerAccount,
    LedgerEntry,
    LedgerLine,
)

__all__ = [
    "DESCRIPTION_LENGTH",
    "LEDGER_TRIGGERS",
    "AccountType",
    "EntryKind",
    "LedgerAccount",
    "LedgerEntry",
    "LedgerLine",
]
