"""Receipts: proof of a payment with what was refunded since. Made when they are asked for, unlike documents."""

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.billing.documents.pages import Page, day, percent
from apps.billing.documents.printing import print_page
from apps.billing.documents.snapshots import TEMPLATE, buyer_in, buyer_lines
from apps.billing.models import Dispute, Payment, Refund
from apps.billing.queries.transactions import card_of_payment


def receipt(payment: Payment) -> bytes:
    """Return the receipt of a payment as a PDF."""
    number = payment.receipt_number or ""
    facts = [_("Number %(number)s") % {"number": number}, day(payment.paid_at)]
    address = f"{settings.SITE_URL}/billing/transactions/{payment.uid}"
    page = Page(name=_("Receipt"), number=number, currency=payment.currency, facts=facts, address=address)
    buyer = buyer_in(payment.buyer, payment.country)
    page.address_to([*(buyer_lines(buyer, payment.user.display_name)), payment.email])
    page.head()
    _write_lines(page, payment)
    _write_payment(page, payment)
    return print_page(page.finish(), version=TEMPLATE, dated=payment.paid_at)


def _write_lines(page: Page, payment: Payment) -> None:
    page.row(payment.title, payment.list_price)
    if payment.period_start and payment.period_end:
        span = {"start": day(payment.period_start), "end": day(payment.period_end)}
        page.text(_("%(start)s to %(end)s") % span, size=9.5, is_faint=True)
    if payment.discount:
        label = _("Discount, code %(code)s") % {"code": payment.promo_code} if payment.promo_code else _("Discount")
        page.row(label, -payment.discount)
    if payment.credit:
        page.row(_("Credit for unused time or from earlier payments"), -payment.credit)
    page.rule()
    page.row(_("Total"), payment.amount, size=13)
    if payment.tax:
        page.row(_("Includes tax, %(rate)s%%") % {"rate": percent(payment.tax_rate)}, payment.tax, is_faint=True)


def _write_payment(page: Page, payment: Payment) -> None:
    facts = {"date": day(payment.paid_at), "card": card_of_payment(payment)}
    page.gap(14)
    if payment.method == Payment.Method.TRANSFER:
        text = _("Paid on %(date)s by bank transfer") % facts
    else:
        text = _("Paid on %(date)s with %(card)s") % facts if facts["card"] else _("Paid on %(date)s") % facts
    page.text(text, size=9.5)
    for refund in payment.refunds.filter(status=Refund.Status.DONE).order_by("done_at"):
        on = (
            date_format(refund.returned_on, "j F Y")
            if refund.returned_on
            else day(refund.done_at or refund.requested_at)
        )
        page.row(_("Refunded on %(date)s") % {"date": on}, -refund.amount)
    for dispute in payment.disputes.filter(status=Dispute.Status.LOST, lost__gt=0).order_by("closed_at"):
        returned_on = day(dispute.closed_at or dispute.opened_at)
        page.row(_("Returned by the bank on %(date)s") % {"date": returned_on}, -dispute.lost)
