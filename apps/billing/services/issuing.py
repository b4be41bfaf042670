"""Issue invoices and credit notes: one document for each fact in the ledger that moved a buyer's money.

The ledger says what is documented: a sale gets an invoice, what was given back a credit note, and what came back again
(a refund that failed, a dispute won after all) an invoice that cancels the credit note. So documents equal postings
(docs/adr/0050). Numbers have no gaps: the row of their series is locked until the transaction ends.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import translation
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from apps.billing.documents.snapshots import TEMPLATE, Content, Item, make_snapshot
from apps.billing.models import (
    Dispute,
    Document,
    DocumentSeries,
    EntryKind,
    LedgerEntry,
    Order,
    Payment,
    Refund,
)
from apps.billing.models.documents import DocumentKind, digest_of
from apps.billing.queries.document_check import BATCH_SIZE, documents_of_payments, payments_without_documents
from apps.billing.queries.transactions import card_of_payment

PAID_KINDS = (EntryKind.SALE, EntryKind.SUBSCRIPTION)


@dataclass(frozen=True)
class Fact:
    """What a document documents: the ledger's entries of one sale, refund or dispute, one per item.

    ``gateway_id``: the provider's ID of the refund or dispute; "" for a sale.
    """

    key: str
    payment: Payment
    entries: Sequence[LedgerEntry]
    gateway_id: str

    @property
    def total(self) -> int:
        return sum(entry.total for entry in self.entries)

    @property
    def is_sale(self) -> bool:
        return self.entries[0].kind in PAID_KINDS

    @property
    def occurred_at(self) -> datetime:
        return self.entries[0].occurred_at


@transaction.atomic
def issue_documents(*, payment: Payment, now: datetime) -> list[Document]:
    """Issue what is missing of a payment's invoices and credit notes. Idempotent; returns the new ones.

    Called by everything that posts a sale, a refund or a dispute, in its transaction.
    """
    locked = Payment.objects.select_for_update(of=("self",)).select_related("user", "order").get(pk=payment.pk)
    missing = _missing_facts([locked])
    kinds = {_kind_of(fact) for fact in missing}
    _lock_series(kinds, localtime(now).year)
    return [_issue(fact, at=now) for fact in missing]


def is_ready() -> bool:
    """Return whether all migrations ran: the tables are as the models say."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def issue_missing_documents() -> int:
    """Issue the documents of payments that have none, in the order of time, dated as the payments; return how many.

    For the payments of a site from before there were documents, and for rows that were restored. Idempotent.
    """
    waiting: list[tuple[datetime, int, int, str]] = []
    payments = payments_without_documents()
    while batch := list(islice(payments, BATCH_SIZE)):
        waiting += [(each.occurred_at, each.entries[0].pk, each.payment.pk, each.key) for each in _missing_facts(batch)]
    issued = 0
    for occurred_at, _entry, payment_id, key in sorted(waiting):
        with transaction.atomic():
            payment = Payment.objects.select_for_update(of=("self",)).select_related("user", "order").get(pk=payment_id)
            fact = next((each for each in _missing_facts([payment]) if each.key == key), None)
            if fact is not None:
                _issue(fact, at=occurred_at)
                issued += 1
    return issued


@transaction.atomic
def issue_order_invoice(*, order: Order, now: datetime) -> Document:
    """Issue the invoice of an order that is to be paid later. Idempotent: an order has one that isn't canceled.

    :raises ValueError: the order costs nothing.
    """
    if not order.total:
        raise ValueError(f"order {order.number} costs nothing")
    locked = Order.objects.select_for_update(of=("self",)).select_related("user", "promo_code").get(pk=order.pk)
    earlier = list(Document.objects.filter(order=locked).order_by("pk"))
    canceled = {each.corrects_id for each in earlier}
    open_invoice = next((each for each in earlier if each.sign > 0 and each.pk not in canceled), None)
    if open_invoice is not None:
        return open_invoice
    draft = _Draft(
        kind=DocumentKind.INVOICE,
        key=f"order {locked.pk} {len(earlier) // 2 + 1}",
        user_id=locked.user_id,
        at=now,
        links={"order": locked},
        facts={
            "currency": locked.currency,
            "items": _items_of_order(locked),
            "buyer": locked.buyer or {"country": locked.country},
            "buyer_name": locked.user.display_name,
            "email": locked.email,
            "tax_rate": locked.tax_rate,
            "treatment": locked.tax_treatment,
            "page": "/billing/transactions",
        },
        language=locked.buyer.get("language", ""),
    )
    return _write(draft)


