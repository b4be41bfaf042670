"""Give money back: at once within 14 days and a fifth of the course, otherwise by an admin's decision.

As with orders, the provider knows which refunds exist: :func:`.refund_states.sync_refunds` asks it. What was paid by
bank transfer goes back by one, which an admin makes (`bank_returns`).
"""

from contextlib import suppress
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.errors import NothingToRefund, RefundDecided, RefundPending, RefundTermsChanged
from apps.billing.models import Dispute, Grant, Payment, Refund
from apps.billing.provider_amounts import to_provider
from apps.billing.services.admin_notices import tell_admins_of_request
from apps.billing.services.bank_returns import ReturnAccount, announce_return, can_return_by_transfer, is_disputed
from apps.billing.services.disputes import sync_dispute
from apps.billing.services.refund_rule import consumed_percents, is_immediate
from apps.billing.services.refund_states import sync_refunds
from apps.billing.services.returns import follow_returns
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

FOLLOW_AFTER = timedelta(minutes=2)
TELL_AFTER = timedelta(minutes=1)  # a refund that is done by then is reported as done
MIN_IDEMPOTENCY_KEY_LIFETIME = timedelta(hours=12)  # Stripe keeps keys for 24 hours at least


def request_refund(
    *,
    user: User,
    payment: Payment,
    reason: str,
    now: datetime,
    expects_immediate: bool | None = None,
    account: ReturnAccount | None = None,
) -> Refund:
    """Ask for the money back. If the rule allows it, it is returned at once; otherwise an admin decides.

    ``expects_immediate``: what the user was told; None if they weren't told anything. ``account``: where to a payment
    by bank transfer goes back.

    :raises RefundPending: a refund of this payment is on its way or waits for a decision.
    :raises NothingToRefund: everything was returned, or the payment is disputed.
    :raises RefundTermsChanged: the rule is not the one that the user was told.
    """
    enforce(policies.ask_for_refund(user, payment))
    _ask_provider(payment, now=now)
    with transaction.atomic():
        # Who redeems a gift locks this row: either it is redeemed before the rule is read, or its code has ended.
        Payment.objects.select_for_update().get(pk=payment.pk)
        # One request of a user at a time: of two for the same course, the second sees the first. Locked in this order,
        # as by what ends Premium after a refund.
        User.objects.select_for_update().get(pk=user.pk)
        payment.refresh_from_db(fields=["refunded", "charged_back"])
        immediate = is_immediate(payment=payment, now=now)
        if expects_immediate not in (None, immediate):
            raise RefundTermsChanged
        refund = _create(
            payment,
            amount=payment.left,
            status=Refund.Status.PROCESSING if immediate else Refund.Status.REQUESTED,
            reason=reason,
            requested_by=user,
            account=account,
            now=now,
        )
    return send(refund=refund, now=now) if immediate else refund


def refund_by_admin(
    *,
    admin: User,
    payment: Payment,
    amount: int,
    reason: str,
    by_transfer: bool = False,
    account: ReturnAccount | None = None,
    now: datetime,
) -> Refund:
    """Return all or a part of a payment, as an admin decided.

    ``by_transfer``: a card payment goes back by bank transfer, because its card takes nothing any more.

    :raises RefundPending: another refund of this payment is not finished.
    :raises NothingToRefund: the amount is more than what is left, or the card hasn't refused a refund.
    """
    enforce(policies.decide_refunds(admin))
    _ask_provider(payment, now=now)
    refund = begin_refund_by_admin(
        admin=admin,
        payment=payment,
        amount=amount,
        reason=reason,
        by_transfer=by_transfer,
        account=account,
        now=now,
    )
    return send(refund=refund, now=now)


def begin_refund_by_admin(
    *,
    admin: User,
    payment: Payment,
    amount: int,
    reason: str,
    by_transfer: bool = False,
    account: ReturnAccount | None = None,
    now: datetime,
) -> Refund:
    """Write down a refund that an admin decided, as :func:`refund_by_admin`; `send` sends it after the transaction."""
    enforce(policies.decide_refunds(admin))
    if by_transfer and not can_return_by_transfer(payment):
        raise NothingToRefund
    method = Payment.Method.TRANSFER if by_transfer else None
    with transaction.atomic():
        refund = _create(
            payment,
            amount=amount,
            status=Refund.Status.PROCESSING,
            requested_by=admin,
            method=method,
            account=account,
            now=now,
        )
        Refund.objects.filter(pk=refund.pk).update(decided_by=admin, decided_at=now, decision=reason.strip())
    return refund


def decide_refund(*, admin: User, refund: Refund, grants: bool, reason: str, now: datetime) -> Refund:
    """Grant or decline a learner's request, for what is left of the payment.

    If the provider has refunded it meanwhile, there is nothing to decide: it is returned as it is.

    :raises RefundDecided: someone decided it before.
    :raises NothingToRefund: the payment is disputed, so the provider would refuse; the request waits for the outcome.
    """
    enforce(policies.decide_refunds(admin))
    before = _fresh(refund).status
    _ask_provider(refund.payment, now=now)
    found = _fresh(refund)
    if before == Refund.Status.REQUESTED and found.status in {Refund.Status.DONE, Refund.Status.CLOSED}:
        return found
    if grants and refund.payment.disputes.filter(status=Dispute.Status.OPEN).exists():
        raise NothingToRefund
    status = Refund.Status.PROCESSING if grants else Refund.Status.DECLINED
    with transaction.atomic():
        waiting = Refund.objects.filter(pk=refund.pk, status=Refund.Status.REQUESTED)
        if not waiting.update(status=status, decided_by=admin, decided_at=now, decision=reason.strip()):
            raise RefundDecided
        if grants:
            _follow(_fresh(refund))
            key = str(refund.pk)
            jobs.enqueue("billing.tell_of_granted_refund", key=key, delay=TELL_AFTER, refund_id=refund.pk)
        else:
            jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} declined", refund_id=refund.pk)
    return send(refund=refund, now=now) if grants else _fresh(refund)


