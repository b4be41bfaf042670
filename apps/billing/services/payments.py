"""Write down money that came in: the payment, its receipt number, the books, its invoice, and what it opens."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing import gateway
from apps.billing.models import (
    Deposit,
    EntryKind,
    LedgerEntry,
    Order,
    OrderLine,
    Payment,
    ReceiptSeries,
    SeatPack,
)
from apps.billing.services import ledger, revenue_shares, seats
from apps.billing.services.gifts import prepare_gift
from apps.billing.services.grants import grant_purchase
from apps.billing.services.issuing import issue_documents
from apps.billing.services.ledger.earlier import item_of_part
from apps.billing.services.ledger.posting import BANK, DEPOSITS, PROVIDER
from apps.billing.tax import find_conflicts
from studyplatform.kit import jobs


@dataclass(frozen=True)
class ArrivedTransfer:
    """A bank transfer that pays an order: when it arrived, and which admin says so."""

    arrived_at: datetime
    confirmed_by: User


def record_sale(
    *, order: Order, intent: gateway.IntentState | None, transfer: ArrivedTransfer | None = None, now: datetime
) -> Payment:
    """Write down that an order was paid, and open its courses: by card, by bank transfer, or neither if it was free.

    The caller holds the lock of the order, inside a transaction. A course that another payment opened before is
    refunded by a job, and so is what a deleted account paid for at its last moment.
    """
    if intent is not None and (intent.amount, intent.currency) != (order.total, order.currency):
        raise RuntimeError(f"order {order.number} is {order.total} {order.currency}, but {intent.amount} was charged")
    charge = intent.charge if intent else None
    paid_at = charge.created if charge else transfer.arrived_at if transfer else now
    lines = _lines_at(order, paid_at)
    only = lines[0] if len(lines) == 1 else None
    method, gateway_id = _source_of(order, intent, transfer)
    pack = _opened_pack(order, now=now)
    is_premium = pack is not None and pack.kind == SeatPack.Kind.PREMIUM
    payment = Payment.objects.create(
        gateway_id=gateway_id,
        method=method,
        charge_id=charge.id if charge else "",
        kind=Payment.Kind.PREMIUM if is_premium else Payment.Kind.COURSE,
        period_start=pack.starts_at if pack and is_premium else None,
        period_end=pack.ends_at if pack and is_premium else None,
        user_id=order.user_id,
        order=order,
        course_id=order.course_id,
        instructor_id=only.instructor_id if only else None,
        share=only.share if only else 0,
        title=order.title,
        list_price=order.list_price,
        discount=order.discount,
        promo_code=order.promo_code.code if order.promo_code else "",
        amount=order.total,
        tax=order.tax,
        tax_rate=order.tax_rate,
        fee=charge.fee if charge else None,
        currency=order.currency,
        country=order.country,
        buyer=order.buyer,
        tax_treatment=order.tax_treatment,
        tax_evidence=evidence_of_sale(order.country, order.country, order.buyer, order.evidence, charge),
        email=order.email,
        card_brand=charge.card_brand if charge else "",
        card_last4=charge.card_last4 if charge else "",
        receipt_number=next_receipt_number(paid_at) if order.total else None,
        paid_at=paid_at,
        confirmed_at=now if transfer else None,
        confirmed_by=transfer.confirmed_by if transfer else None,
    )
    book_sale(payment)
    issue_documents(payment=payment, now=now)
    jobs.enqueue("billing.tell_of_payment", key=str(payment.pk), payment_id=payment.pk)
    if pack is not None:
        opened_nothing = pack.state != SeatPack.State.OPEN
    elif order.is_gift:
        prepare_gift(gift=order.gift, payment=payment, now=now)
        opened_nothing = False
    else:
        opened_nothing = bool(grant_purchase(payment=payment, now=now))
    if opened_nothing or order.user.deleted_at is not None:
        jobs.enqueue("billing.refund_duplicate", key=str(payment.pk), payment_id=payment.pk)
    return payment


def _lines_at(order: Order, paid_at: datetime) -> list[OrderLine]:
    """The lines of an order. A course is sold by who was its instructor when it was paid, not when it was ordered.

    Locks the courses: who earns from them changes before the sale, or after it.
    """
    lines = list(order.lines.all())
    earners = revenue_shares.lock_earners([line.course_id for line in lines], paid_at)
    for line in lines:
        instructor_id = next(iter(earners[line.course_id].percents_at(paid_at)))
        if line.instructor_id != instructor_id:
            line.instructor_id = instructor_id
            line.save(update_fields=["instructor"])
    return lines


def _opened_pack(order: Order, *, now: datetime) -> SeatPack | None:
    """The seats that an order pays for, open if they can be; None if it isn't for a team."""
    if not order.is_for_team:
        return None
    seats.open_pack(order, now=now)
    return SeatPack.objects.get(order=order)


