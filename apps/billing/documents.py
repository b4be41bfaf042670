"""Receipts and invoices as PDFs: one A4 page each. Lengths are in points, measured from the lower left corner."""

from datetime import datetime
from io import BytesIO

from babel import Locale
from django.conf import settings
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.colors import Color
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from apps.billing.models import Payment, Refund
from apps.billing.queries.transactions import card_of_payment
from studyplatform.kit.pdf import DISPLAY, PLAIN, register_fonts, runs_of, width_of, write
from studyplatform.kit.text.money import money

WIDTH, HEIGHT = A4
MARGIN = 56.0
RIGHT = WIDTH - MARGIN
INK, FAINT, RULE = Color(0.09, 0.13, 0.11), Color(0.36, 0.40, 0.38), Color(0.78, 0.80, 0.76)


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
        register_fonts()
        self._payment = payment
        self._out = BytesIO()
        self._canvas = Canvas(self._out, pagesize=A4, pageCompression=1, lang="en")
        number = payment.receipt_number
        self._canvas.setTitle(f"{name} {number}")
        self._canvas.setAuthor(settings.SELLER_NAME or settings.SITE_NAME)
        self._canvas.setCreator(settings.SITE_NAME)
        self._canvas.setProducer(settings.SITE_NAME)
        self._y = HEIGHT - MARGIN - 26
        self._right(name, 26, font=DISPLAY)
        self._left(settings.SELLER_NAME or settings.SITE_NAME, 20, font=DISPLAY)
        top = self._y
        for line in settings.SELLER_ADDRESS:
            self._down(14)
            self._left(line, color=FAINT)
        if settings.SELLER_TAX_NUMBER:
            self._down(14)
            self._left(_("Tax number %(number)s") % {"number": settings.SELLER_TAX_NUMBER}, color=FAINT)
        below, self._y = self._y, top
        for line in (_("Number %(number)s") % {"number": number}, day(payment.paid_at)):
            self._down(14)
            self._right(line, color=FAINT)
        self._y = min(below, self._y)

    def parties(self) -> None:
        """The buyer."""
        payment = self._payment
        self._down(40)
        self._left(_("Billed to"), color=FAINT)
        for line in (payment.user.display_name, payment.email, country_name(payment.country)):
            if line:
                self._down(15)
                self._left(line, 11)

    def lines(self, *, with_net: bool = False) -> None:
        """What was bought, the discount, the tax and the total."""
        payment = self._payment
        self._down(40)
        self._left(_("Description"), color=FAINT)
        self._right(_("Amount"), color=FAINT)
        self._rule()
        self._row(payment.title, payment.list_price)
        if payment.period_start and payment.period_end:
            self._down(14)
            span = {"start": day(payment.period_start), "end": day(payment.period_end)}
            self._left(_("%(start)s to %(end)s") % span, color=FAINT)
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
            self._row(_("Includes tax, %(rate)s%%") % rate, payment.tax, color=FAINT)

    def paid(self) -> None:
        """When and how it was paid."""
        payment = self._payment
        facts = {"date": day(payment.paid_at), "card": card_of_payment(payment)}
        self._down(34)
        self._left(_("Paid on %(date)s with %(card)s") % facts if facts["card"] else _("Paid on %(date)s") % facts)

    def refunds(self) -> None:
        """What was returned."""
        for refund in self._payment.refunds.filter(status=Refund.Status.DONE).order_by("done_at"):
            self._row(_("Refunded on %(date)s") % {"date": day(refund.done_at or refund.requested_at)}, -refund.amount)

    def finish(self) -> bytes:
        """The page as a PDF."""
        self._y = MARGIN
        address = f"{settings.SITE_URL}/billing/transactions/{self._payment.uid}"
        self._left(address, 8.5, color=FAINT)
        self._canvas.showPage()
        self._canvas.save()
        return self._out.getvalue()

    def _down(self, points: float) -> None:
        self._y -= points

    def _row(self, label: str, amount: int, *, size: float = 11, color: Color = INK) -> None:
        self._down(20)
        self._right(money(amount, self._payment.currency, cents=True), size, color=color)
        self._left(label, size, color=color, width=RIGHT - MARGIN - 110)

    def _rule(self) -> None:
        self._down(9)
        self._canvas.setStrokeColor(RULE)
        self._canvas.setLineWidth(0.75)
        self._canvas.line(MARGIN, self._y, RIGHT, self._y)

    def _left(
        self, text: str, size: float = 9.5, *, font: str = PLAIN, color: Color = INK, width: float = 330.0
    ) -> None:
        """Write at the left edge. A line that is too long is set smaller."""
        runs = runs_of(text, font)
        natural = width_of(runs, size)
        write(self._canvas, runs, MARGIN, self._y, size * min(1.0, width / natural) if natural else size, color)

    def _right(self, text: str, size: float = 9.5, *, font: str = PLAIN, color: Color = INK) -> None:
        runs = runs_of(text, font)
        write(self._canvas, runs, RIGHT - width_of(runs, size), self._y, size, color)
