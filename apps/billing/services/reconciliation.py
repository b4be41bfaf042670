"""Compare what this site knows with what the provider knows, and repair what never arrived."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import Q

from apps.billing import gateway
from apps.billing.errors import PaymentRefused
from apps.billing.models import Dispute, Order, Payment, Refund
from apps.billing.queries.document_check import payments_without_documents
from apps.billing.services import (
    checkout,
    disputes,
    issuing,
    payments,
    payout_reconciliation,
    refunds,
    subscription_reconciliation,
)
from apps.billing.services.differences import Difference, examine

_ENDED = {"won": Dispute.Status.WON, "lost": Dispute.Status.LOST}


def differences(*, since: datetime, now: datetime, examined: Callable[[], None] = lambda: None) -> Iterator[Difference]:
    """Yield the differences among everything that began since then. ``examined`` is called for each payment.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    seen = set()
    for row in gateway.intents_since(since):
        seen.add(row.id)
        examined()
        yield from examine("payment", row.id, partial(_of_listed, row, now=now))
    for id in gateway.disputes_since(since):
        yield from examine("dispute", id, partial(_of_dispute, id, now=now))
    # A payment that cost nothing has no intent: its order was settled here.
    for payment in Payment.objects.filter(paid_at__gte=since, amount__gt=0).exclude(gateway_id__in=seen):
        yield from examine("payment", str(payment), partial(_of_unlisted, payment))
    yield from subscription_reconciliation.differences(since=since, now=now)
    yield from payout_reconciliation.differences(since=since, now=now)


def _of_listed(row: gateway.Listed[tuple[str, gateway.IntentState]], *, now: datetime) -> Iterator[Difference]:
    order, intent = row.read()
    yield from _of_intent(order, intent, now=now)


def _of_unlisted(payment: Payment) -> Iterator[Difference]:
    if not _was_paid(payment):
        yield Difference("payment", str(payment), "the provider doesn't know that it was paid")


def _was_paid(payment: Payment) -> bool:
    try:
        return gateway.get_payment_intent(payment.gateway_id).status == "succeeded"
    except PaymentRefused:  # it knows no such payment, for example because it is another provider than before
        return False


def _of_intent(order: str, intent: gateway.IntentState, *, now: datetime) -> Iterator[Difference]:
    payment = Payment.objects.filter(gateway_id=intent.id).first()
    if payment is None:
        yield from _of_unpaid(order, intent, now=now)
        return
    charge = intent.charge
    if charge is None or intent.status != "succeeded":
        yield Difference("payment", str(payment), f"the provider says: {intent.status}")
        return
    if (charge.amount, charge.currency) != (payment.amount, payment.currency):
        told = f"{payment.amount} {payment.currency} here, {charge.amount} {charge.currency} at the provider"
        yield Difference("payment", str(payment), told)
    if charge.amount_refunded != payment.refunded:
        told = f"{payment.refunded} refunded here, {charge.amount_refunded} at the provider"
        yield Difference("refund", str(payment), told, lambda: refunds.sync_refunds(payment=payment, now=now))
    if payment.fee is None and charge.fee is not None:
        repair = lambda: payments.sync_fee(payment=payment, charge=charge)  # noqa: E731
        yield Difference("fee", str(payment), f"the fee of {charge.fee} is missing", repair)


def _of_unpaid(order: str, intent: gateway.IntentState, *, now: datetime) -> Iterator[Difference]:
    uid = _uuid(order)
    found = Order.objects.filter(Q(intent_id=intent.id) | Q(uid=uid)).first() if uid else None
    if found is None:
        if order and intent.status == "succeeded":
            yield Difference("order", intent.id, "was paid, and its order is missing")
        return
    if intent.status == "succeeded" or (intent.status == "canceled" and found.status in Order.LIVE):
        told = f"is {found.get_status_display().lower()} here, {intent.status} at the provider"
        yield Difference("order", found.number, told, lambda: _settle(found, intent, now=now))


def _settle(order: Order, intent: gateway.IntentState, *, now: datetime) -> None:
    # The process may have died before it stored the id of the intent.
    Order.objects.filter(pk=order.pk, intent_id=None).update(intent_id=intent.id)
    checkout.sync_order(order=order, now=now)


def _of_dispute(id: str, *, now: datetime) -> Iterator[Difference]:
    known = Dispute.objects.filter(gateway_id=id).first()
    state = gateway.get_dispute(id)
    if state.status.startswith("warning_") or not Payment.objects.filter(gateway_id=state.intent).exists():
        return
    if known is None or known.status != _ENDED.get(state.status, Dispute.Status.OPEN):
        told = f"is {known.get_status_display().lower() if known else 'unknown'} here, {state.status} at the provider"
        yield Difference("dispute", id, told, lambda: disputes.sync_dispute(dispute=id, now=now))


def unfinished(*, now: datetime) -> Iterator[Difference]:
    """Yield orders and refunds that should have been settled by their jobs."""
    for order in Order.objects.live().filter(created_at__lt=now - checkout.GIVE_UP_AFTER):
        repair = lambda order=order: checkout.follow_order(order_id=order.pk, now=now)  # noqa: E731
        yield Difference("order", order.number, "was not settled in time", repair)
    for refund in Refund.objects.filter(
        status=Refund.Status.PROCESSING, requested_at__lt=now - checkout.GIVE_UP_AFTER
    ).select_related("payment"):
        resend = lambda refund=refund: refunds.send(refund=refund, now=now)  # noqa: E731
        yield Difference("refund", str(refund.payment), "was not sent in time", resend)
    for payment in payments_without_documents():
        issue = lambda payment=payment: issuing.issue_documents(payment=payment, now=now)  # noqa: E731
        yield Difference("document", str(payment), "its invoice and credit notes aren't what the ledger says", issue)
    yield from subscription_reconciliation.unfinished(now=now)
    yield from payout_reconciliation.unfinished(now=now)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
