"""What arrives from the provider: stored and verified by dj-stripe, then handled by a job.

An event is only a hint that an object has changed: each handler asks for the object's present state. So events may
arrive in any order, twice, or be replayed later.
"""

import logging
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from djstripe.models import WebhookEventTrigger

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.models import Order, Payment, Payout, Subscription
from apps.billing.services import (
    balance_facts,
    checkout,
    connected_accounts,
    customers,
    disputes,
    payments,
    payout_outcomes,
    premium,
    premium_care,
    refund_states,
    subscriptions,
)
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce

logger = logging.getLogger(__name__)
EXCEPTION_LENGTH = 128  # of dj-stripe's column
Handler = Callable[[dict[str, Any], datetime], None]


def receive(trigger: WebhookEventTrigger, **_: Any) -> None:
    """Leave a verified event to the job that :func:`queue` begins (setting DJSTRIPE_WEBHOOK_EVENT_CALLBACK)."""


def queue(*, trigger: WebhookEventTrigger) -> None:
    """Begin the job that handles a verified event, if nothing has handled it yet.

    Called whenever dj-stripe has saved an event. It saves it once more after its callback, as not processed: a job that
    the callback began could be done before, and the event would wait for ever.
    """
    if trigger.valid and not trigger.processed and not trigger.exception:
        jobs.enqueue("billing.handle_event", key=str(trigger.pk), trigger_id=trigger.pk)


def waiting(*, until: datetime, at_most: int) -> list[WebhookEventTrigger]:
    """Return the verified events from before then that nothing has handled, the oldest first."""
    unhandled = WebhookEventTrigger.objects.filter(valid=True, processed=False, exception="", created__lt=until)
    return list(unhandled.order_by("pk")[:at_most])


def handle(trigger: WebhookEventTrigger, *, now: datetime) -> None:
    """Act on a stored event, then let dj-stripe update its copy of the object. Idempotent.

    Of an object that is gone, such as the customer of a deleted account, there is nothing left to copy.
    """
    event = trigger.json_body
    data = event.get("data")
    subject = data.get("object") if isinstance(data, dict) else None
    if isinstance(subject, dict):
        handler = handler_of(str(event.get("type", "")))
        if handler is not None:
            handler(subject, now)
    try:
        trigger.process(save=True)
    except Exception as error:
        if not (gateway.is_refusal(error) and isinstance(subject, dict) and _is_gone(subject)):
            raise
        trigger.processed = True
        trigger.save()


def _is_gone(subject: dict[str, Any]) -> bool:
    """Whether the object of an event, or the customer it belongs to, doesn't exist at the provider any longer."""
    kind, id = subject.get("object"), str(subject.get("id"))
    if kind == "account":
        return gateway.get_account(id) is None
    customer = id if kind == "customer" else subject.get("customer")
    return isinstance(customer, str) and gateway.is_customer_gone(customer)


def fail(*, trigger_id: int, error: Exception) -> None:
    """Write down why an event could not be handled, so that an admin can handle it again."""
    told = "".join(traceback.format_exception(error))[-4000:]
    text = (str(error) or type(error).__name__)[:EXCEPTION_LENGTH]
    WebhookEventTrigger.objects.filter(pk=trigger_id).update(processed=False, exception=text, traceback=told)


def replay(*, admin: User, triggers: Iterable[int]) -> int:
    """Handle stored events again, by their ids. Idempotent; events that were never verified are left out.

    Returns how many.
    """
    enforce(policies.oversee_payments(admin))
    count = 0
    with transaction.atomic():
        for pk in WebhookEventTrigger.objects.filter(pk__in=list(triggers), valid=True).values_list("pk", flat=True):
            # Cleared: until the job has handled it again, the event is waiting.
            WebhookEventTrigger.objects.filter(pk=pk).update(processed=False, exception="", traceback="")
            jobs.enqueue("billing.handle_event", key=str(pk), trigger_id=pk)
            count += 1
    return count


def handler_of(kind: str) -> Handler | None:
    """Return what acts on events of this type; the longest prefix wins."""
    fitting = [prefix for prefix in HANDLERS if kind.startswith(prefix)]
    return HANDLERS[max(fitting, key=len)] if fitting else None


