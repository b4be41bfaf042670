"""Receipts and invoices as PDFs: one A4 page each (``document.typ``). Lengths are in points."""

from datetime import datetime
from pathlib import Path
from typing import Any

from babel import Locale
from django.conf import settings
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.billing.models import Payment, Refund
from apps.billing.queries.transactions import card_of_payment
from studyplatform.kit.text.money import money
from studyplatform.kit.typesetting import compile_pdf, make_phrase

_TEMPLATE = Path(__file__).with_name("document.typ")


def receipt(payment: Payment) -> bytes:
    """Return the receipt of a payment, with what was refunded since."""
    page = _Page(_("Receipt"), payment)
    page.parties()
    page.lines()
    page.paid()
    page.refunds()
    return page.finish()


def invoice(payment: Payment) -> bytes:
    """Return the invoice of a payment: the amount without tax, the tax and its rate."""
    page = _Page(_("Invoice"), payment)
    page.parties()
    page.lines(with_net=True)
    page.paid()
    return page.finish()


def country_name(code: str) -> str:
    """Return a country's name in the language of the page: "DE" -> "Germany"."""
    if not code:
        return ""
    return str(Locale.parse(get_language() or "en", sep="-").territories.get(code, code))


def day(moment: datetime) -> str:
    """Return a day as it is written out: "5 June 2026"."""
    return date_format(localtime(moment), "j F Y")


class _Page:
    """One page, written from the top down."""

    def __init__(self, name: str, payment: Payment) -> None:
        self._payment = payment
        self._items: list[dict[str, Any]] = []
        number, address = payment.receipt_number, f"{settings.SITE_URL}/billing/transactions/{payment.uid}"
        seller = list(settings.SELLER_ADDRESS)
        if settings.SELLER_TAX_NUMBER:
            seller.append(_("Tax number %(number)s") % {"number": settings.SELLER_TAX_NUMBER})
        self._contents: dict[str, Any] = {
            "title": f"{name} {number}",
            "author": settings.SELLER_NAME or settings.SITE_NAME,
            "lang": (get_language() or "en").partition("-")[0],
            "name": make_phrase(name),
            "seller": make_phrase(settings.SELLER_NAME or settings.SITE_NAME),
            "seller-lines": [make_phrase(line) for line in seller],
            "facts": [
                make_phrase(line) for line in (_("Number %(number)s") % {"number": number}, day(payment.paid_at))
            ],
            "address": address,
            "shown-address": make_phrase(address),
        }

    def parties(self) -> None:
        """The buyer."""
        payment = self._payment
        lines = (payment.user.display_name, payment.email, country_name(payment.country))
        self._contents["billed-to"] = make_phrase(_("Billed to"))
        self._contents["buyer"] = [make_phrase(line) for line in lines if line]

    def lines(self, *, with_net: bool = False) -> None:
        """What was bought, the discount, the tax and the total."""
        payment = self._payment
        self._text(_("Description"), _("Amount"), size=9.5, is_faint=True, after=4)
        self._rule()
        self._row(payment.title, payment.list_price)
        if payment.period_start and payment.period_end:
            span = {"start": day(payment.period_start), "end": day(payment.period_end)}
            self._text(_("%(start)s to %(end)s") % span, size=9.5, is_faint=True)
        if payment.discount:
            label = _("Discount, code %(code)s") % {"code": payment.promo_code} if payment.promo_code else _("Discount")
            self._row(label, -payment.discount)
        self._rule()
        rate = {"rate": f"{payment.tax_rate / 100:g}"}
        if with_net:
            self._row(_("Without tax"), payment.amount - payment.tax)
            self._row(_("Tax, %(rate)s%%") % rate, payment.tax)
            self._rule()
        self._row(_("Total"), payment.amount, size=13)
        if payment.tax and not with_net:
            self._row(_("Includes tax, %(rate)s%%") % rate, payment.tax, is_faint=True)

    def paid(self) -> None:
        """When and how it was paid."""
        payment = self._payment
        facts = {"date": day(payment.paid_at), "card": card_of_payment(payment)}
        text = _("Paid on %(date)s with %(card)s") % facts if facts["card"] else _("Paid on %(date)s") % facts
        self._items.append({"kind": "gap", "points": 14})
        self._text(text, size=9.5)

    def refunds(self) -> None:
        """What was returned."""
        for refund in self._payment.refunds.filter(status=Refund.Status.DONE).order_by("done_at"):
            self._row(_("Refunded on %(date)s") % {"date": day(refund.done_at or refund.requested_at)}, -refund.amount)

    def finish(self) -> bytes:
        """The page as a PDF."""
        return compile_pdf(_TEMPLATE, {**self._contents, "items": self._items}, dated=self._payment.paid_at)

    def _rule(self) -> None:
        self._items.append({"kind": "rule"})

    def _row(self, label: str, amount: int, *, size: float = 11, is_faint: bool = False) -> None:
        shown = money(amount, self._payment.currency, cents=True)
        self._text(label, shown, size=size, is_faint=is_faint)

    def _text(
        self, label: str, amount: str | None = None, *, size: float, is_faint: bool = False, after: float = 11
    ) -> None:
        self._items.append(
            {
                "kind": "text",
                "label": make_phrase(label),
                "amount": None if amount is None else make_phrase(amount),
                "size": size,
                "faint": is_faint,
                "after": after,
            }
        )
