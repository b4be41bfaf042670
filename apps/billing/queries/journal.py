"""The journal: every line of the ledger as a file that accounting software reads (docs/accounting.md)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from django.utils.timezone import get_default_timezone

from apps.billing.models import LedgerLine
from apps.billing.queries.ledger_accounts import name_account, number_account
from apps.billing.queries.report_selection import Selection, entries_of
from apps.billing.queries.reports import documents_of, receipts_of
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount

ENTRIES_AT_ONCE = 500
COLUMNS = (
    "date",
    "entry",
    "kind",
    "account",
    "account_number",
    "account_name",
    "debit",
    "credit",
    "currency",
    "description",
    "document",
    "receipt",
    "country",
    "tax_rate",
    "tax_treatment",
    "course",
    "instructor",
    "provider_id",
    "key",
)


def chunks(found: QuerySet[Any, Any]) -> Iterator[list[Any]]:
    """Yield the rows of a query set in parts, so that a long history doesn't fill the memory."""
    rows = found.iterator(ENTRIES_AT_ONCE)
    while part := list(islice(rows, ENTRIES_AT_ONCE)):
        yield part


def lines(selection: Selection) -> Iterator[str]:
    """Yield the lines of the file, oldest entry first. Four queries for each 500 entries."""
    yield csv_line(COLUMNS)
    zone = get_default_timezone()
    for entries in chunks(entries_of(selection).order_by("occurred_at", "pk")):
        payments, documents = receipts_of(entries), documents_of(entries)
        by_entry: dict[int, list[LedgerLine]] = {entry.pk: [] for entry in entries}
        rows = LedgerLine.objects.filter(entry__in=by_entry).select_related("account")
        for line in rows.order_by("entry_id", "-amount", "account__code"):
            by_entry[line.entry_id].append(line)
        for entry in entries:
            payment, document = payments.get(entry.payment_key), documents.get(entry.key)
            for line in by_entry[entry.pk]:
                amount = plain_amount(abs(line.amount), line.currency)
                yield csv_line(
                    [
                        entry.occurred_at.astimezone(zone).date().isoformat(),
                        entry.pk,
                        entry.kind,
                        line.account.code,
                        number_account(line.account.code),
                        name_account(line.account.code),
                        amount if line.amount > 0 else "",
                        amount if line.amount < 0 else "",
                        line.currency.upper(),
                        entry.description,
                        document.number if document else "",
                        (payment.receipt_number or "") if payment else "",
                        payment.country if payment else "",
                        f"{payment.tax_rate / 100:g}" if payment else "",
                        payment.tax_treatment if payment else "",
                        entry.course_id or "",
                        entry.instructor_id or "",
                        entry.gateway_id,
                        entry.key,
                    ]
                )
