"""Subscribe to Premium, change the plan, cancel, resume, pay what is due.

Nobody has more than one live subscription: a constraint decides. Each asks the provider, then
:mod:`apps.billing.services.premium` writes what became of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.billing import gateway, policies
from apps.billing.errors import (
    AlreadySubscribed,
    NothingDue,
    NotSubscribed,
    PriceChanged,
    TermsNotAccepted,
)
from apps.billing.models import Card, Subscription
from apps.billing.plans import Offer
from apps.billing.services import buyers, customers, premium, promo
from apps.billing.services.premium_coupons import coupon_of
from apps.billing.services.wanted_subscriptions import WantedSubscription
from apps.billing.tax import check_country
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

Status = Subscription.Status
PRODUCT = "studyplatform_premium"
FOLLOW_AFTER = timedelta(minutes=2)


@dataclass(frozen=True)
class Started:
    """A subscription and what the browser needs to confirm its payment; no secret if nothing is due."""

    subscription: Subscription
    client_secret: str = ""
    card: Card | None = None


def live_subscription(user: User) -> Subscription | None:
    """Return the user's live subscription. One query."""
    return Subscription.objects.of(user.pk).live().select_related("user").first()


def start(
    *,
    user: User,
    plan: str,
    code: str,
    country: str,
    card: str,
    expected_total: int,
    expected_currency: str,
    expected_trial_days: int,
    agrees: bool,
    email: str = "",
    buyer: Mapping[str, Any] | None = None,
    evidence: Mapping[str, str] | None = None,
    now: datetime,
) -> Started:
    """Subscribe the user, or return their live subscription if its first payment is still open and it is the same.

    ``card``: the uid of a saved card; Premium will use this card from now on. ``expected_…``: what the user was shown.
    ``email``: where receipts go, for this and later payments; empty: to the user's address.
    ``buyer``: a snapshot of `BuyerDetails`; ``evidence``: what else says in which country the buyer is.

    :raises AlreadySubscribed: the user has Premium.
    :raises CardExpired: the card can't be charged.
    :raises CountryMissing: it decides about the tax in the price, and the user named none.
    :raises PriceChanged: the price or the trial is not what the user was shown.
    :raises PromoCodeRefused: the code can't be used.
    """
    enforce(policies.subscribe(user))
    if not agrees:
        raise TermsNotAccepted
    check_country(country)
    consume("checkout", str(user.pk), now=now)
    saved = customers.usable_card(user=user, uid=card, now=now)
    expected = (expected_total, expected_currency, expected_trial_days)
    wanted = WantedSubscription(user, plan, code, country, expected, dict(buyer or {}), dict(evidence or {}))
    row = _live_row(wanted, now=now) or _make_row(wanted, now=now)
    buyers.send_receipts_to(user=user, email=email)
    customers.make_default(user=user, card=saved)
    state = _at_provider(row)
    if state.due is not None and state.due.amount_due != expected_total:
        # The customer's balance at the provider is not the one that the price was computed with.
        end_now(subscription=row, now=now)
        customers.sync_balance(customer=state.customer)
        raise PriceChanged
    row = premium.sync_subscription(subscription=row, now=now)
    return Started(subscription=row, client_secret=state.client_secret, card=saved)


def _live_row(wanted: WantedSubscription, *, now: datetime) -> Subscription | None:
    """The user's incomplete subscription, if it is on the wanted terms; one on other terms is ended."""
    mine = Subscription.objects.of(wanted.user.pk).live().select_related("user", "redemption__code")
    row = mine.first()
    if row is None:
        return None
    if row.gateway_id is not None:
        premium.sync_subscription(subscription=row, now=now)
        row = mine.filter(pk=row.pk).first()
        if row is None:
            return None
    if row.status != Status.INCOMPLETE:
        raise AlreadySubscribed
    if wanted.is_met_by(row):
        return row
    end_now(subscription=row, now=now)
    return None


def _make_row(wanted: WantedSubscription, *, now: datetime) -> Subscription:
    user = wanted.user
    terms = wanted.terms(now)
    if (terms.due, terms.price.currency, terms.trial_days) != wanted.expected:
        raise PriceChanged
    offer = terms.offer
    price = price_of(offer)
    try:
        with transaction.atomic():
            row = Subscription.objects.create(
                user=user,
                plan=offer.plan,
                price=offer.price,
                price_id=price,
                currency=offer.currency,
                country=wanted.country,
                buyer=wanted.buyer,
                evidence=wanted.evidence,
                trial_days=terms.trial_days,
                redemption=promo.reserve(code=terms.code, user=user, now=now) if terms.code else None,
                created_at=now,
            )
            follow(row, delay=FOLLOW_AFTER)
    except IntegrityError:
        # Another request of the user began a subscription at the same moment: one of them is enough.
        made = _live_row(wanted, now=now)
        if made is None:
            raise PriceChanged from None
        return made
    return row


def _at_provider(row: Subscription) -> gateway.SubscriptionState:
    """The subscription at the provider, who makes one per row, however often it is asked."""
    if row.gateway_id is not None:
        return gateway.get_subscription(row.gateway_id)
    coupon = coupon_of(row)
    state = gateway.create_subscription(
        customer=customers.ensure_customer(row.user).gateway_id,
        price=row.price_id,
        trial_days=row.trial_days,
        coupon=coupon,
        reference=str(row.uid),
        key=f"subscription {row.uid}",
    )
    _discount_after_trial(row, state.id, coupon)
    Subscription.objects.filter(pk=row.pk, gateway_id=None).update(gateway_id=state.id)
    return state