def _source_of(
    order: Order, intent: gateway.IntentState | None, transfer: ArrivedTransfer | None
) -> tuple[Payment.Method, str]:
    """How an order was paid, and the name of its payment: one per order and method."""
    if intent is not None:
        return Payment.Method.CARD, intent.id
    if transfer is not None:
        return Payment.Method.TRANSFER, transfer_key(order)
    return Payment.Method.NONE, f"order {order.number}"


def transfer_key(order: Order) -> str:
    """Return the name of the payment of an order by bank transfer."""
    return f"transfer {order.number}"


def evidence_of_sale(
    declared: str,
    taxed: str,
    buyer: Mapping[str, str],
    seen: Mapping[str, str],
    charge: gateway.ChargeState | None,
) -> dict[str, Any]:
    """Return what says in which country a buyer is, as it is kept with the payment: Article 24f of Regulation 282/2011.

    ``declared``: what the buyer said, "" if nothing; ``taxed``: whose tax is in the price; ``seen``: what was noticed
    when the order was made. Sources that name another country, as the address on the invoice may, are "conflicts".
    """
    found = {
        "declared": declared,
        "taxed": taxed,
        "address": buyer.get("country", ""),
        "card": charge.card_country if charge else "",
        **seen,
    }
    numbers = {"vat_id": buyer.get("vat_id", ""), "vat_id_checked_at": buyer.get("vat_id_checked_at", "")}
    return {**found, **numbers, "conflicts": find_conflicts(found)}


def next_receipt_number(moment: datetime) -> str:
    """Return the next receipt number of the year. Without gaps: the row is locked until the transaction ends."""
    year = localtime(moment).year
    rows = ReceiptSeries.objects.select_for_update().filter(year=year)
    series = rows.first()
    if series is None:  # the first of the year
        ReceiptSeries.objects.get_or_create(year=year)
        series = rows.get()
    series.last += 1
    series.save(update_fields=["last"])
    return f"{year}-{series.last:06d}"


def sync_fee(*, payment: Payment, charge: gateway.ChargeState) -> None:
    """Store the provider's fee once it is known, and book it. Idempotent."""
    if charge.fee is None:
        return
    with transaction.atomic():
        if Payment.objects.filter(pk=payment.pk, fee=None).update(fee=charge.fee):
            payment.fee = charge.fee
            book_fee(payment)


@transaction.atomic
def book_sale(payment: Payment) -> None:
    """Enter a sale by the lines of its order, and its fee if it is known, in the ledger. Idempotent.

    Seats of Premium have no line: what was paid for them goes to the pool of Premium.
    """
    if payment.kind == Payment.Kind.PREMIUM:
        ledger.post_subscription_payment(
            payment.gateway_id,
            payment.amount,
            payment.tax,
            payment.currency,
            occurred_at=payment.paid_at,
            description=payment.title,
            gateway_id=payment.charge_id,
            received_in=received_in(payment),
        )
    lines = payment.lines
    sold = LedgerEntry.objects.filter(payment_key=payment.gateway_id, kind=EntryKind.SALE)
    posted = {entry.position for entry in sold} if lines else set()
    account = received_in(payment) if lines else ""
    for line in lines:
        if line.position not in posted:  # else it stays divided as it was: shares may have changed since
            _book_line(payment, line, account)
    book_fee(payment)


def _book_line(payment: Payment, line: OrderLine, account: str) -> None:
    """Enter the sale of a course: an entry for each who earned from it at the moment of the sale."""
    earners = revenue_shares.lock_earners([line.course_id], payment.paid_at)
    shares = earners[line.course_id].percents_at(payment.paid_at)
    shares.pop(line.instructor_id, None)
    divided = revenue_shares.divide_sale(line.total, line.tax, line.instructor_id, shares)
    for part, (user_id, total, tax) in enumerate(divided):
        ledger.post_sale(
            payment.gateway_id,
            user_id,
            total,
            tax,
            line.share,
            payment.currency,
            occurred_at=payment.paid_at,
            item=item_of_part(line.position, part),
            course_id=line.course_id,
            description=line.title,
            gateway_id=payment.charge_id,
            received_in=account,
        )


def received_in(payment: Payment) -> str:
    """Return the account of the ledger that has the money of a payment. One query for a bank transfer.

    One that arrived in parts, or with more than the order's amount, was held for the buyer before.
    """
    if payment.method != Payment.Method.TRANSFER:
        return PROVIDER
    return DEPOSITS if Deposit.objects.filter(order=payment.order_id, applied__gt=0).exists() else BANK


def book_fee(payment: Payment) -> None:
    """Enter the provider's fee of a payment in the ledger. Idempotent."""
    if payment.fee:
        ledger.post_fee(payment.gateway_id, payment.fee, payment.currency, occurred_at=payment.paid_at)
