"""Tell buyers about their orders by bank transfer, and admins about what they have to transfer back."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.timezone import get_default_timezone
from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import Role, User
from apps.billing.bank_account import bank_account
from apps.billing.documents.pages import seller_name
from apps.billing.models import Deposit, Document, Order, Refund
from apps.billing.services.receipts import attach_documents
from studyplatform.kit.text.money import money
from studyplatform.kit.web.dates import show_site_date

RETURNS_PAGE = "/dashboard/admin/transfers?state=returns"


def order_link(order: Order) -> str:
    """Return the address of the page that says what to transfer."""
    return f"/billing/orders/{order.uid}"


def due_day(order: Order) -> str:
    """Return the last day on which an order can be transferred, in the school's time zone: "5 June 2026"."""
    return show_site_date(order.due_at.astimezone(get_default_timezone())) if order.due_at else ""


def tell_of_order(order: Order) -> None:
    """Tell the buyer what to transfer, with the invoice. Once per order."""
    if order.status == Order.Status.OPEN:
        _tell(order, "billing.transfer_ordered", now=order.created_at)


def tell_of_overdue(order: Order, *, now: datetime) -> None:
    """Remind the buyer of a transfer that hasn't arrived in time, with the invoice. Once per order."""
    _tell(order, "billing.transfer_overdue", now=now)


def _tell(order: Order, kind: str, *, now: datetime) -> None:
    account, held = bank_account(), sum(each.rest for each in order.deposits.all())
    invoice = Document.objects.filter(order=order, payment=None, kind=Document.Kind.INVOICE).order_by("-pk")[:1]
    people.notify(
        kind,
        order.user,
        order_link(order),
        str(order.uid),
        to=order.email,
        attachments=attach_documents(list(invoice)),
        now=now,
        title=order.title,
        amount=money(order.total - held, order.currency, cents=True),
        number=order.number,
        date=due_day(order),
        holder=account.holder if account else seller_name(),
        iban=account.shown_iban if account else _("on the invoice"),
    )


def tell_of_cancellation(order: Order) -> None:
    """Tell the buyer that an order by bank transfer was canceled, with its credit note. Once per order."""
    note = Document.objects.filter(order=order, payment=None, kind=Document.Kind.CREDIT_NOTE).order_by("-pk")[:1]
    people.notify(
        "billing.transfer_canceled",
        order.user,
        order_link(order),
        str(order.uid),
        to=order.email,
        attachments=attach_documents(list(note)),
        now=order.settled_at or order.created_at,
        title=order.title,
        number=order.number,
        reason=order.cancel_reason,
    )
    for deposit in order.deposits.all():
        _tell_of_held(deposit)


def _tell_of_held(deposit: Deposit) -> None:
    """Tell the buyer that what arrived goes back, because its order is settled. Once per transfer."""
    order = deposit.order
    if order.status in Order.LIVE or not deposit.rest:
        return
    people.notify(
        "billing.transfer_held",
        order.user,
        order_link(order),
        f"{deposit.uid} held",
        to=order.email,
        now=deposit.recorded_at,
        title=order.title,
        amount=money(deposit.rest, order.currency, cents=True),
        number=order.number,
    )


def tell_of_arrival(deposit: Deposit) -> None:
    """Tell the buyer that an amount arrived that doesn't pay the order yet, or that goes back. Once per transfer."""
    order = deposit.order
    _tell_of_held(deposit)
    held = sum(each.rest for each in order.deposits.all())
    if order.status != Order.Status.OPEN or held >= order.total:
        return
    people.notify(
        "billing.transfer_partial",
        order.user,
        order_link(order),
        str(deposit.uid),
        to=order.email,
        now=deposit.recorded_at,
        title=order.title,
        received=money(deposit.amount, order.currency, cents=True),
        missing=money(order.total - held, order.currency, cents=True),
        number=order.number,
    )


def tell_of_returned_deposit(deposit: Deposit) -> None:
    """Tell the buyer that what they transferred too much was transferred back. Once per transfer."""
    order = deposit.order
    people.notify(
        "billing.deposit_returned",
        order.user,
        order_link(order),
        f"{deposit.uid} {deposit.returned_on}",  # the bank may send it back, and it is returned again
        to=order.email,
        now=deposit.returned_at or deposit.recorded_at,
        title=order.title,
        amount=money(deposit.amount - deposit.applied, order.currency, cents=True),
        number=order.number,
    )


def tell_of_return(refund: Refund) -> None:
    """Tell the admins that a refund is to be transferred, and its learner if nobody has said where to. Once each."""
    if not refund.is_to_transfer:
        return
    payment, key = refund.payment, f"{refund.uid} transfer"
    amount = money(refund.amount, payment.currency, cents=True)
    people.notify_all(
        "billing.return_due",
        _admins(),
        RETURNS_PAGE,
        key,
        name=payment.user.display_name,
        amount=amount,
        title=payment.title,
    )
    if not refund.encrypted_number:
        link = f"/billing/refunds/{refund.uid}/account"
        people.notify(
            "billing.return_account", payment.user, link, key, to=payment.email, amount=amount, title=payment.title
        )


def _admins() -> QuerySet[User]:
    return User.objects.filter(role=Role.ADMIN, is_active=True)