def _ask_provider(payment: Payment, *, now: datetime) -> None:
    """Write down what the provider knows of refunds and disputes before one is decided: their events may be lost.

    If it can't be reached, what is known here counts; the provider refuses what is too much.
    """
    if payment.method != Payment.Method.CARD or not payment.amount:
        return
    with suppress(AppError):
        sync_refunds(payment=payment, now=now)
        for id in gateway.disputes_of(payment.gateway_id):
            sync_dispute(dispute=id, now=now)


def refund_duplicate(*, payment: Payment, now: datetime) -> None:
    """Return what opened nothing: its course was open already, or Premium had just ended. Idempotent.

    Of an order of several courses, this is the part of those that were open.
    """
    opened = set(Grant.objects.filter(payment=payment).values_list("course_id", flat=True))
    amount = sum(line.total for line in payment.lines if line.course_id not in opened)
    if not opened or payment.user.deleted_at is not None:
        amount = payment.amount
    if payment.refunds.filter(amount=amount, requested_by=None).exists():
        return  # an earlier run of the job began it, and another job follows it
    try:
        refund = _create(payment, amount=amount, status=Refund.Status.PROCESSING, now=now)
    except (RefundPending, NothingToRefund):
        return
    send(refund=refund, now=now)


def _create(
    payment: Payment,
    *,
    amount: int,
    status: Refund.Status,
    now: datetime,
    reason: str = "",
    requested_by: User | None = None,
    method: Payment.Method | None = None,
    account: ReturnAccount | None = None,
) -> Refund:
    """``method``: that of the payment if it is left out."""
    way = method or (Payment.Method.TRANSFER if payment.method == Payment.Method.TRANSFER else Payment.Method.CARD)
    try:
        with transaction.atomic():
            row = Payment.objects.select_for_update().get(pk=payment.pk)
            if row.refunds.filter(status__in=Refund.OPEN).exists():
                raise RefundPending
            if not 0 < amount <= row.left or is_disputed(row):
                raise NothingToRefund
            refund = Refund.objects.create(
                payment=row,
                amount=amount,
                status=status,
                reason=reason.strip(),
                requested_by=requested_by,
                requested_at=now,
                consumed=consumed_percents([row])[row.pk] if row.kind == Payment.Kind.COURSE else None,
                method=way,
                **(account.as_fields() if account and way == Payment.Method.TRANSFER else {}),
            )
            if status == Refund.Status.PROCESSING:
                _follow(refund)
            else:
                tell_admins_of_request(refund, now=now)
    except IntegrityError:
        raise RefundPending from None
    return refund


def _follow(refund: Refund) -> None:
    """Let a job send the refund, and wait for it; of a bank transfer, tell the admins, who make it."""
    if refund.method == Payment.Method.TRANSFER:
        announce_return(refund)
        return
    jobs.enqueue("billing.follow_refund", key=str(refund.pk), delay=FOLLOW_AFTER, refund_id=refund.pk)


def send(*, refund: Refund, now: datetime) -> Refund:
    """Tell the provider to return the money. Idempotent: the provider makes one refund per key.

    If the provider can't be reached, the refund stays on its way, and a job tries again. One that the provider has is
    never sent again: it forgets keys after a day (https://docs.stripe.com/api/idempotent_requests).
    """
    refund = _fresh(refund)
    if refund.status != Refund.Status.PROCESSING or refund.method == Payment.Method.TRANSFER:
        return refund
    payment = refund.payment
    try:
        if (
            refund.gateway_id is not None
            or now - (refund.decided_at or refund.requested_at) > MIN_IDEMPOTENCY_KEY_LIFETIME
        ):
            sync_refunds(payment=payment, now=now)
            refund = _fresh(refund)
            if refund.gateway_id is not None:
                return refund
        refused = gateway.create_refund(
            intent=payment.gateway_id,
            amount=to_provider(refund.amount, payment.currency),
            key=f"refund {refund.uid}",
            refund=str(refund.uid),
        )
        sync_refunds(payment=payment, now=now)
    except AppError:
        return _fresh(refund)
    if refused:
        _note_refusal(refund, refused, now=now)
    return _fresh(refund)


def _note_refusal(refund: Refund, reason: str, *, now: datetime) -> None:
    """The provider refuses: the cardholder has contested the payment, or the money went back in another way."""
    with transaction.atomic():
        payment = Payment.objects.select_for_update().get(pk=refund.payment_id)
        mine = Refund.objects.filter(pk=refund.pk, status=Refund.Status.PROCESSING, gateway_id=None)
        status = Refund.Status.FAILED if payment.left else Refund.Status.CLOSED
        if not mine.update(status=status, failure=reason[:300], decided_at=now):
            return
        jobs.enqueue("billing.tell_of_refund", key=f"{refund.pk} {status}", refund_id=refund.pk)
        follow_returns(payment, now=now)


def _fresh(refund: Refund) -> Refund:
    return Refund.objects.select_related("payment__user", "payment__course").get(pk=refund.pk)


def refund_seats(payment: Payment, *, amount: int, requested_by: User, now: datetime) -> Refund:
    """Begin to return what seats cost that are given back. The caller closes them in the same transaction, then sends.

    :raises RefundPending: another refund of the payment is on its way.
    :raises NothingToRefund: the amount is more than what is left, or the payment is disputed.
    """
    return _create(payment, amount=amount, status=Refund.Status.PROCESSING, requested_by=requested_by, now=now)
