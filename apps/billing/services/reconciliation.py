"""Compare what this site knows with what the provider knows, and repair what never arrived."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
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
    refund_states,
    refunds,
    subscription_reconciliation,
    webhooks,
)
from apps.billing.services.differences import Difference, examine

BATCH_SIZE = 100  # payments that are looked up at once
MAX_EVENTS = 500  # of a night; the next one continues


def differences(*, since: datetime, now: datetime, examined: Callable[[], None] = lambda: None) -> Iterator[Difference]:
    """Yield the differences among everything that began since then. ``examined`` is called for each payment.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    seen = set()
    intents = gateway.intents_since(since)
    while batch := list(islice(intents, BATCH_SIZE)):
        known = {row.gateway_id: row for row in Payment.objects.filter(gateway_id__in=[each.id for each in batch])}
        for each in batch:
            seen.add(each.id)
            examined()
            yield from examine("payment", each.id, partial(_of_listed, each, known.get(each.id), now=now))
    for refund in gateway.refunds_since(since):
        yield from examine("refund", refund.id, partial(_of_listed_refund, refund, now=now))
    for id in gateway.disputes_since(since):
        yield from examine("dispute", id, partial(_of_dispute, id, now=now))
    # Only card payments have an intent: orders that cost nothing and bank transfers were settled here.
    charged = Payment.objects.filter(paid_at__gte=since, amount__gt=0, method=Payment.Method.CARD)
    for payment in charged.exclude(gateway_id__in=seen):
        yield from examine("payment", str(payment), partial(_of_unlisted, payment))
    yield from subscription_reconciliation.differences(since=since, now=now)
    yield from payout_reconciliation.differences(since=since, now=now)


def _of_listed(
    row: gateway.Listed[tuple[str, gateway.IntentState]], payment: Payment | None, *, now: datetime
) -> Iterator[Difference]:
    order, intent = row.read()
    yield from _of_intent(order, intent, payment, now=now)


def _of_listed_refund(row: gateway.Listed[gateway.RefundState], *, now: datetime) -> Iterator[Difference]:
    yield from _of_refund(row.read(), now=now)


def _of_sent_refund(id: str, *, now: datetime) -> Iterator[Difference]:
    try:
        state = gateway.get_refund(id)
    except PaymentRefused:  # for example because it is another provider than before
        yield Difference("refund", id, "is on its way here, and the provider doesn't know it")
        return
    yield from _of_refund(state, now=now)


def _of_unlisted(payment: Payment) -> Iterator[Difference]:
    if not _was_paid(payment):
        yield Difference("payment", str(payment), "the provider doesn't know that it was paid")


def _was_paid(payment: Payment) -> bool:
    try:
        return gateway.get_payment_intent(payment.gateway_id).status == "succeeded"
    except PaymentRefused:  # it knows no such payment, for example because it is another provider than before
        return False


def _of_intent(
    order: str, intent: gateway.IntentState, payment: Payment | None, *, now: datetime
) -> Iterator[Difference]:
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
    # An order by bank transfer outlives the card payments that were tried for it.
    is_current = found.method != Order.Method.TRANSFER or found.intent_id == intent.id
    if intent.status == "succeeded" or (intent.status == "canceled" and found.status in Order.LIVE and is_current):
        told = f"is {found.get_status_display().lower()} here, {intent.status} at the provider"
        yield Difference("order", found.number, told, lambda: _settle(found, intent, now=now))


def _settle(order: Order, intent: gateway.IntentState, *, now: datetime) -> None:
    # The process may have died before it stored the id of the intent.
    Order.objects.filter(pk=order.pk, intent_id=None).update(intent_id=intent.id)
    checkout.sync_order(order=order, now=now)
    # What was given back of a payment that nobody knew is not known either.
    payment = Payment.objects.filter(gateway_id=intent.id).first()
    if payment is not None and intent.charge is not None:
        refund_states.sync_refunds(payment=payment, now=now)
        for id in gateway.disputes_of(intent.id):
            disputes.sync_dispute(dispute=id, now=now)


def _of_refund(state: gateway.RefundState, *, now: datetime) -> Iterator[Difference]:
    payment = Payment.objects.filter(gateway_id=state.intent).first()
    known = Refund.objects.filter(gateway_id=state.id).first()
    there = refund_states.meaning_of(state)
    if payment is None or (known and (known.status == there or refund_states.is_stale(known, state))):
        return
    told = f"{state.amount} is {known.get_status_display().lower() if known else 'unknown'} here, {state.status} there"
    yield Difference("refund", str(payment), told, lambda: refund_states.sync_refunds(payment=payment, now=now))


def _of_dispute(id: str, *, now: datetime) -> Iterator[Difference]:
    known = Dispute.objects.filter(gateway_id=id).first()
    state = gateway.get_dispute(id)
    if state.status.startswith("warning_") or not Payment.objects.filter(gateway_id=state.intent).exists():
        return
    lost, fee = disputes.lost_of(state), max(0, state.fee - state.fee_returned)
    if known is None or (known.status, known.lost, known.fee) != (disputes.status_of(state), lost, fee):
        here = f"{known.get_status_display().lower()}, {known.lost} lost, fee {known.fee}" if known else "unknown"
        told = f"is {here} here; {state.status}, {lost} lost, fee {fee} at the provider"
        yield Difference("dispute", id, told, lambda: disputes.sync_dispute(dispute=id, now=now))


def unfinished(*, now: datetime) -> Iterator[Difference]:
    """Yield orders, refunds and events that should have been settled by their jobs."""
    begun = Order.objects.live().exclude(method=Order.Method.TRANSFER, status=Order.Status.OPEN)
    for order in begun.filter(created_at__lt=now - checkout.GIVE_UP_AFTER):
        repair = lambda order=order: checkout.follow_order(order_id=order.pk, now=now)  # noqa: E731
        yield Difference("order", order.number, "was not settled in time", repair)
    going = Refund.objects.filter(
        status=Refund.Status.PROCESSING,
        method=Payment.Method.CARD,  # a transfer waits for an admin
        requested_at__lt=now - checkout.GIVE_UP_AFTER,
    )
    for refund in going.select_related("payment"):
        if refund.gateway_id is not None:  # the provider has it, so its state counts, however old it is
            yield from examine("refund", refund.gateway_id, partial(_of_sent_refund, refund.gateway_id, now=now))
            continue
        resend = lambda refund=refund: refunds.send(refund=refund, now=now)  # noqa: E731
        yield Difference("refund", str(refund.payment), "was not sent in time", resend)
    for payment in payments_without_documents():
        issue = lambda payment=payment: issuing.issue_documents(payment=payment, now=now)  # noqa: E731
        yield Difference("document", str(payment), "its invoice and credit notes aren't what the ledger says", issue)
    for trigger in webhooks.waiting(until=now - checkout.GIVE_UP_AFTER, at_most=MAX_EVENTS):
        handle = lambda trigger=trigger: webhooks.handle(trigger, now=now)  # noqa: E731
        yield Difference("event", str(trigger), "waits, and no job handles it", handle)
    yield from subscription_reconciliation.unfinished(now=now)
    yield from payout_reconciliation.unfinished(now=now)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
