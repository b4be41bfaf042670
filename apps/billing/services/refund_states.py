"""Write down what the provider says of refunds: it knows which exist, and what they moved in its balance."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.billing import gateway
from apps.billing.events import PaymentRefunded
from apps.billing.models import Payment, Refund
from apps.billing.services import ledger
from apps.billing.services.bank_returns import refunded_of
from apps.billing.services.issuing import issue_documents
from apps.billing.services.returns import follow_returns
from studyplatform.kit import jobs
from studyplatform.kit.events import publish


def sync_refunds(*, payment: Payment, now: datetime) -> None:
    """Write down all refunds that the provider knows of a payment. Idempotent."""
    states = gateway.refunds_of(payment.gateway_id)
    with transaction.atomic():
        payment = Payment.objects.select_for_update(of=("self",)).select_related("user", "course").get(pk=payment.pk)
        # What failed first: then there is room for what was refunded instead.
        for state in sorted(states, key=lambda each: (meaning_of(each) != Refund.Status.FAILED, each.created)):
            _apply(payment, state, now=now)
        issue_documents(payment=payment, now=now)
        done = refunded_of(payment)
        if done != payment.refunded:
            payment.refunded = done
            payment.save(update_fields=["refunded"])
        follow_returns(payment, now=now)


def _apply(payment: Payment, state: gateway.RefundState, *, now: datetime) -> None:
    refund = payment.refunds.filter(gateway_id=state.id).first()
    after = meaning_of(state)
    if refund is not None and is_stale(refund, state):
        return
    if refund is None:
        refund = _row_for(payment, state, after)
        refund.gateway_id, refund.method = state.id, Payment.Method.CARD
    before = refund.status if refund.pk and refund.status != Refund.Status.REQUESTED else None
    _book(payment, state, after, now=now)
    if before == after:
        refund.save(update_fields=["gateway_id", "method"])
        return
    if refund.status == Refund.Status.REQUESTED:  # decided at the provider
        refund.decided_at = now
    refund.status, refund.failure = after, state.failure
    refund.done_at = now if after == Refund.Status.DONE else None
    refund.save()
    if after == Refund.Status.DONE:
        publish(PaymentRefunded(refund_id=refund.pk, payment_id=payment.pk, user_id=payment.user_id))
        jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} done", refund_id=refund.pk)
    elif after == Refund.Status.FAILED:
        jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} failed", refund_id=refund.pk)


def _row_for(payment: Payment, state: gateway.RefundState, after: Refund.Status) -> Refund:
    """The row of a refund that the provider has and that no row knows yet.

    It is the one that we sent; or, of a refund made at the provider, the learner's request for this amount, which it
    answers; or else a new one.
    """
    uid = _uuid(state.metadata.get("refund", ""))
    ours = payment.refunds.filter(uid=uid, gateway_id=None).first() if uid else None
    if ours is None and uid is None and after != Refund.Status.FAILED:
        waiting = payment.refunds.filter(status=Refund.Status.REQUESTED, gateway_id=None, amount=state.amount)
        ours = waiting.first()
    return ours or Refund(payment=payment, amount=state.amount, requested_at=state.created)


def _book(payment: Payment, state: gateway.RefundState, after: Refund.Status, *, now: datetime) -> None:
    """Post what the refund did to the provider's balance. Idempotent."""
    paid, at = payment.gateway_id, state.created
    if after == Refund.Status.DONE:
        ledger.post_refund(state.id, paid, state.amount, occurred_at=at, gateway_id=state.id)
    elif after == Refund.Status.FAILED:
        ledger.post_refund_failed(state.id, occurred_at=now, gateway_id=state.id)
    elif state.is_taken:
        ledger.post_refund_pending(state.id, paid, state.amount, occurred_at=at, gateway_id=state.id)
    if state.fee:
        ledger.post_refund_fee(state.id, paid, state.fee, occurred_at=at, gateway_id=state.id)


def meaning_of(state: gateway.RefundState) -> Refund.Status:
    """What the provider's status means here."""
    return _STATUS.get(state.status, Refund.Status.PROCESSING)


def is_stale(refund: Refund, state: gateway.RefundState) -> bool:
    """Whether an answer is older than what is known: what is done can only fail, and what failed stays so."""
    if refund.gateway_id is None or refund.status == Refund.Status.REQUESTED:
        return False
    is_earlier = refund.status == Refund.Status.DONE and meaning_of(state) == Refund.Status.PROCESSING
    return refund.status == Refund.Status.FAILED or is_earlier


def _uuid(text: str) -> UUID | None:
    """Our own id of a refund; None if it was made at the provider, where anything may be written."""
    try:
        return UUID(text)
    except ValueError:
        return None


_STATUS = {
    "succeeded": Refund.Status.DONE,
    "pending": Refund.Status.PROCESSING,
    "requires_action": Refund.Status.PROCESSING,
    "failed": Refund.Status.FAILED,
    "canceled": Refund.Status.FAILED,
}
