"""Look after subscriptions between the visits of their owners: what a job does from the first day to the last."""

from datetime import datetime, timedelta

from apps.billing.models import Subscription
from apps.billing.services import premium, premium_notices
from apps.billing.services.subscriptions import adopted, end_now

Status = Subscription.Status
GIVE_UP_AFTER = timedelta(hours=1)


def follow_subscription(*, subscription_id: int, now: datetime) -> timedelta | None:
    """Look after a subscription: its state, the end of its grace period, and what its owner has to know.

    Returns after how long to look again; None once it has ended.
    """
    row = Subscription.objects.select_related("user").get(pk=subscription_id)
    if row.status == Status.ENDED:
        return None
    row = premium.sync_subscription(subscription=adopted(row), now=now)
    if row.status == Status.INCOMPLETE:
        if now - row.created_at <= GIVE_UP_AFTER:
            return timedelta(minutes=5)
        row = end_now(subscription=row, now=now)
    if row.status == Status.PAST_DUE and row.grace_until is not None and row.grace_until <= now:
        row = end_now(subscription=row, now=now)
    tell_owner(row, now=now)
    return None if row.status == Status.ENDED else _next_look(row, now=now)


def end_returned(*, subscription_id: int, now: datetime) -> None:
    """End a subscription at once if nothing is left of what was paid for its present period. Idempotent.

    Called after a refund and after a lost dispute.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    row = Subscription.objects.live().select_related("user").filter(pk=subscription_id).first()
    if row is None:
        return
    row = premium.sync_subscription(subscription=row, now=now)  # its plan may have changed, and been paid
    if row.status == Status.ENDED:
        return
    # Not those of a former plan: the unused rest of their period was credited to the present one.
    since = row.period_start or now
    paid = list(row.payments.filter(period_start__gte=since, period_end__gt=now))
    if paid and all(each.is_returned for each in paid):
        end_now(subscription=row, now=now)


def _next_look(row: Subscription, *, now: datetime) -> timedelta:
    soon = timedelta(hours=6)
    moments = [row.grace_until, row.period_end]
    left = [moment - now for moment in moments if moment is not None and moment > now]
    return max(min([soon, *left]), timedelta(minutes=5))


def tell_owner(row: Subscription, *, now: datetime) -> None:
    """Notify the owner of a trial that ends soon, a renewal that failed, a card that expires. Each fact once."""
    premium_notices.tell_of_trial(row, now=now)
    premium_notices.tell_of_failure(row, now=now)
    premium_notices.tell_of_card(row, now=now)
