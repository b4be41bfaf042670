"""Receipts, invoices and credit notes as PDFs. A document is printed from its snapshot alone."""

from apps.billing.documents.printing import file_name, print_document
from apps.billing.documents.receipts import receipt
from apps.billing.documents.snapshots import TEMPLATE, Content, Item, buyer_in, buyer_lines, make_snapshot

__all__ = [
    "TEMPLATE",
    "Content",
    "Item",
    "buyer_in",
    "buyer_lines",
    "file_name",
    "make_snapshot",
    "print_document",
    "receipt",
]
