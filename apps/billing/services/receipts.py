"""Tell learners about their payments and refunds."""

from apps.accounts import services as people
from apps.billing.models import Payment, Refund
from studyplatform.kit.text.money import money


def tell_of_payment(*, payment: Payment) -> None:
    """Notify the learner of a payment. One notification per payment."""
    people.notify(
        "billing.paid",
        payment.user,
        f"/billing/transactions/{payment.uid}",
        str(payment.uid),
        now=payment.paid_at,
        title=payment.title,
        amount=money(payment.amount, payment.currency, cents=True),
        number=payment.receipt_number,
    )


def tell_of_refund(*, refund: Refund) -> None:
    """Notify the learner of a refund that was made or declined. One notification per outcome."""
    payment = refund.payment
    declined = refund.status == Refund.Status.DECLINED
    people.notify(
        "billing.refund_declined" if declined else "billing.refunded",
        payment.user,
        f"/billing/transactions/{payment.uid}",
        f"{refund.uid} {refund.status}",
        now=(refund.decided_at if declined else refund.done_at) or refund.requested_at,
        title=payment.title,
        amount=money(refund.amount, payment.currency, cents=True),
        reason=refund.decision,
    )
