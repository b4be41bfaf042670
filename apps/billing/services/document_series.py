"""Give documents the next number of their series, without gaps, and save them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.timezone import localtime

from apps.billing.documents.snapshots import TEMPLATE, Content, Item, make_snapshot
from apps.billing.models import Document, DocumentSeries, Order, SeatPack
from apps.billing.models.documents import DocumentKind, digest_of


@dataclass(frozen=True)
class Draft:
    """A document without a number. ``facts`` are those of its `Content`."""

    kind: DocumentKind
    key: str
    user_id: int
    at: datetime
    links: dict[str, Any]
    facts: dict[str, Any]
    language: str


def write_document(draft: Draft) -> Document:
    """Give the document the next number of its series, and save it."""
    series = lock_series({draft.kind}, localtime(draft.at).year)[draft.kind]
    # Dates follow the order of the numbers, even if a process waited for the series or a clock is late.
    issued_at = max(draft.at, series.last_issued_at or draft.at)
    series.last, series.last_issued_at = series.last + 1, issued_at
    series.save(update_fields=["last", "last_issued_at"])
    is_invoice = draft.kind == DocumentKind.INVOICE
    prefix = settings.INVOICE_PREFIX if is_invoice else settings.CREDIT_NOTE_PREFIX
    number = f"{prefix}-{series.year}-{series.last:06d}"
    with in_language(draft.language):
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


def lock_series(kinds: set[DocumentKind], year: int) -> dict[str, DocumentSeries]:
    """Lock the series of these kinds until the transaction ends, in one order, so that nothing waits in a circle."""
    rows = DocumentSeries.objects.select_for_update().filter(kind__in=kinds, year=year).order_by("kind")
    found = {row.kind: row for row in rows}
    if missing := sorted(kinds - found.keys()):  # the first documents of the year
        for kind in missing:
            DocumentSeries.objects.get_or_create(kind=kind, year=year)
        found = {row.kind: row for row in rows.all()}
    return found


def in_language(language: str) -> Any:  # a context manager that types can't name
    known = dict(settings.LANGUAGES)
    return translation.override(language if language in known else settings.LANGUAGE_CODE)


def facts_of_document(document: Document) -> dict[str, Any]:
    """What a document that corrects another one takes from it: the buyer, the tax, its wording, and who issued it."""
    known = document.snapshot["facts"]
    buyer = {name: value for name, value in known["buyer"].items() if name != "email"}
    return {
        "currency": document.currency,
        "buyer": buyer,
        "buyer_name": buyer["name"],
        "email": known["buyer"]["email"],
        "tax_rate": known["tax_rate"],
        "treatment": known["treatment"],
        "wording": known.get("wording"),
        "corrected_seller": known.get("seller"),
    }


def items_of_order(order: Order, *, promo_code: str) -> list[Item]:
    """Return what an order sells, one item per line; seats of Premium are one, for their period."""
    pack = SeatPack.objects.filter(order=order, kind=SeatPack.Kind.PREMIUM).first() if order.is_for_team else None
    if pack is not None:
        period = (pack.starts_at, pack.ends_at) if pack.starts_at and pack.ends_at else None
        names = ("title", "list_price", "discount", "total", "tax")
        return [Item(**{name: getattr(order, name) for name in names}, period=period)]
    return [
        Item(
            title=line.title,
            list_price=line.list_price,
            discount=line.discount,
            promo_code=promo_code,
            total=line.total,
            tax=line.tax,
        )
        for line in order.lines.all()
    ]
