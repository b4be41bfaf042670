"""Payments that the cardholder contested at their bank."""

from datetime import datetime

from django.db import transaction
from django.db.models import Sum

from apps.billing import gateway
from apps.billing.models import Dispute, Payment
from apps.billing.services import ledger
from apps.billing.services.admin_notices import tell_admins_of_dispute
from apps.billing.services.issuing import issue_documents
from apps.billing.services.returns import follow_returns
from studyplatform.kit import jobs

CLOSED = {"won": Dispute.Status.WON, "lost": Dispute.Status.LOST, "prevented": Dispute.Status.WON}


def status_of(state: gateway.DisputeState) -> Dispute.Status:
    """What the provider's status means here."""
    return CLOSED.get(state.status, Dispute.Status.OPEN)


def lost_of(state: gateway.DisputeState) -> int:
    """What the cardholder keeps of a dispute that is closed: 0 while it is open. One can be won in part."""
    return 0 if status_of(state) == Dispute.Status.OPEN else max(0, state.withdrawn - state.reinstated)


def sync_dispute(*, dispute: str, now: datetime) -> Dispute | None:
    """Write down the present state of a dispute, and post what it moved at the provider. Idempotent.

    None if its payment is not one of ours. The course stays open while the bank decides. What the cardholder keeps then
    counts like a refund: a payment of which nothing is left opens nothing. A bank can change its mind.
    """
    state = gateway.get_dispute(dispute)
    if state.status.startswith("warning_"):  # the bank asks, but has not taken the money
        return None
    with transaction.atomic():
        found = Payment.objects.select_for_update(of=("self",)).select_related("user", "course")
        payment = found.filter(gateway_id=state.intent).first()
        if payment is None:
            return None
        defaults = {"payment": payment, "amount": state.amount, "reason": state.reason[:60], "opened_at": state.created}
        row, is_new = Dispute.objects.get_or_create(gateway_id=state.id, defaults=defaults)
        status = status_of(state)
        row.answer_by = state.answer_by
        if is_new and status == Dispute.Status.OPEN:
            tell_admins_of_dispute(row, now=now)
        if row.status != Dispute.Status.OPEN and status == Dispute.Status.OPEN:
            return row  # a stale answer: another call asked later
        ledger.post_dispute(
            state.id,
            payment.gateway_id,
            ledger.DisputeMoves(state.withdrawn, state.reinstated, state.fee, state.fee_returned),
            is_closed=status != Dispute.Status.OPEN,
            opened_at=state.created,
            occurred_at=now,
            gateway_id=state.id,
        )
        if row.status == Dispute.Status.OPEN and status != Dispute.Status.OPEN:
            row.closed_at = now
            if status == Dispute.Status.LOST:
                jobs.enqueue("billing.tell_of_lost_dispute", key=state.id, dispute_id=row.pk)
        elif lost_of(state) != row.lost:  # the bank has changed its mind
            what = "lost" if lost_of(state) > row.lost else "reversed"
            jobs.enqueue(f"billing.tell_of_{what}_dispute", key=f"{state.id} {lost_of(state)}", dispute_id=row.pk)
        issue_documents(payment=payment, now=now)
        row.status, row.lost, row.fee = status, lost_of(state), max(0, state.fee - state.fee_returned)
        row.save(update_fields=["status", "answer_by", "closed_at", "lost", "fee"])
        payment.charged_back = payment.disputes.aggregate(sum=Sum("lost"))["sum"] or 0
        payment.save(update_fields=["charged_back"])
        follow_returns(payment, now=now)
    return row
