"""Whether the ledger still says what was posted, for `manage.py check_ledger`."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Sum

from apps.billing.models import LEDGER_TRIGGERS, BooksDifference, Deposit, LedgerEntry, LedgerLine
from apps.billing.queries.document_check import document_problems
from apps.billing.queries.payout_check import payout_problems
from apps.billing.services.ledger import Line, checksum
from apps.billing.services.ledger.posting import DEPOSITS

logger = logging.getLogger(__name__)
CHUNK = 500  # entries whose lines are read at once


@dataclass(frozen=True)
class Problem:
    """What is wrong with an entry, a line or a table; ``name`` is its key, its id or its name."""

    kind: str
    name: str
    text: str


def problems() -> Iterator[Problem]:
    """Read the whole ledger and yield what is wrong with it, and with what must agree with it. Two queries per 500
    entries, three per 500 payments, and two for what is held of bank transfers.

    What breaks while it is checked is a problem, too, and ends neither the other rows nor the other parts.
    """
    yield from _part("triggers", _of_triggers())
    yield from _part("entries", _of_ledger())
    yield from _part("lines", _of_lines())
    yield from _part("payouts", (Problem("payout", payout, text) for payout, text in payout_problems()))
    yield from _part("deposits", _of_deposits())
    yield from _part("documents", (Problem("document", each.name, each.text) for each in document_problems()))


def _part(name: str, part: Iterator[Problem], *, kind: str = BooksDifference.BROKEN_PART) -> Iterator[Problem]:
    try:
        yield from part
    except Exception as error:
        logger.exception("The check of the %s broke", name)
        yield Problem(kind, name, f"couldn't be checked to the end: {error}"[:300])


def _of_triggers() -> Iterator[Problem]:
    for table, count in Counter(LEDGER_TRIGGERS.missing()).items():
        yield Problem("trigger", table, f"{count} of the triggers that protect the table are missing")


def _of_ledger() -> Iterator[Problem]:
    for key in LedgerEntry.objects.values_list("key", flat=True).annotate(n=Count("pk")).filter(n__gt=1).order_by():
        yield Problem("key", key, "more than one entry has this key")
    last = 0
    while entries := list(LedgerEntry.objects.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        yield from _of_entries(entries)
        last = entries[-1].pk


def _of_lines() -> Iterator[Problem]:
    orphans = LedgerLine.objects.filter(~Exists(LedgerEntry.objects.filter(pk=OuterRef("entry"))))
    for pk in orphans.order_by("pk").values_list("pk", flat=True):
        yield Problem("line", str(pk), "the entry of this line is missing")
    sums = LedgerLine.objects.order_by("currency").values_list("currency").annotate(Sum("amount"))
    for currency, amount in sums:
        if amount:
            yield Problem("total", currency, f"all lines add up to {amount} instead of 0")


def _of_deposits() -> Iterator[Problem]:
    """What the ledger holds for buyers is what their transfers have left."""
    lines = LedgerLine.objects.filter(account__code=DEPOSITS).order_by()
    posted = dict(lines.values_list("currency").annotate(Sum("amount")))
    rests = Deposit.objects.filter(returned_on=None).order_by().values_list("order__currency")
    held = dict(rests.annotate(held=Sum(F("amount") - F("applied"))))
    for currency in sorted({*posted, *held}):
        here, there = held.get(currency, 0), -posted.get(currency, 0)
        if here != there:
            yield Problem("deposits", currency, f"{here} are held for buyers, and the ledger says {there}")


def _of_entries(entries: list[LedgerEntry]) -> Iterator[Problem]:
    lines: dict[int, list[Line]] = {entry.pk: [] for entry in entries}
    rows = LedgerLine.objects.filter(entry__in=lines).order_by()
    for pk, account, amount, currency in rows.values_list("entry_id", "account__code", "amount", "currency"):
        lines[pk].append(Line(account, amount, currency))
    for entry in entries:
        yield from _part(entry.key, _of_entry(entry, lines[entry.pk]), kind="entry")


def _of_entry(entry: LedgerEntry, lines: list[Line]) -> Iterator[Problem]:
    sums = Counter[str]()
    for each in lines:
        sums[each.currency] += each.amount
    if len(lines) != entry.line_count:
        yield Problem("lines", entry.key, f"has {len(lines)} lines, and was posted with {entry.line_count}")
    if wrong := {currency: amount for currency, amount in sorted(sums.items()) if amount}:
        yield Problem("balance", entry.key, f"its lines add up to {wrong} instead of 0")
    if checksum(entry, lines) != entry.checksum:
        yield Problem("checksum", entry.key, "it or one of its lines was changed")
