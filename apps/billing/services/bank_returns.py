"""Refunds that go back by bank transfer: an admin makes the transfer at the bank, and confirms the day here.

They are refunds like others, with the method `transfer`: granted ones are `processing` until they are confirmed, which
posts them from the account `bank`, issues the credit note and ends what was bought.
"""

from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.billing import policies, transfer_policies
from apps.billing.errors import NothingToRefund, RefundDecided
from apps.billing.events import PaymentRefunded
from apps.billing.models import Dispute, Payment, Refund
from apps.billing.services import ledger
from apps.billing.services.issuing import issue_documents
from apps.billing.services.ledger.posting import BANK
from apps.billing.services.returns import follow_returns
from apps.billing.services.transfer_orders import moment_of_return, noon_of
from studyplatform.kit import encryption, jobs
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

PURPOSE = "billing.refund_account"
NO_ACCOUNT = {"holder": "", "encrypted_number": "", "bank_code": "", "last4": ""}


@dataclass(frozen=True)
class ReturnAccount:
    """A bank account to which money is returned: an IBAN, or another number with the code of its bank."""

    holder: str
    number: str
    bank_code: str = ""

    def as_fields(self) -> dict[str, str]:
        """Return it as the fields of a refund. The number is stored encrypted."""
        return {
            "holder": self.holder,
            "encrypted_number": encryption.encrypt(self.number, purpose=PURPOSE),
            "bank_code": self.bank_code,
            "last4": self.number[-4:],
        }


def number_of(refund: Refund) -> str:
    """Return the account number to which a refund goes; "" if nobody has named one."""
    return encryption.decrypt(refund.encrypted_number, purpose=PURPOSE) if refund.encrypted_number else ""


def is_disputed(payment: Payment) -> bool:
    """The provider refunds nothing of a payment that is disputed, or whose dispute was lost; neither do we."""
    return payment.disputes.exclude(status=Dispute.Status.WON).exists()


def can_return_by_transfer(payment: Payment) -> bool:
    """Return whether an admin may return a payment by bank transfer: it came by one, or its card takes nothing back."""
    if payment.method == Payment.Method.TRANSFER:
        return True
    return payment.refunds.filter(status=Refund.Status.FAILED, method=Payment.Method.CARD).exists()


def announce_return(refund: Refund) -> None:
    """Tell the admins that a refund is to be transferred, and its learner if nobody has said where to."""
    jobs.enqueue("billing.tell_of_return", key=str(refund.pk), refund_id=refund.pk)


@transaction.atomic
def save_return_account(*, user: User, refund: Refund, account: ReturnAccount, now: datetime) -> Refund:
    """Say, or correct, to which account a refund is transferred.

    :raises RefundDecided: it isn't waiting for its transfer any more.
    """
    enforce(transfer_policies.name_return_account(user, refund))
    waiting = Refund.objects.filter(pk=refund.pk, status__in=Refund.OPEN, method=Payment.Method.TRANSFER)
    if not waiting.update(**account.as_fields()):
        raise RefundDecided
    refund.refresh_from_db()
    return refund


@transaction.atomic
def confirm_return(*, refund: Refund, returned_on: date, actor: User, now: datetime) -> Refund:
    """Write down that a refund was transferred on a day: in the books, with its credit note; what it paid for closes.

    :raises RefundDecided: another admin has confirmed it, or it is not to be transferred.
    :raises NothingToRefund: the money went back in another way, or the payment is disputed.
    :raises TransferRefused: the day is before the request or in the future.
    """
    enforce(policies.decide_refunds(actor))
    payment, refund = _locked(refund)
    if not refund.is_to_transfer:
        raise RefundDecided
    if refund.amount > payment.left or is_disputed(payment):
        raise NothingToRefund
    earliest = max(payment.paid_at, refund.requested_at)
    moment = moment_of_return(earliest, returned_on, now=now)
    refund.gateway_id = f"return {refund.uid.hex}"
    refund.status, refund.failure, refund.done_at = Refund.Status.DONE, "", now
    refund.returned_on, refund.confirmed_by = returned_on, actor
    refund.save()
    ledger.post_refund(
        refund.gateway_id,
        payment.gateway_id,
        refund.amount,
        occurred_at=moment,
        gateway_id=refund.gateway_id,
        paid_from=BANK,
    )
    _follow(payment, now=now)
    publish(PaymentRefunded(refund_id=refund.pk, payment_id=payment.pk, user_id=payment.user_id))
    jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} done", refund_id=refund.pk)
    return refund


@transaction.atomic
def reject_return(*, refund: Refund, rejected_on: date, reason: str, actor: User, now: datetime) -> Refund:
    """Write down that the bank sent a transferred refund back on a day: the money is ours again, and is still owed.

    :raises RefundDecided: it wasn't confirmed as transferred, or was rejected before.
    :raises TransferRefused: the day is before the transfer or in the future.
    """
    enforce(policies.decide_refunds(actor))
    payment, refund = _locked(refund)
    if refund.method != Payment.Method.TRANSFER or refund.status != Refund.Status.DONE or refund.gateway_id is None:
        raise RefundDecided
    earliest = noon_of(refund.returned_on) if refund.returned_on else refund.requested_at
    moment = moment_of_return(earliest, rejected_on, now=now)
    refund.status, refund.failure, refund.done_at = Refund.Status.FAILED, reason[:300], None
    refund.save(update_fields=["status", "failure", "done_at"])
    ledger.post_refund_failed(refund.gateway_id, occurred_at=moment, gateway_id=refund.gateway_id)
    _follow(payment, now=now)
    jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} failed", refund_id=refund.pk)
    return refund


@transaction.atomic
def withdraw_return(*, refund: Refund, reason: str, actor: User, now: datetime) -> Refund:
    """Give up a refund that is to be transferred, because it isn't owed any more. The learner is notified.

    :raises RefundDecided: it was transferred meanwhile, or isn't to be transferred.
    """
    enforce(policies.decide_refunds(actor))
    payment, refund = _locked(refund)
    if not refund.is_to_transfer:
        raise RefundDecided
    refund.status, refund.decided_by, refund.decided_at = Refund.Status.DECLINED, actor, now
    refund.decision = reason
    refund.save(update_fields=["status", "decided_by", "decided_at", "decision"])
    follow_returns(payment, now=now)
    jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} declined", refund_id=refund.pk)
    return refund


def _locked(refund: Refund) -> tuple[Payment, Refund]:
    payments = Payment.objects.select_for_update(of=("self",)).select_related("user", "course")
    payment = payments.get(pk=refund.payment_id)
    return payment, Refund.objects.get(pk=refund.pk)


def _follow(payment: Payment, *, now: datetime) -> None:
    """What follows from what is returned by now. The caller holds the lock of the payment."""
    payment.refunded = refunded_of(payment)
    payment.save(update_fields=["refunded"])
    issue_documents(payment=payment, now=now)
    follow_returns(payment, now=now)
    if payment.user.deleted_at is not None:
        payment.refunds.exclude(status__in=Refund.OPEN).update(**NO_ACCOUNT)


def refunded_of(payment: Payment) -> int:
    """Return what refunds returned of a payment: what exceeds it is a loss, not a refund. One query."""
    done = payment.refunds.filter(status=Refund.Status.DONE).aggregate(total=Sum("amount"))["total"] or 0
    return min(int(done), payment.amount)