def act_on(kind: str, subject: dict[str, Any], *, now: datetime) -> None:
    """Act as on an event of this type about this object. Idempotent.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    handler = handler_of(kind)
    if handler is not None:
        handler(subject, now)


def _payment_intent(subject: dict[str, Any], now: datetime) -> None:
    order = Order.objects.filter(intent_id=subject.get("id")).first()
    if order is not None:
        checkout.sync_order(order=order, now=now)


def _charge(subject: dict[str, Any], now: datetime) -> None:
    payment = _payment_of(subject)
    if payment is None or payment.fee is not None:
        return
    charge = gateway.get_payment_intent(payment.gateway_id).charge
    if charge is not None:
        payments.sync_fee(payment=payment, charge=charge)


def _refund(subject: dict[str, Any], now: datetime) -> None:
    _note_payment(subject, now)
    payment = _payment_of(subject)
    if payment is not None:
        refund_states.sync_refunds(payment=payment, now=now)


def _dispute(subject: dict[str, Any], now: datetime) -> None:
    _note_payment(subject, now)
    disputes.sync_dispute(dispute=str(subject.get("id")), now=now)


def _card(subject: dict[str, Any], now: datetime) -> None:
    if subject.get("type") == "card":
        customers.sync_card(card=str(subject.get("id")), now=now)


def _account(subject: dict[str, Any], now: datetime) -> None:
    connected_accounts.sync_connected_account(gateway_id=str(subject.get("id")), now=now)


def _subscription(subject: dict[str, Any], now: datetime) -> None:
    metadata = subject.get("metadata")
    reference = metadata.get("subscription") if isinstance(metadata, dict) else None
    _follow(str(subject.get("id")), str(reference or ""), now)


def _customer(subject: dict[str, Any], now: datetime) -> None:
    """The balance or the name of a customer has changed: the balance decides what is charged next."""
    _follow_customer(str(subject.get("id")), now)


def _discount(subject: dict[str, Any], now: datetime) -> None:
    _follow_customer(str(subject.get("customer")), now)


def _follow_customer(customer: str, now: datetime) -> None:
    customers.sync_balance(customer=customer)
    for row in Subscription.objects.live().filter(user__customer__gateway_id=customer).exclude(gateway_id=None):
        premium.sync_subscription(subscription=row, now=now)


def _invoice(subject: dict[str, Any], now: datetime) -> None:
    parent = subject.get("parent")
    details = parent.get("subscription_details") if isinstance(parent, dict) else None
    if isinstance(details, dict):
        _follow(str(details.get("subscription")), "", now)


def _follow(gateway_id: str, reference: str, now: datetime) -> None:
    row = Subscription.objects.filter(gateway_id=gateway_id).first()
    if row is None:  # the process died before it stored the id
        row = subscriptions.adopt(gateway_id=gateway_id, reference=reference)
    if row is not None:
        premium_care.tell_owner(premium.sync_subscription(subscription=row, now=now), now=now)


def _transfer(subject: dict[str, Any], now: datetime) -> None:
    with suppress(ValueError):
        payout = Payout.objects.filter(uid=UUID(str(subject.get("transfer_group")))).first()
        if payout is not None:
            payout_outcomes.sync(payout.pk, now=now)


def _balance(subject: dict[str, Any], now: datetime) -> None:
    balance_facts.follow_balance(now=now)


def _note_payment(subject: dict[str, Any], now: datetime) -> None:
    """Write down the payment that a refund or a dispute is about: its own event may arrive later, or never."""
    intent = subject.get("payment_intent")
    if not isinstance(intent, str) or _payment_of(subject) is not None:
        return
    if Order.objects.filter(intent_id=intent).exists():
        _payment_intent({"id": intent}, now)
        return
    customer = gateway.get_payment_intent(intent).customer
    for row in Subscription.objects.filter(user__customer__gateway_id=customer or "").exclude(gateway_id=None):
        premium.sync_subscription(subscription=row, now=now)


def _payment_of(subject: dict[str, Any]) -> Payment | None:
    intent = subject.get("payment_intent")
    return Payment.objects.filter(gateway_id=intent).first() if isinstance(intent, str) else None


HANDLERS: dict[str, Handler] = {
    "account.updated": _account,
    "payment_intent.": _payment_intent,
    "customer.discount.": _discount,
    "customer.subscription.": _subscription,
    "customer.updated": _customer,
    "invoice.": _invoice,
    "charge.": _charge,
    "charge.refund": _refund,
    "charge.dispute.": _dispute,
    "refund.": _refund,
    "payment_method.": _card,
    "transfer.": _transfer,
    "payout.": _balance,
    "topup.": _balance,
    "balance.available": _balance,
}
