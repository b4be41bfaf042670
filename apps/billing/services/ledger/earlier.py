"""Earlier entries, to which later ones refer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services.ledger.posting import Facts, LedgerError, NotPosted, lines_of

_PAID = (EntryKind.SALE, EntryKind.SUBSCRIPTION)


def payment_entry(payment_key: str) -> LedgerEntry:
    """The entry of a payment, locked: what was given back of it is read and posted by one transaction at a time."""
    payments = LedgerEntry.objects.select_for_update(no_key=True)
    entry = payments.filter(payment_key=payment_key, kind__in=_PAID).first()
    if entry is None:
        raise NotPosted(f"payment {payment_key}")
    return entry


def entry_of(key: str) -> LedgerEntry:
    """The entry with this key, locked: what follows it (sent or failed, won or lost) is decided once."""
    entry = LedgerEntry.objects.select_for_update(no_key=True).filter(key=key).first()
    if entry is None:
        raise NotPosted(key)
    return entry


def refuse_other(key: str) -> None:
    if LedgerEntry.objects.filter(key=key).exists():
        raise LedgerError(f"posted already: {key}")


def facts_of(entry: LedgerEntry, **changed: object) -> Facts:
    """The facts of an earlier entry, for one that refers to it."""
    known: dict[str, Any] = {field.name: getattr(entry, field.name) for field in fields(Facts)}
    return Facts(**{**known, **changed})


def amount_on(entry: LedgerEntry, account: str) -> int:
    """The amount that an entry posted to an account."""
    return sum(line.amount for line in lines_of(entry) if line.account == account)