def _discount_after_trial(row: Subscription, gateway_id: str, coupon: str) -> None:
    if coupon and row.trial_days:
        gateway.discount_first_payment(subscription=gateway_id, coupon=coupon, key=f"discount {row.uid}")


def follow(row: Subscription, *, delay: timedelta) -> None:
    """Let a job look after the subscription until it ends."""
    jobs.enqueue("billing.follow_subscription", key=str(row.pk), delay=delay, subscription_id=row.pk)


def pay(*, user: User, card: str, now: datetime) -> Started:
    """Charge what is due to a saved card, which becomes the one that Premium is charged to.

    The browser confirms the payment, so that the bank can ask its cardholder.

    :raises NothingDue: no payment is open.
    """
    saved = customers.usable_card(user=user, uid=card, now=now)
    row = live_of(user)
    consume("checkout", str(user.pk), now=now)
    customers.make_default(user=user, card=saved)
    row = premium.sync_subscription(subscription=row, now=now)
    if row.gateway_id is None or row.status not in {Status.PAST_DUE, Status.INCOMPLETE}:
        raise NothingDue
    secret = gateway.get_subscription(row.gateway_id).client_secret
    if not secret:
        raise NothingDue
    return Started(subscription=row, client_secret=secret, card=saved)


def price_of(offer: Offer) -> str:
    """Return the provider's id of what a plan costs today."""
    return gateway.ensure_price(
        name="Premium",
        product=PRODUCT,
        lookup_key=offer.lookup_key,
        amount=offer.price,
        currency=offer.currency,
        interval=offer.interval,
    )


def cancel(*, user: User, now: datetime) -> Subscription:
    """Let Premium end with the period that was paid. One whose payment is due ends at once. Idempotent."""
    # What is due may have been paid since the last report: then the period that was paid stays open.
    row = premium.sync_subscription(subscription=live_of(user), now=now)
    if row.status == Status.ENDED:
        return row
    if row.status in {Status.INCOMPLETE, Status.PAST_DUE}:
        return end_now(subscription=row, now=now)
    gateway.set_cancel_at_period_end(row.gateway_id or "", cancels=True)
    return premium.sync_subscription(subscription=row, now=now)


def resume(*, user: User, now: datetime) -> Subscription:
    """Take a cancellation back before the period has ended. Idempotent."""
    row = live_of(user)
    if row.status in {Status.TRIALING, Status.ACTIVE}:
        gateway.set_cancel_at_period_end(row.gateway_id or "", cancels=False)
    return premium.sync_subscription(subscription=row, now=now)


def end_now(*, subscription: Subscription, now: datetime) -> Subscription:
    """End a subscription at once; what is due is not charged. Idempotent.

    If what was due is paid at this very moment, a job returns it: it opens nothing.
    """
    is_due, due_since = subscription.status in {Status.INCOMPLETE, Status.PAST_DUE}, subscription.past_due_since
    row = adopted(subscription)
    if row.gateway_id is None:
        return premium.end_here(subscription=row, now=now)
    gateway.end_subscription(row.gateway_id)
    ended = premium.sync_subscription(subscription=row, now=now)
    if is_due and ended.status == Status.ENDED:
        paid = ended.payments.filter(period_end__gt=now, refunded=0)
        if due_since is not None:  # earlier ones paid what is over, or what they opened was used
            paid = paid.filter(paid_at__gte=due_since)
        for payment in paid:
            jobs.enqueue("billing.refund_duplicate", key=str(payment.pk), payment_id=payment.pk)
    return ended


def adopted(row: Subscription) -> Subscription:
    """Return the row with its id at the provider, also if the process died before it stored that."""
    if row.gateway_id is None:
        customer = customers.ensure_customer(row.user).gateway_id
        found = gateway.find_subscription(customer=customer, reference=str(row.uid))
        if found is not None:
            _discount_after_trial(row, found, coupon_of(row))
            Subscription.objects.filter(pk=row.pk, gateway_id=None).update(gateway_id=found)
            row.refresh_from_db()
    return row


def adopt(*, gateway_id: str, reference: str) -> Subscription | None:
    """Store the provider's id of a subscription that names our own id; None if none of ours has it."""
    try:
        mine = Subscription.objects.filter(uid=UUID(reference))
    except ValueError:  # made at the provider, where anything may be written
        return None
    mine.filter(gateway_id=None).update(gateway_id=gateway_id)
    return mine.filter(gateway_id=gateway_id).first()


def is_ours(reference: str) -> bool:
    """Return whether a subscription at the provider names one that waits for its id here."""
    try:
        return Subscription.objects.filter(uid=UUID(reference), gateway_id=None).exists()
    except ValueError:
        return False


def end_for_deleted_user(*, user_id: int, now: datetime) -> None:
    """End the subscription of a deleted account here; the deletion of the customer ends it at the provider."""
    for row in Subscription.objects.of(user_id).live():
        premium.end_here(subscription=row, now=now)


def live_of(user: User) -> Subscription:
    """Return the user's live subscription.

    :raises NotSubscribed: the user has none.
    """
    row = live_subscription(user)
    if row is None:
        raise NotSubscribed
    return row
