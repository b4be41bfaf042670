"""Whether documents equal postings: for each payment, invoices less credit notes are what the ledger says."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q, Sum

from apps.billing.models import DOCUMENT_TRIGGERS, Document, DocumentSeries, LedgerEntry, Payment
from apps.billing.models.documents import digest_of

logger = logging.getLogger(__name__)
BATCH_SIZE = 500  # payments or documents that are read at once


@dataclass(frozen=True)
class DocumentProblem:
    """What is wrong with a document, a series or the documents of a payment; ``name`` is its number."""

    name: str
    text: str


@dataclass
class Sums:
    """What documents or postings of a payment add up to, in minor units. ``any``: whether there are any."""

    total: int = 0
    tax: int = 0
    any: bool = False  # a payment that was returned adds up to 0, with documents or without them


def document_problems() -> Iterator[DocumentProblem]:
    """Yield what is wrong with documents, and where they differ from the ledger. Three queries per 500 payments."""
    for _table in DOCUMENT_TRIGGERS.missing():
        yield DocumentProblem("billing_document", "a trigger that protects the documents is missing")
    yield from _changed_documents()
    yield from _series_with_gaps()
    for payment, posted, documented in _compared():
        if posted != documented:
            yield DocumentProblem(
                payment.receipt_number or payment.gateway_id,
                f"documents add up to {documented.total} with {documented.tax} tax,"
                f" and the ledger says {posted.total} with {posted.tax} tax",
            )


def payments_without_documents() -> Iterator[Payment]:
    """Yield payments whose documents are not all issued, the earliest first."""
    return (payment for payment, posted, documented in _compared() if posted != documented)


def documents_of_payments(payments: Sequence[Payment]) -> list[Document]:
    """Return all documents of payments, also those of their orders from before they were paid, as they were issued."""
    orders = [payment.order_id for payment in payments if payment.order_id is not None]
    of_orders = Q(order__in=orders, payment=None)
    found = Document.objects.filter(Q(payment__in=payments) | of_orders)
    return list(found.order_by("issued_at", "pk"))


def invoice_of(payment: Payment) -> Document | None:
    """Return the invoice of a payment: its own, or that of its order from before it was paid. One query."""
    documents = documents_of_payments([payment])
    canceled = {each.corrects_id for each in documents if each.payment_id is None}  # before the order was paid
    return next((each for each in documents if each.sign > 0 and each.pk not in canceled), None)


def _compared() -> Iterator[tuple[Payment, Sums, Sums]]:
    """Payments with what the ledger and the documents say, by time."""
    payments = Payment.objects.filter(amount__gt=0).order_by("paid_at", "pk")
    batch: list[Payment] = []
    for payment in payments.iterator(BATCH_SIZE):
        batch.append(payment)
        if len(batch) == BATCH_SIZE:
            yield from _compared_batch(batch)
            batch = []
    yield from _compared_batch(batch)


def _compared_batch(batch: list[Payment]) -> Iterator[tuple[Payment, Sums, Sums]]:
    if not batch:
        return
    posted: dict[str, Sums] = defaultdict(Sums)
    entries = LedgerEntry.objects.filter(payment_key__in=[payment.gateway_id for payment in batch]).order_by()
    for key, total, tax in entries.values_list("payment_key").annotate(Sum("total"), Sum("tax")):
        posted[key] = Sums(total, tax, any=True)
    by_payment: dict[int, Sums] = defaultdict(Sums)
    by_order: dict[int, Sums] = defaultdict(Sums)
    columns = ("payment_id", "order_id", "kind", "total", "tax")
    orders = [payment.order_id for payment in batch if payment.order_id is not None]
    documents = Document.objects.filter(Q(payment__in=batch) | Q(order__in=orders, payment=None)).order_by()
    for payment_id, order_id, kind, total, tax in documents.values_list(*columns):
        sums = by_payment[payment_id] if payment_id is not None else by_order[order_id]
        sign = 1 if kind == Document.Kind.INVOICE else -1
        sums.total += sign * total
        sums.tax += sign * tax
        sums.any = True
    for payment in batch:
        direct = by_payment[payment.pk]
        early = by_order[payment.order_id] if payment.order_id is not None else Sums()
        documented = Sums(direct.total + early.total, direct.tax + early.tax, any=direct.any or early.any)
        yield payment, posted[payment.gateway_id], documented


def _changed_documents() -> Iterator[DocumentProblem]:
    for document in Document.objects.order_by("pk").iterator(BATCH_SIZE):
        try:
            if text := _change_of(document):
                yield DocumentProblem(document.number, text)
        except Exception as error:
            logger.exception("Document %s can't be checked", document.number)
            yield DocumentProblem(document.number, f"can't be checked: {error}")


def _change_of(document: Document) -> str:
    """What is wrong with a document; "" if nothing is."""
    if digest_of(document.snapshot) != document.sha256:
        return "it was changed after it was issued"
    facts = document.snapshot["facts"]
    shown = (facts["number"], facts["total"], facts["tax"])
    is_same = shown == (document.number, document.total, document.tax)
    return "" if is_same else "its columns say something else than its page"


def _series_with_gaps() -> Iterator[DocumentProblem]:
    counted = {
        (kind, year): (count, last)
        for kind, year, count, last in Document.objects.order_by()
        .values_list("kind", "year")
        .annotate(Count("pk"), Max("position"))
    }
    for series in DocumentSeries.objects.order_by("kind", "year"):
        count, last = counted.pop((series.kind, series.year), (0, 0))
        if not count == last == series.last:
            yield DocumentProblem(str(series), f"{count} documents, the last number is {last}")
    for kind, year in counted:
        yield DocumentProblem(f"{kind} {year}", "the series of these documents is missing")