@transaction.atomic
def cancel_order_invoice(*, order: Order, reason: str, now: datetime) -> Document | None:
    """Cancel the invoice of an order that won't be paid, by a credit note. Idempotent; None if there is none."""
    Order.objects.select_for_update().get(pk=order.pk)
    earlier = list(Document.objects.filter(order=order).order_by("pk"))
    canceled = {each.corrects_id for each in earlier}
    invoice = next((each for each in earlier if each.sign > 0 and each.pk not in canceled), None)
    if invoice is None or Payment.objects.filter(order=order).exists():
        return None
    known = invoice.snapshot["facts"]
    draft = _Draft(
        kind=DocumentKind.CREDIT_NOTE,
        key=f"{invoice.fact} canceled",
        user_id=invoice.user_id,
        at=now,
        links={"order": order, "corrects": invoice},
        facts={
            **_facts_of_document(invoice),
            "items": [_item_of(each) for each in known["items"]],
            "corrects": (invoice.number, invoice.issued_at),
            "reason": reason,
            "page": "/billing/transactions",
        },
        language=known["language"],
    )
    return _write(draft)


def _missing_facts(payments: Sequence[Payment]) -> list[Fact]:
    """The facts of these payments in the ledger that have no document, in the order in which they were posted."""
    by_key = {payment.gateway_id: payment for payment in payments}
    grouped: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in LedgerEntry.objects.filter(payment_key__in=by_key).exclude(total=0).order_by("pk"):
        grouped[_fact_key(entry)].append(entry)
    documented = set(Document.objects.filter(fact__in=grouped).values_list("fact", flat=True))
    invoiced = _orders_with_invoice(payments)
    found = []
    for key, entries in grouped.items():
        payment = by_key[entries[0].payment_key]
        is_paid = entries[0].kind in PAID_KINDS
        if key in documented or (is_paid and payment.order_id in invoiced):
            continue
        fact = Fact(key, payment, entries, "" if is_paid else entries[0].gateway_id)
        if fact.total:
            found.append(fact)
    return found


def _fact_key(entry: LedgerEntry) -> str:
    if entry.kind in PAID_KINDS:
        return f"payment {entry.payment_key}"
    return f"{entry.kind} {entry.gateway_id or entry.key}"


def _orders_with_invoice(payments: Sequence[Payment]) -> set[int]:
    """The orders whose invoice was issued before they were paid."""
    orders = [payment.order_id for payment in payments if payment.order_id is not None]
    early = Document.objects.filter(order__in=orders, payment=None)
    sums: dict[int, int] = defaultdict(int)
    for document in early:
        sums[document.order_id or 0] += document.sign * document.total
    return {order for order, amount in sums.items() if amount}


def _kind_of(fact: Fact) -> DocumentKind:
    return DocumentKind.INVOICE if fact.total > 0 else DocumentKind.CREDIT_NOTE


def _issue(fact: Fact, *, at: datetime) -> Document:
    payment, kind = fact.payment, _kind_of(fact)
    links: dict[str, Any] = {"payment": payment, "order": payment.order}
    links["refund"] = Refund.objects.filter(gateway_id=fact.gateway_id).first() if fact.gateway_id else None
    links["dispute"] = Dispute.objects.filter(gateway_id=fact.gateway_id).first() if fact.gateway_id else None
    corrected = None if fact.is_sale else _corrected_by(fact, kind)
    links["corrects"] = corrected
    facts = {
        "currency": payment.currency,
        "buyer": payment.buyer or {"country": payment.country},
        "buyer_name": payment.user.display_name,
        "email": payment.email,
        "tax_rate": payment.tax_rate,
        "treatment": payment.tax_treatment,
        "page": f"/billing/transactions/{payment.uid}",
        "receipt": payment.receipt_number or "",
    }
    language = payment.buyer.get("language", "")
    if corrected is not None:
        facts |= _facts_of_document(corrected)
        facts["corrects"] = (corrected.number, corrected.issued_at)
        language = corrected.snapshot["facts"]["language"]
    if fact.is_sale:
        facts["items"] = _items_of_sale(fact)
        facts["paid"] = (payment.paid_at, card_of_payment(payment))
    else:
        facts["items"] = _items_of_return(fact)
        with _in_language(language):
            facts["reason"] = _reason_of(fact)
    return _write(
        _Draft(kind=kind, key=fact.key, user_id=payment.user_id, at=at, links=links, facts=facts, language=language)
    )


def _corrected_by(fact: Fact, kind: DocumentKind) -> Document | None:
    """The payment's invoice; for a fact that cancels a return, the credit note of the return."""
    documents = documents_of_payments([fact.payment])
    canceled = {each.corrects_id for each in documents if each.payment_id is None}  # before the order was paid
    if kind == DocumentKind.CREDIT_NOTE:
        return next((each for each in documents if each.sign > 0 and each.pk not in canceled), None)
    ours = [each for each in documents if each.sign < 0 and each.fact.endswith(f" {fact.gateway_id}")]
    return ours[-1] if ours else None


