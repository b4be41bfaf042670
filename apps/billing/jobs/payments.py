"""Background jobs about payments, refunds, subscriptions and gifts."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from djstripe.models import WebhookEventTrigger

from apps.billing import gateway, services
from apps.billing.models import Dispute, Payment, Refund, Subscription
from apps.billing.services import (
    admin_notices,
    gifts,
    premium_care,
    premium_notices,
    receipts,
    refunds,
    webhooks,
)
from apps.billing.waiting import AGAIN, waits_for_provider
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError


def _event_failed(error: Exception, *, trigger_id: int) -> None:
    webhooks.fail(trigger_id=trigger_id, error=error)


@jobs.job("billing.handle_event", label=_("Process a payment provider event"), on_failure=_event_failed)
@waits_for_provider
def handle_event(running: jobs.Running, *, trigger_id: int) -> None:
    """Act on a stored webhook event. Idempotent."""
    trigger = WebhookEventTrigger.objects.filter(pk=trigger_id).first()
    if trigger is not None:
        webhooks.handle(trigger, now=timezone.now())


@jobs.job("billing.follow_refund", label=_("Check a refund"))
@waits_for_provider
def follow_refund(running: jobs.Running, *, refund_id: int) -> None:
    """Send a refund that could not be sent, and wait until the provider has returned the money."""
    refund = refunds.send(refund=Refund.objects.get(pk=refund_id), now=timezone.now())
    if refund.status == Refund.Status.PROCESSING:
        raise jobs.Postpone(timedelta(hours=1) if refund.gateway_id else AGAIN, is_planned=bool(refund.gateway_id))


@jobs.job("billing.refund_duplicate", label=_("Refund a payment that unlocked nothing"))
@waits_for_provider
def refund_duplicate(running: jobs.Running, *, payment_id: int) -> None:
    """Return a payment for a course that was open already, or for Premium that had just ended."""
    refunds.refund_duplicate(payment=Payment.objects.get(pk=payment_id), now=timezone.now())


@jobs.job("billing.end_returned_premium", label=_("End Premium after a refund or a lost dispute"))
@waits_for_provider
def end_returned_premium(running: jobs.Running, *, subscription_id: int) -> None:
    """End Premium if nothing is left of what was paid for its present period."""
    premium_care.end_returned(subscription_id=subscription_id, now=timezone.now())


@jobs.job("billing.tell_of_payment", label=_("Send a receipt"))
def tell_of_payment(running: jobs.Running, *, payment_id: int) -> None:
    """Tell a learner of their payment, with the receipt, and the admins if a tax rate is missing for it."""
    payment = Payment.objects.select_related("user", "course").get(pk=payment_id)
    receipts.tell_of_payment(payment=payment)
    admin_notices.tell_admins_of_missing_rate(payment, now=timezone.now())


@jobs.job("billing.tell_of_refund", label=_("Notify a learner of a refund"))
def tell_of_refund(running: jobs.Running, *, refund_id: int) -> None:
    """Tell a learner what became of their refund."""
    receipts.tell_of_refund(refund=Refund.objects.select_related("payment__user").get(pk=refund_id))


@jobs.job("billing.tell_of_granted_refund", label=_("Notify a learner of a decision on their refund"))
def tell_of_granted_refund(running: jobs.Running, *, refund_id: int) -> None:
    """Tell a learner that their request was granted."""
    receipts.tell_of_granted_refund(refund=Refund.objects.select_related("payment__user").get(pk=refund_id))


@jobs.job("billing.tell_of_lost_dispute", label=_("Notify a learner of a lost dispute"))
def tell_of_lost_dispute(running: jobs.Running, *, dispute_id: int) -> None:
    """Tell a learner that their bank took a payment back, and what that ended."""
    receipts.tell_of_lost_dispute(dispute=Dispute.objects.select_related("payment__user").get(pk=dispute_id))


@jobs.job("billing.tell_of_reversed_dispute", label=_("Notify a learner of a dispute decided against them after all"))
def tell_of_reversed_dispute(running: jobs.Running, *, dispute_id: int) -> None:
    """Tell a learner that a dispute which they had won was decided the other way."""
    receipts.tell_of_reversed_dispute(dispute=Dispute.objects.select_related("payment__user").get(pk=dispute_id))


@jobs.job("billing.send_gift", label=_("Send a gift"))
def send_gift(running: jobs.Running, *, gift_id: int) -> None:
    """Email the code of a gift on its day. While its payment is under review, it waits."""
    if not gifts.send_gift(gift_id=gift_id, now=timezone.now()):
        raise jobs.Postpone(timedelta(days=1), is_planned=True)


@jobs.job("billing.follow_gift_mail", label=_("Check the email of a gift"))
def follow_gift_mail(running: jobs.Running, *, gift_id: int) -> None:
    """Tell the buyer if the email of a gift could not be delivered."""
    if not gifts.follow_mail(gift_id=gift_id, now=timezone.now()):
        raise jobs.Postpone(timedelta(hours=1), is_planned=True)


@jobs.job("billing.delete_customer", label=_("Delete a customer at the payment provider"))
@waits_for_provider
def delete_customer(running: jobs.Running, *, customer: str) -> None:
    """Delete the customer of a deleted account."""
    gateway.delete_customer(customer)


@jobs.job("billing.note_earnings", label=_("Check an instructor's milestones"))
def note_earnings(running: jobs.Running, *, instructor_id: int) -> None:
    now = timezone.now()
    services.note_milestones(instructor_id=instructor_id, now=now)
    services.plan_next_run(now=now)


@jobs.job("billing.note_students", label=_("Check an instructor's milestones after enrollments"))
def note_students(running: jobs.Running, *, instructor_id: int) -> None:
    services.note_milestones(instructor_id=instructor_id, now=timezone.now())


@jobs.job("billing.follow_subscription", label=_("Update a Premium subscription"))
def follow_subscription(running: jobs.Running, *, subscription_id: int) -> None:
    """Settle a subscription whose browser went away, end its grace period, remind its owner; until it ends."""
    try:
        pause = premium_care.follow_subscription(subscription_id=subscription_id, now=timezone.now())
    except AppError:  # the provider can't be reached
        raise jobs.Postpone(AGAIN) from None
    if pause is not None:
        raise jobs.Postpone(pause, is_planned=True)


@jobs.job("billing.tell_of_premium_end", label=_("Notify a subscriber that Premium has ended"))
def tell_of_premium_end(running: jobs.Running, *, subscription_id: int) -> None:
    """Notify a subscriber that Premium has ended."""
    premium_notices.tell_of_end(Subscription.objects.select_related("user").get(pk=subscription_id))
