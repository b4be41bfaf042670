"""Change plan of a subscription: the amount is shown first, and charged only if the user agrees to it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.db import transaction

from apps.accounts.models import User
from apps.billing import gateway
from apps.billing.errors import PlanChangeInProgress, PlanNotOffered, PriceChanged
from apps.billing.models import Subscription
from apps.billing.plans import Offer, Plan, offer_of
from apps.billing.services import premium
from apps.billing.services.premium_coupons import COUPON_PREFIX, coupon_of
from apps.billing.services.subscriptions import live_of, price_of
from apps.billing.services.upcoming import upcoming_after_change

Status = Subscription.Status
PREVIEW_LASTS = timedelta(minutes=30)
CHANGE_TIMEOUT = timedelta(minutes=3)  # longer than the provider may take; then a change that was killed is over


def preview_change(*, user: User, plan: str, now: datetime) -> gateway.ChangePreview:
    """Return what a change to another plan costs today.

    :raises NotSubscribed: the user has no Premium.
    :raises PlanNotOffered: the subscription can't change to this plan.
    """
    row = live_of(user)
    offer = _change_of(row, plan)
    return _preview(row, offer, gateway.get_subscription(row.gateway_id or ""), now=now)


def _preview(
    row: Subscription, offer: Offer, state: gateway.SubscriptionState, *, now: datetime
) -> gateway.ChangePreview:
    """What the change charges, and what follows."""
    in_trial = row.status == Status.TRIALING
    if in_trial:
        invoice = gateway.preview_change_in_trial(
            subscription=state.id, item=state.item, price=price_of(offer), coupons=_coupons(row, offer, state)
        )
        shown = gateway.ChangePreview(0, 0, offer.currency, now, row.trial_end or now, invoice)
    else:
        shown = gateway.preview_change(subscription=state.id, item=state.item, price=price_of(offer), when=now)
    after = upcoming_after_change(state, shown, price=offer.price, interval=offer.interval, in_trial=in_trial)
    return replace(shown, count=after.count, later=after.later) if after else shown


def _coupons(row: Subscription, offer: Offer, state: gateway.SubscriptionState) -> dict[str, str]:
    """The discounts of a trial, each with the coupon that takes its place with another plan; "": it stays.

    A coupon that was made for the former plan, so that nothing is left that is too little to charge, is exchanged.
    """
    wanted = coupon_of(row, offer)
    ours = {each.id: each.coupon.startswith(COUPON_PREFIX) for each in state.discounts}
    return {each.id: wanted if ours[each.id] and wanted and each.coupon != wanted else "" for each in state.discounts}


def change_plan(
    *, user: User, plan: str, moment: datetime, expected_amount: int, expected_currency: str, now: datetime
) -> Subscription:
    """Change plan and charge the difference at once. ``moment`` and ``expected_…`` are those of the preview.

    :raises CardDeclined: the bank declined; the plan is the same as before.
    :raises PlanChangeInProgress: another request is changing the plan.
    :raises PriceChanged: the preview is older than half an hour, or the amount is not what the user was shown.
    """
    row = live_of(user)
    if row.plan == plan:  # a double click
        return row
    offer = _change_of(row, plan)
    moment = moment.astimezone(UTC).replace(microsecond=0)
    if not now - PREVIEW_LASTS <= moment <= now + timedelta(minutes=1):
        raise PriceChanged
    until = now + CHANGE_TIMEOUT
    if not _claim(row, plan, until=until, now=now):
        return live_of(user)  # another request has changed it
    try:
        _change_at_provider(row, offer, moment=moment, expected=(expected_amount, expected_currency))
        return premium.sync_subscription(subscription=row, now=now)
    finally:
        Subscription.objects.filter(pk=row.pk, plan_change_until=until).update(plan_change_until=None)


def _claim(row: Subscription, plan: str, *, until: datetime, now: datetime) -> bool:
    """Reserve the change of a subscription for this request. Returns False if it has the plan by now.

    The provider charges each change that it is asked for, and no transaction stays open while it answers.

    :raises PlanChangeInProgress: another request has reserved it.
    """
    with transaction.atomic():
        locked = Subscription.objects.select_for_update().get(pk=row.pk)
        if locked.plan_change_until is not None and locked.plan_change_until > now:
            raise PlanChangeInProgress
        if locked.plan == plan:
            return False
        Subscription.objects.filter(pk=row.pk).update(plan_change_until=until)
    return True


def _change_at_provider(row: Subscription, offer: Offer, *, moment: datetime, expected: tuple[int, str]) -> None:
    state = gateway.get_subscription(row.gateway_id or "")
    price, key = price_of(offer), f"change {row.uid} {offer.plan} {int(moment.timestamp())}"
    if row.status == Status.TRIALING:
        if (0, offer.currency) != expected:
            raise PriceChanged
        coupons = _coupons(row, offer, state)
        gateway.change_price_in_trial(subscription=state.id, item=state.item, price=price, coupons=coupons, key=key)
    else:
        shown = gateway.preview_change(subscription=state.id, item=state.item, price=price, when=moment)
        if (shown.amount_due, shown.currency) != expected:
            raise PriceChanged
        gateway.change_price(subscription=state.id, item=state.item, price=price, when=moment, key=key)


def _change_of(row: Subscription, plan: str) -> Offer:
    """The plan that a subscription can change to: in the trial any, afterwards only to yearly."""
    offer = offer_of(plan)
    if row.status not in {Status.TRIALING, Status.ACTIVE} or row.cancels_at_period_end or row.plan == plan:
        raise PlanNotOffered
    if row.status == Status.ACTIVE and plan != Plan.YEARLY:
        raise PlanNotOffered
    if row.currency != offer.currency:
        raise PlanNotOffered
    return offer
