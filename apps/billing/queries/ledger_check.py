"""Whether the ledger still says what was posted, for `manage.py check_ledger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Sum

from apps.billing.models import LEDGER_TRIGGERS, LedgerEntry, LedgerLine
from apps.billing.queries.document_check import document_problems
from apps.billing.queries.payout_check import payout_problems
from apps.billing.services.ledger import Line, checksum

CHUNK = 500  # entries whose lines are read at once


@dataclass(frozen=True)
class Problem:
    """What is wrong with an entry, a line or a table; ``name`` is its key, its id or its name."""

    kind: str
    name: str
    text: str


def problems() -> Iterator[Problem]:
    """Read the whole ledger and yield what is wrong with it, and with what must agree with it. Two queries per 500
    entries, and three per 500 payments."""
    for table, count in Counter(LEDGER_TRIGGERS.missing()).items():
        yield Problem("trigger", table, f"{count} of the triggers that protect the table are missing")
    for key in LedgerEntry.objects.values_list("key", flat=True).annotate(n=Count("pk")).filter(n__gt=1).order_by():
        yield Problem("key", key, "more than one entry has this key")
    last = 0
    while entries := list(LedgerEntry.objects.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        yield from _of_entries(entries)
        last = entries[-1].pk
    orphans = LedgerLine.objects.filter(~Exists(LedgerEntry.objects.filter(pk=OuterRef("entry"))))
    for pk in orphans.order_by("pk").values_list("pk", flat=True):
        yield Problem("line", str(pk), "the entry of this line is missing")
    sums = LedgerLine.objects.order_by("currency").values_list("currency").annotate(Sum("amount"))
    for currency, amount in sums:
        if amount:
            yield Problem("total", currency, f"all lines add up to {amount} instead of 0")
    for payout, text in payout_problems():
        yield Problem("payout", payout, text)
    for each in document_problems():
        yield Problem("document", each.name, each.text)


def _of_entries(entries: list[LedgerEntry]) -> Iterator[Problem]:
    lines: dict[int, list[Line]] = {entry.pk: [] for entry in entries}
    rows = LedgerLine.objects.filter(entry__in=lines).order_by()
    for pk, account, amount, currency in rows.values_list("entry_id", "account__code", "amount", "currency"):
        lines[pk].append(Line(account, amount, currency))
    for entry in entries:
        found = lines[entry.pk]
        sums = Counter[str]()
        for each in found:
            sums[each.currency] += each.amount
        if len(found) != entry.line_count:
            yield Problem("lines", entry.key, f"has {len(found)} lines, and was posted with {entry.line_count}")
        if wrong := {currency: amount for currency, amount in sorted(sums.items()) if amount}:
            yield Problem("balance", entry.key, f"its lines add up to {wrong} instead of 0")
        if checksum(entry, found) != entry.checksum:
            yield Problem("checksum", entry.key, "it or one of its lines was changed")
