"""Earlier entries, to which later ones refer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from apps.billing.models import ITEMS_PER_PART, EntryKind, LedgerEntry
from apps.billing.services.ledger.posting import Facts, LedgerError, NotPosted, lines_of

_PAID = (EntryKind.SALE, EntryKind.SUBSCRIPTION)
MAX_ITEMS = 50
"""Of one payment: more than the courses of any order."""
ITEM_BEYOND = MAX_ITEMS
"""What was given back beyond a payment: it belongs to none of its lines."""
MAX_PARTS = 11
"""Of one line: its instructor and up to ten co-instructors (`courses.services.invitations.MAX_PEOPLE`)."""


def item_of_part(position: int, part: int) -> int:
    """The item of an entry about a line of a payment; ``part``: whose part it is, from 0."""
    return position + part * ITEMS_PER_PART


def key_of_item(key: str, item: int) -> str:
    """The key of an entry about one line of a payment: that of the first has no number."""
    return f"{key} {item}" if item else key


def payment_entries(payment_key: str) -> list[LedgerEntry]:
    """The entries of a payment, one per line of its order and user who earns from it, locked.

    What was given back of them is read and posted by one transaction at a time.
    """
    payments = LedgerEntry.objects.select_for_update(no_key=True)
    entries = list(payments.filter(payment_key=payment_key, kind__in=_PAID).order_by("item"))
    if not entries:
        raise NotPosted(f"payment {payment_key}")
    return entries


def entries_of(key: str) -> list[LedgerEntry]:
    """The entries that one fact posted under this key, one per line and part of the payment that it is about."""
    items = [item_of_part(place, part) for part in range(MAX_PARTS) for place in range(ITEM_BEYOND + 1)]
    keys = [key_of_item(key, item) for item in items]
    return list(LedgerEntry.objects.filter(key__in=keys).order_by("item"))


def entry_of(key: str) -> LedgerEntry:
    """The entry with this key, locked: what follows it (sent or failed, won or lost) is decided once."""
    entry = LedgerEntry.objects.select_for_update(no_key=True).filter(key=key).first()
    if entry is None:
        raise NotPosted(key)
    return entry


def refuse_other(key: str) -> None:
    if entries_of(key):
        raise LedgerError(f"posted already: {key}")


def facts_of(entry: LedgerEntry, **changed: object) -> Facts:
    """The facts of an earlier entry, for one that refers to it."""
    known: dict[str, Any] = {field.name: getattr(entry, field.name) for field in fields(Facts)}
    return Facts(**{**known, **changed})


def amount_on(entry: LedgerEntry, account: str) -> int:
    """The amount that an entry posted to an account."""
    return sum(line.amount for line in lines_of(entry) if line.account == account)