def _facts_of_document(document: Document) -> dict[str, Any]:
    """What a document that corrects another one takes from it: the buyer and the tax as they were."""
    known = document.snapshot["facts"]
    buyer = {name: value for name, value in known["buyer"].items() if name != "email"}
    return {
        "currency": document.currency,
        "buyer": buyer,
        "buyer_name": buyer["name"],
        "email": known["buyer"]["email"],
        "tax_rate": known["tax_rate"],
        "treatment": known["treatment"],
    }


def _items_of_sale(fact: Fact) -> list[Item]:
    payment = fact.payment
    if len(fact.entries) == 1:
        period = (payment.period_start, payment.period_end)
        return [
            Item(
                title=payment.title,
                list_price=payment.list_price,
                discount=payment.discount,
                promo_code=payment.promo_code,
                credit=payment.credit,
                total=payment.amount,
                tax=payment.tax,
                period=(period[0], period[1]) if period[0] and period[1] else None,
            )
        ]
    return [
        Item(title=each.description, list_price=each.total, total=each.total, tax=each.tax) for each in fact.entries
    ]


def _items_of_return(fact: Fact) -> list[Item]:
    return [_item_of_entry(each) for each in fact.entries]


def _item_of_entry(entry: LedgerEntry) -> Item:
    total = abs(entry.total)
    return Item(title=entry.description, list_price=total, total=total, tax=abs(entry.tax))


def _items_of_order(order: Order) -> list[Item]:
    return [
        Item(
            title=order.course.title,
            list_price=order.list_price,
            discount=order.discount,
            promo_code=order.promo_code.code if order.promo_code else "",
            total=order.total,
            tax=order.tax,
        )
    ]


def _item_of(facts: dict[str, Any]) -> Item:
    return Item(**{**facts, "period": None})


def _reason_of(fact: Fact) -> str:
    match fact.entries[0].kind:
        case EntryKind.REFUND:
            return _("Refund")
        case EntryKind.REFUND_FAILED:
            return _("The refund failed")
        case EntryKind.DISPUTE_LOST:
            return _("The cardholder's bank returned the payment")
        case _other:
            return str(fact.entries[0].get_kind_display())


@dataclass(frozen=True)
class _Draft:
    """A document without a number. ``facts`` are those of its `Content`."""

    kind: DocumentKind
    key: str
    user_id: int
    at: datetime
    links: dict[str, Any]
    facts: dict[str, Any]
    language: str


def _write(draft: _Draft) -> Document:
    """Give the document the next number of its series, and save it."""
    series = _lock_series({draft.kind}, localtime(draft.at).year)[draft.kind]
    # Dates follow the order of the numbers, even if a process waited for the series or a clock is late.
    issued_at = max(draft.at, series.last_issued_at or draft.at)
    series.last, series.last_issued_at = series.last + 1, issued_at
    series.save(update_fields=["last", "last_issued_at"])
    is_invoice = draft.kind == DocumentKind.INVOICE
    prefix = settings.INVOICE_PREFIX if is_invoice else settings.CREDIT_NOTE_PREFIX
    number = f"{prefix}-{series.year}-{series.last:06d}"
    with _in_language(draft.language):
        content = Content(kind=draft.kind, number=number, issued_at=issued_at, **draft.facts)
        snapshot = make_snapshot(content)
    document = Document(
        kind=draft.kind,
        number=number,
        year=series.year,
        position=series.last,
        fact=draft.key,
        user_id=draft.user_id,
        currency=content.currency,
        total=content.total,
        tax=content.tax,
        snapshot=snapshot,
        template=TEMPLATE,
        sha256=digest_of(snapshot),
        issued_at=issued_at,
        **draft.links,
    )
    document.save()
    return document


def _lock_series(kinds: set[DocumentKind], year: int) -> dict[str, DocumentSeries]:
    """Lock the series of these kinds until the transaction ends, in one order, so that nothing waits in a circle."""
    for kind in sorted(kinds):
        DocumentSeries.objects.get_or_create(kind=kind, year=year)
    rows = DocumentSeries.objects.select_for_update().filter(kind__in=kinds, year=year).order_by("kind")
    return {row.kind: row for row in rows}


def _in_language(language: str) -> Any:  # a context manager that types can't name
    known = dict(settings.LANGUAGES)
    return translation.override(language if language in known else settings.LANGUAGE_CODE)
