"""An entry of the ledger: its accounts, its lines, its checksum, and how it is posted once."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from django.db import IntegrityError, transaction

from apps.billing.models import DESCRIPTION_LENGTH, AccountType, EntryKind, LedgerAccount, LedgerEntry, LedgerLine
from studyplatform.kit import jobs

PROVIDER, BANK, PLATFORM, PREMIUM, TAX = "provider", "bank", "platform", "premium", "tax"
FEES, REFUNDS, DISPUTES, PAYOUTS = "fees", "refunds", "disputes", "payouts"
RESERVES, EXCHANGE, UNEXPLAINED, OWNER = "reserves", "exchange", "unexplained", "owner"
PENDING_REFUNDS, LOSSES, DEPOSITS = "pending_refunds", "losses", "deposits"
ACCOUNTS = {
    PROVIDER: AccountType.ASSET,
    BANK: AccountType.ASSET,
    DISPUTES: AccountType.ASSET,
    PENDING_REFUNDS: AccountType.ASSET,
    RESERVES: AccountType.ASSET,
    EXCHANGE: AccountType.ASSET,
    UNEXPLAINED: AccountType.LIABILITY,
    OWNER: AccountType.EQUITY,
    PAYOUTS: AccountType.LIABILITY,
    PREMIUM: AccountType.LIABILITY,
    TAX: AccountType.LIABILITY,
    DEPOSITS: AccountType.LIABILITY,
    PLATFORM: AccountType.REVENUE,
    REFUNDS: AccountType.REVENUE,
    FEES: AccountType.EXPENSE,
    LOSSES: AccountType.EXPENSE,
}
_INSTRUCTOR = "instructor:"


class LedgerError(Exception):
    """A fact that cannot be posted: the calling code or the provider's data are wrong."""


class KeyTaken(LedgerError):
    """Something else was posted under this key."""


class NotPosted(LedgerError):
    """The fact to which this one refers was not posted."""


class Unbalanced(LedgerError):
    """The lines of an entry do not add up to zero in each currency."""


@dataclass(frozen=True, order=True)
class Line:
    """An amount for an account, in minor units: positive is debit, negative is credit."""

    account: str
    amount: int
    currency: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What an entry stores beside its lines, see `LedgerEntry`."""

    currency: str
    total: int = 0
    tax: int = 0
    share_bps: int = 0
    description: str = ""
    payment_key: str = ""
    item: int = 0
    gateway_id: str = ""
    instructor_id: int | None = None
    course_id: int | None = None


def account_of(instructor_id: int) -> str:
    """The code of an instructor's account."""
    return f"{_INSTRUCTOR}{instructor_id}"


def post(key: str, kind: EntryKind, occurred_at: datetime, lines: Iterable[Line], facts: Facts) -> LedgerEntry | None:
    """Post an entry, or return the one that was posted under this key before.

    Amounts of the same account and currency are added up, and those of zero left out; where nothing is left, nothing
    is posted and None is returned.

    :raises Unbalanced: the lines do not add up to zero in each currency.
    :raises KeyTaken: an entry with another kind or with other lines has this key.
    """
    merged = _merged(lines)
    if not merged:
        return None
    sums: dict[str, int] = defaultdict(int)
    for line in merged:
        sums[line.currency] += line.amount
    if any(sums.values()):
        raise Unbalanced(f"{key}: {dict(sums)}")
    if earlier := _posted(key, kind, merged):
        return earlier
    entry = LedgerEntry(key=key, kind=kind, occurred_at=occurred_at, line_count=len(merged), **_fitting(facts))
    entry.checksum = checksum(entry, merged)
    try:
        with transaction.atomic():
            lock_accounts(line.account for line in merged if line.account.startswith(_INSTRUCTOR))
            entry.save(force_insert=True)
            accounts = _accounts({line.account for line in merged})
            LedgerLine.objects.bulk_create(
                LedgerLine(entry=entry, account=accounts[line.account], amount=line.amount, currency=line.currency)
                for line in merged
            )
    except IntegrityError:
        # Somebody else posted it at the same time.
        if not (earlier := _posted(key, kind, merged)):
            raise
        return earlier
    return entry


def lock_accounts(codes: Iterable[str]) -> None:
    """Let postings to these accounts wait for each other, until the transaction ends."""
    wanted = LedgerAccount.objects.filter(code__in=sorted(codes)).order_by("code")
    list(wanted.select_for_update(no_key=True).values_list("pk"))


def checksum(entry: LedgerEntry, lines: Iterable[Line]) -> str:
    """A SHA-256 of all that an entry says, without its ids: `manage.py check_ledger` compares it with the rows."""
    said: dict[str, object] = {
        "key": entry.key,
        "kind": str(entry.kind),
        "occurred_at": entry.occurred_at.astimezone(UTC).isoformat(),
        "description": entry.description,
        "payment_key": entry.payment_key,
        "gateway_id": entry.gateway_id,
        "instructor_id": entry.instructor_id,
        "course_id": entry.course_id,
        "currency": entry.currency,
        "total": entry.total,
        "tax": entry.tax,
        "share_bps": entry.share_bps,
        "lines": sorted([line.account, line.currency, line.amount] for line in lines),
    }
    if entry.item:  # missing from the first, so that the checksums of entries before there were items stay right
        said["item"] = entry.item
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def to_instructor(facts: Facts, amount: int) -> list[Line]:
    return [] if facts.instructor_id is None else [Line(account_of(facts.instructor_id), amount, facts.currency)]


def amount_on(entry: LedgerEntry, account: str) -> int:
    return sum(line.amount for line in lines_of(entry) if line.account == account)


def lines_of(entry: LedgerEntry) -> list[Line]:
    rows = entry.lines.values_list("account__code", "amount", "currency")
    return sorted(Line(*row) for row in rows)


def _merged(lines: Iterable[Line]) -> list[Line]:
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for line in lines:
        sums[line.account, line.currency.lower()] += line.amount
    return sorted(Line(account, amount, currency) for (account, currency), amount in sums.items() if amount)


def _posted(key: str, kind: EntryKind, lines: list[Line]) -> LedgerEntry | None:
    entry = LedgerEntry.objects.filter(key=key).first()
    if entry is not None and (entry.kind != kind or lines_of(entry) != lines):
        raise KeyTaken(key)
    return entry


def _fitting(facts: Facts) -> dict[str, object]:
    """The facts as values of the columns: a long title is cut."""
    return {**asdict(facts), "currency": facts.currency.lower(), "description": facts.description[:DESCRIPTION_LENGTH]}


def _accounts(codes: set[str]) -> dict[str, LedgerAccount]:
    """The accounts with these codes; missing ones are created."""
    found = {account.code: account for account in LedgerAccount.objects.filter(code__in=codes)}
    for code in sorted(codes - found.keys()):
        instructor_id = int(code.removeprefix(_INSTRUCTOR)) if code.startswith(_INSTRUCTOR) else None
        kind = AccountType.LIABILITY if instructor_id is not None else ACCOUNTS[code]
        found[code], _ = LedgerAccount.objects.get_or_create(
            code=code, defaults={"type": kind, "instructor_id": instructor_id}
        )
    return found


def note_earnings(instructor_id: int) -> None:
    """In the background, look at the milestones of an instructor who earned something, and plan the next payouts."""
    jobs.enqueue("billing.note_earnings", key=str(instructor_id), instructor_id=instructor_id)
