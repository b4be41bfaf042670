"""What arrives from the provider: stored and verified by dj-stripe, then handled by a job.

An event is only a hint that an object has changed: each handler asks for the object's present state. So events may
arrive in any order, twice, or be replayed later.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from djstripe.models import WebhookEventTrigger

from apps.billing import gateway
from apps.billing.models import Order, Payment, Subscription
from apps.billing.services import checkout, customers, disputes, payments, premium, premium_care, refunds, subscriptions
from studyplatform.kit import jobs

logger = logging.getLogger(__name__)
Handler = Callable[[dict[str, Any], datetime], None]


def receive(trigger: WebhookEventTrigger, **_: Any) -> None:
    """Queue a verified event. dj-stripe calls this inside its transaction (setting DJSTRIPE_WEBHOOK_EVENT_CALLBACK)."""
    trigger.save()
    jobs.enqueue("billing.handle_event", key=str(trigger.pk), trigger_id=trigger.pk)


def handle(trigger: WebhookEventTrigger, *, now: datetime) -> None:
    """Act on a stored event, then let dj-stripe update its copy of the object. Idempotent."""
    event = trigger.json_body
    data = event.get("data")
    subject = data.get("object") if isinstance(data, dict) else None
    if isinstance(subject, dict):
        handler = handler_of(str(event.get("type", "")))
        if handler is not None:
            handler(subject, now)
    trigger.process(save=True)


def handler_of(kind: str) -> Handler | None:
    """Return what acts on events of this type; the longest prefix wins."""
    fitting = [prefix for prefix in HANDLERS if kind.startswith(prefix)]
    return HANDLERS[max(fitting, key=len)] if fitting else None


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
    _payment_intent({"id": subject.get("payment_intent")}, now)  # its event may arrive later, or never
    payment = _payment_of(subject)
    if payment is not None:
        refunds.sync_refunds(payment=payment, now=now)


def _dispute(subject: dict[str, Any], now: datetime) -> None:
    _payment_intent({"id": subject.get("payment_intent")}, now)  # its event may arrive later, or never
    disputes.sync_dispute(dispute=str(subject.get("id")), now=now)


def _card(subject: dict[str, Any], now: datetime) -> None:
    if subject.get("type") == "card":
        customers.sync_card(card=str(subject.get("id")), now=now)


def _subscription(subject: dict[str, Any], now: datetime) -> None:
    metadata = subject.get("metadata")
    reference = metadata.get("subscription") if isinstance(metadata, dict) else None
    _follow(str(subject.get("id")), str(reference or ""), now)


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


def _payment_of(subject: dict[str, Any]) -> Payment | None:
    intent = subject.get("payment_intent")
    return Payment.objects.filter(gateway_id=intent).first() if isinstance(intent, str) else None


HANDLERS: dict[str, Handler] = {
    "payment_intent.": _payment_intent,
    "customer.subscription.": _subscription,
    "invoice.": _invoice,
    "charge.": _charge,
    "charge.refund": _refund,
    "charge.dispute.": _dispute,
    "refund.": _refund,
    "payment_method.": _card,
}
