"""What follows from money that went back to a learner, by a refund or a dispute: access, and requests that wait."""

from datetime import datetime

from django.db.models import Q

from apps.billing.models import Grant, Payment, Refund, SeatPack
from apps.billing.services import gifts, seats
from apps.billing.services.grants import end_purchase, reopen_purchase
from studyplatform.kit import jobs


def follow_returns(payment: Payment, *, now: datetime) -> None:
    """Act on what is left of a payment. Idempotent. The caller holds its lock, inside a transaction.

    One that was returned in full opens nothing; one whose money came back opens its courses again. Premium is ended by
    a job, which asks the provider.
    """
    _follow_requests(payment, now=now)
    pack = SeatPack.objects.filter(order=payment.order_id).first() if payment.order_id else None
    if pack is not None:
        seats.follow_returns(pack=pack, is_returned=payment.is_returned, now=now)
        return
    if not payment.is_returned:
        reopen_purchase(payment=payment, now=now)
        return
    if payment.subscription_id is not None:
        key, subscription = f"payment {payment.pk}", payment.subscription_id
        jobs.enqueue("billing.end_returned_premium", key=key, subscription_id=subscription)
    reason = Grant.End.DISPUTE if payment.charged_back else Grant.End.REFUND
    end_purchase(payment=payment, reason=reason, now=now)
    gifts.tell_of_end(payment=payment, now=now)


def _follow_requests(payment: Payment, *, now: datetime) -> None:
    """A request can be for no more than what is left; where nothing is, it is closed, and the learner is notified.

    The same is true of what an admin is about to transfer.
    """
    to_transfer = Q(status=Refund.Status.PROCESSING, method=Payment.Method.TRANSFER)
    for request in payment.refunds.filter(Q(status=Refund.Status.REQUESTED) | to_transfer):
        if payment.left == 0:
            request.status, request.decided_at = Refund.Status.CLOSED, now
            request.save(update_fields=["status", "decided_at"])
            jobs.enqueue("billing.tell_of_refund", key=f"{request.pk} closed", refund_id=request.pk)
        elif request.amount > payment.left:
            request.amount = payment.left
            request.save(update_fields=["amount"])
