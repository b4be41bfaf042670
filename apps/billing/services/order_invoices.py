"""The invoice of an order that is to be paid later, and its cancellation."""

from datetime import datetime
from typing import Any

from django.db import transaction

from apps.billing.bank_account import bank_account
from apps.billing.documents.snapshots import Item, PaymentTerms, buyer_in
from apps.billing.models import Document, Order, Payment
from apps.billing.models.documents import DocumentKind
from apps.billing.services.document_series import Draft, facts_of_document, items_of_order, write_document


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
    draft = Draft(
        kind=DocumentKind.INVOICE,
        key=f"order {locked.pk} {len(earlier) // 2 + 1}",
        user_id=locked.user_id,
        at=now,
        links={"order": locked},
        facts={
            "currency": locked.currency,
            "items": items_of_order(locked, promo_code=locked.promo_code.code if locked.promo_code else ""),
            "buyer": buyer_in(locked.buyer, locked.country),
            "buyer_name": locked.user.display_name,
            "email": locked.email,
            "tax_rate": locked.tax_rate,
            "treatment": locked.tax_treatment,
            "page": f"/billing/orders/{locked.uid}" if locked.due_at else "/billing/transactions",
            "terms": PaymentTerms(locked.due_at, locked.number, bank_account()) if locked.due_at else None,
        },
        language=locked.buyer.get("language", ""),
    )
    return write_document(draft)


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
    draft = Draft(
        kind=DocumentKind.CREDIT_NOTE,
        key=f"{invoice.fact} canceled",
        user_id=invoice.user_id,
        at=now,
        links={"order": order, "corrects": invoice},
        facts={
            **facts_of_document(invoice),
            "items": [_item_of(each) for each in known["items"]],
            "corrects": (invoice.number, invoice.issued_at),
            "reason": reason,
            "page": f"/billing/orders/{order.uid}" if order.due_at else "/billing/transactions",
        },
        language=known["language"],
    )
    return write_document(draft)


def _item_of(facts: dict[str, Any]) -> Item:
    return Item(**{**facts, "period": None})
