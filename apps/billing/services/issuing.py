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

from django.db import transaction
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from apps.billing.documents.snapshots import Item, buyer_in
from apps.billing.models import (
    Dispute,
    Document,
    EntryKind,
    LedgerEntry,
    Payment,
    Refund,
)
from apps.billing.models.documents import DocumentKind
from apps.billing.queries.document_check import (
    BATCH_SIZE,
    documents_of_payments,
    invoice_of,
    payments_without_documents,
)
from apps.billing.queries.transactions import card_of_payment
from apps.billing.services.document_series import (
    Draft,
    facts_of_document,
    in_language,
    items_of_order,
    lock_series,
    write_document,
)

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
    lock_series(kinds, localtime(now).year)
    return [_issue(fact, at=now) for fact in missing]


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


def _missing_facts(payments: Sequence[Payment]) -> list[Fact]:
    """The facts of these payments in the ledger that have no document, in the order in which they were posted."""
    by_key = {payment.gateway_id: payment for payment in payments}
    grouped: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in LedgerEntry.objects.filter(payment_key__in=by_key).exclude(total=0).order_by("pk"):
        grouped[entry.document_fact].append(entry)
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
        "buyer": buyer_in(payment.buyer, payment.country),
        "buyer_name": payment.user.display_name,
        "email": payment.email,
        "tax_rate": payment.tax_rate,
        "treatment": payment.tax_treatment,
        "page": f"/billing/transactions/{payment.uid}",
        "receipt": payment.receipt_number or "",
    }
    language = payment.buyer.get("language", "")
    if corrected is not None:
        facts |= facts_of_document(corrected)
        facts["corrects"] = (corrected.number, corrected.issued_at)
        language = corrected.snapshot["facts"]["language"]
    if fact.is_sale:
        facts["items"] = _items_of_sale(fact)
        facts["paid"] = (payment.paid_at, card_of_payment(payment))
    else:
        facts["items"] = _items_of_return(fact)
        with in_language(language):
            facts["reason"] = _reason_of(fact)
    return write_document(
        Draft(kind=kind, key=fact.key, user_id=payment.user_id, at=at, links=links, facts=facts, language=language)
    )


def _corrected_by(fact: Fact, kind: DocumentKind) -> Document | None:
    """The payment's invoice; for a fact that cancels a return, the credit note of the return."""
    if kind == DocumentKind.CREDIT_NOTE:
        return invoice_of(fact.payment)
    ours = [
        each
        for each in documents_of_payments([fact.payment])
        if each.sign < 0 and each.fact.partition(", ")[0].endswith(f" {fact.gateway_id}")  # the first time, or again
    ]
    return ours[-1] if ours else None


def _items_of_sale(fact: Fact) -> list[Item]:
    payment = fact.payment
    if payment.order is not None and payment.order.lines.exists():
        return items_of_order(payment.order, promo_code=payment.promo_code)
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


def _items_of_return(fact: Fact) -> list[Item]:
    """An item for each line of the order, however many earned from it."""
    by_line: dict[int, list[LedgerEntry]] = defaultdict(list)
    for entry in fact.entries:
        by_line[entry.position].append(entry)
    return [_item_of_line(entries) for entries in by_line.values()]


def _item_of_line(entries: Sequence[LedgerEntry]) -> Item:
    total = abs(sum(entry.total for entry in entries))
    tax = abs(sum(entry.tax for entry in entries))
    return Item(title=entries[0].description, list_price=total, total=total, tax=tax)


def _reason_of(fact: Fact) -> str:
    match fact.entries[0].kind:
        case EntryKind.REFUND:
            return _("Refund")
        case EntryKind.REFUND_FAILED:
            return _("The refund failed")
        case EntryKind.DISPUTE_LOST:
            return _("The cardholder's bank returned the payment")
        case EntryKind.DISPUTE_REVERSED:
            return _("The cardholder's bank sent the payment after all")
        case _other:
            return str(fact.entries[0].get_kind_display())
