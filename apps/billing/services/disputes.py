"""Payments that the cardholder contested at their bank."""

from datetime import datetime

from django.db import transaction

from apps.billing import gateway
from apps.billing.models import Dispute, Grant, Payment
from apps.billing.services import gifts, ledger
from apps.billing.services.grants import end_purchase
from apps.billing.services.issuing import issue_documents
from studyplatform.kit import jobs

_CLOSED = {"won": Dispute.Status.WON, "lost": Dispute.Status.LOST}


def sync_dispute(*, dispute: str, now: datetime) -> Dispute | None:
    """Write down the present state of a dispute. Idempotent; None if its payment is not one of ours.

    The course stays open while the bank decides; a lost dispute closes it like a refund. So does Premium.
    """
    state = gateway.get_dispute(dispute)
    if state.status.startswith("warning_"):  # the bank asks, but has not taken the money
        return None
    with transaction.atomic():
        found = Payment.objects.select_for_update(of=("self",)).select_related("user", "course")
        payment = found.filter(gateway_id=state.intent).first()
        if payment is None:
            return None
        row, is_new = Dispute.objects.get_or_create(
            gateway_id=state.id,
            defaults={
                "payment": payment,
                "amount": state.amount,
                "fee": state.fee,
                "reason": state.reason[:60],
                "opened_at": state.created,
            },
        )
        if is_new:
            ledger.post_dispute_opened(
                state.id,
                payment.gateway_id,
                row.amount,
                fee=row.fee,
                occurred_at=row.opened_at,
                gateway_id=state.id,
            )
        closed = _CLOSED.get(state.status)
        if closed is None or row.status != Dispute.Status.OPEN:
            return row
        row.status, row.closed_at = closed, now
        row.save(update_fields=["status", "closed_at"])
        if closed == Dispute.Status.WON:
            ledger.post_dispute_won(state.id, occurred_at=now, gateway_id=state.id)
        else:
            jobs.enqueue("billing.tell_of_lost_dispute", key=state.id, dispute_id=row.pk)
            ledger.post_dispute_lost(state.id, occurred_at=now, gateway_id=state.id)
            issue_documents(payment=payment, now=now)
            if payment.subscription_id is not None:
                key, subscription = f"dispute {state.id}", payment.subscription_id
                jobs.enqueue("billing.end_returned_premium", key=key, subscription_id=subscription)
            end_purchase(payment=payment, reason=Grant.End.DISPUTE, now=now)
            gifts.tell_of_end(payment=payment, now=now)
    return row
