"""What a subscription's state at the provider means here: the only writer of subscriptions.

:func:`sync_subscription` asks the provider for the present state and acts on it. The browser after a confirmation,
webhooks, the job that follows each subscription and ``manage.py reconcile_billing`` call it, in any order and any
number of times.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.timezone import localtime

from apps.billing import gateway
from apps.billing.events import PremiumEnded, PremiumStarted
from apps.billing.models import Payment, Subscription
from apps.billing.plans import TITLES, Offer, plan_of
from apps.billing.prices import tax_in
from apps.billing.queries.next_charge import tax_of
from apps.billing.services import grants, ledger, premium_shares, promo
from apps.billing.services.issuing import issue_documents
from apps.billing.services.payments import book_fee, evidence_of_sale, next_receipt_number
from apps.billing.services.premium_terms import price_with
from apps.billing.services.upcoming import FIELDS as UPCOMING_FIELDS
from apps.billing.services.upcoming import Upcoming, apply_upcoming, read_upcoming
from studyplatform.kit import jobs
from studyplatform.kit.events import publish

Status = Subscription.Status
MEANING = {
    "incomplete": Status.INCOMPLETE,
    "incomplete_expired": Status.ENDED,
    "trialing": Status.TRIALING,
    "active": Status.ACTIVE,
    "past_due": Status.PAST_DUE,
    "unpaid": Status.PAST_DUE,
    "paused": Status.PAST_DUE,
    "canceled": Status.ENDED,
}
_FIELDS = (
    "status", "plan", "price", "price_id", "currency", "period_start", "period_end", "trial_end",
    "cancels_at_period_end", "started_at", "past_due_since", "grace_until", "ended_at", *UPCOMING_FIELDS,
)  # fmt: skip
_ATTEMPTS = 5  # a state that changes more often while it is read is left to the next event


def sync_subscription(*, subscription: Subscription, now: datetime) -> Subscription:
    """Write the subscription's present state at the provider, its payments, and what it opens. Idempotent.

    :raises PaymentProcessingError: the provider can't be reached; nothing has changed.
    """
    row = subscription
    for _attempt in range(_ATTEMPTS):
        row = Subscription.objects.select_related("user", "redemption").get(pk=subscription.pk)
        if row.gateway_id is None:
            return row
        state = gateway.get_subscription(row.gateway_id)
        if row.status == Status.ENDED:
            _end_at_provider(row.gateway_id, state)
            break
        if _write(row, state, read_upcoming(state), now=now):
            if MEANING[state.status] == Status.ENDED:
                _end_at_provider(row.gateway_id, state)
            break
    record_invoices(subscription=row, now=now)
    return Subscription.objects.select_related("user").get(pk=row.pk)


def _end_at_provider(subscription: str, state: gateway.SubscriptionState) -> None:
    """What has ended here is not charged any longer: neither its next period nor an invoice that is still open."""
    if MEANING[state.status] != Status.ENDED or state.due_since is not None:
        gateway.end_subscription(subscription)


def _write(seen: Subscription, state: gateway.SubscriptionState, upcoming: Upcoming | None, *, now: datetime) -> bool:
    """Write a state. Returns False if the row has changed since the state was asked for: it may be stale."""
    with transaction.atomic():
        locked = Subscription.objects.select_for_update(of=("self",)).select_related("user", "redemption")
        row = locked.get(pk=seen.pk)
        if row.version != seen.version:
            return False
        before = {name: getattr(row, name) for name in _FIELDS}
        was_open, was_ended = row.is_opening(now), row.status == Status.ENDED
        _apply(row, state, now=now)
        apply_upcoming(row, upcoming)
        changed = [name for name, value in before.items() if getattr(row, name) != value]
        if changed:
            row.version = seen.version + 1
            row.save(update_fields=[*changed, "version"])
        if row.redemption is not None and row.status != Status.INCOMPLETE:
            settle = promo.keep if row.started_at is not None else promo.give_back
            settle(row.redemption, now=now)
        if row.is_opening(now) and not was_open:
            grants.reopen_premium(user=row.user, now=now)
            publish(PremiumStarted(subscription_id=row.pk, user_id=row.user_id))
        if row.status == Status.ENDED and not was_ended:
            _ended(row, now=now)
    return True


def _apply(row: Subscription, state: gateway.SubscriptionState, *, now: datetime) -> None:
    row.status = MEANING[state.status]
    row.plan, row.price, row.price_id, row.currency = plan_of(state.interval), state.amount, state.price, state.currency
    row.period_start, row.period_end = state.period_start, state.period_end
    row.trial_end, row.cancels_at_period_end = state.trial_end, state.cancels_at_period_end
    if row.started_at is None and row.is_opening(now):
        row.started_at = state.started_at
    if row.status == Status.PAST_DUE:
        row.past_due_since = row.past_due_since or state.due_since or now
        row.grace_until = row.past_due_since + timedelta(days=settings.GRACE_DAYS)
    else:
        row.past_due_since = row.grace_until = None
    if row.status == Status.ENDED:
        row.ended_at = state.ended_at or now


def end_here(*, subscription: Subscription, now: datetime) -> Subscription:
    """Mark a subscription as ended without asking the provider, and close its courses. Idempotent.

    For one that the provider never made, and for a deleted account.
    """
    with transaction.atomic():
        locked = Subscription.objects.select_for_update(of=("self",)).select_related("user", "redemption")
        row = locked.get(pk=subscription.pk)
        if row.status != Status.ENDED:
            row.status, row.ended_at = Status.ENDED, now
            row.past_due_since = row.grace_until = None
            row.version = F("version") + 1
            row.save(update_fields=["status", "ended_at", "past_due_since", "grace_until", "version"])
            if row.redemption is not None and row.started_at is None:
                promo.give_back(row.redemption, now=now)
            _ended(row, now=now)
    return Subscription.objects.select_related("user").get(pk=subscription.pk)


def _ended(row: Subscription, *, now: datetime) -> None:
    grants.close_premium(user=row.user, now=now)
    if row.started_at is not None:
        publish(PremiumEnded(subscription_id=row.pk, user_id=row.user_id))
        jobs.enqueue("billing.tell_of_premium_end", key=str(row.pk), subscription_id=row.pk)


def record_invoices(*, subscription: Subscription, now: datetime) -> None:
    """Write down all paid invoices of a subscription that are not written down yet. Idempotent."""
    if subscription.gateway_id is None:
        return
    invoices = gateway.invoices_of(subscription.gateway_id)
    known = set(
        Payment.objects.filter(invoice_id__in=[each.id for each in invoices]).values_list("invoice_id", flat=True)
    )
    for invoice in sorted(invoices, key=lambda each: (each.created, each.id)):
        if invoice.id not in known and invoice.intent is not None and invoice.amount_paid > 0:
            record_invoice(subscription=subscription, invoice=invoice, now=now)


def record_invoice(*, subscription: Subscription, invoice: gateway.InvoiceState, now: datetime) -> Payment:
    """Write down a paid invoice: the payment, its receipt number, and the books. Idempotent."""
    if invoice.intent is None:
        raise ValueError(f"{invoice.id} was not paid by a card")
    charge = gateway.get_payment_intent(invoice.intent).charge
    paid_at = charge.created if charge else invoice.created
    plan = _plan_of(invoice, subscription)
    with transaction.atomic():
        row = Subscription.objects.select_for_update(of=("self",)).select_related("user", "redemption__code")
        owner = row.get(pk=subscription.pk)
        found = Payment.objects.filter(gateway_id=invoice.intent).first()
        if found is not None:
            return found
        tax = tax_of(owner, localtime(invoice.created).date())
        discount = max(invoice.subtotal - invoice.total, 0)
        credit = invoice.credit + max(invoice.total - invoice.amount_paid, 0)  # from a former plan, or from before
        payment = Payment.objects.create(
            gateway_id=invoice.intent,
            charge_id=charge.id if charge else "",
            kind=Payment.Kind.PREMIUM,
            user_id=owner.user_id,
            subscription=owner,
            invoice_id=invoice.id,
            title=str(TITLES[plan]),
            period_start=invoice.period_start,
            period_end=invoice.period_end,
            list_price=invoice.amount_paid + discount + credit,
            discount=discount,
            credit=credit,
            promo_code=_code_of(owner, plan, invoice.subtotal, discount, invoice.currency),
            amount=invoice.amount_paid,
            tax=tax_in(invoice.amount_paid, tax.rate),
            tax_rate=tax.rate,
            tax_treatment=tax.treatment,
            tax_evidence=evidence_of_sale(owner.country, tax.country, owner.buyer, owner.evidence, charge),
            buyer=owner.buyer,
            fee=charge.fee if charge else None,
            currency=invoice.currency,
            country=owner.country or tax.country,
            email=owner.email or owner.user.email,
            card_brand=charge.card_brand if charge else "",
            card_last4=charge.card_last4 if charge else "",
            receipt_number=next_receipt_number(paid_at),
            paid_at=paid_at,
        )
        book_premium(payment)
        issue_documents(payment=payment, now=now)
        jobs.enqueue("billing.tell_of_payment", key=str(payment.pk), payment_id=payment.pk)
        premium_shares.plan_next_share(now=now)
    return payment


def _plan_of(invoice: gateway.InvoiceState, subscription: Subscription) -> str:
    """The plan that an invoice charged: the subscription may have another one by now."""
    if invoice.price in ("", subscription.price_id):
        return subscription.plan
    interval = gateway.interval_of(invoice.price)
    return plan_of(interval) if interval else subscription.plan


def _code_of(row: Subscription, plan: str, price: int, discount: int, currency: str) -> str:
    """The promo code that gave the discount of an invoice; "" if another did, such as one of the provider's dashboard.

    A code counts once, for the first payment, and takes off what the user was shown.
    """
    if not discount or row.redemption is None or row.payments.exists():
        return ""
    code = row.redemption.code
    given = price_with(code, Offer(plan=plan, price=price, currency=currency), row.country).discount
    return code.code if given == discount else ""


def book_premium(payment: Payment) -> None:
    """Enter a payment for Premium, and its fee if it is known, in the ledger. Idempotent."""
    ledger.post_subscription_payment(
        payment.gateway_id,
        payment.amount,
        payment.tax,
        payment.currency,
        occurred_at=payment.paid_at,
        description=payment.title,
        gateway_id=payment.charge_id,
    )
    book_fee(payment)
