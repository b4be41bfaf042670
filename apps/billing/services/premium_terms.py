"""What Premium costs a user today: price, promo code, trial."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from apps.accounts.models import User
from apps.billing.models import PromoCode, Subscription
from apps.billing.plans import Offer, offer_of
from apps.billing.prices import Quote, quote
from apps.billing.services import promo


@dataclass(frozen=True)
class Terms:
    """What a user is offered. ``price``: of the first period that is paid; ``trial_days``: 0 without a trial."""

    offer: Offer
    price: Quote
    trial_days: int
    code: PromoCode | None


def terms_for(*, user: User, plan: str, code: str, country: str, now: datetime) -> Terms:
    """Return what a plan costs the user, with a promo code.

    :raises NotFound: there is no such plan.
    :raises PromoCodeRefused: the code can't be used.
    """
    offer = offer_of(plan)
    found = promo.find_code(text=code, user=user, course=None, now=now) if code.strip() else None
    price = quote(
        list_price=offer.price,
        discount=promo.discount_of(found, offer.price),
        currency=offer.currency,
        country=country,
        rates=settings.TAX_RATES,
    )
    return Terms(offer=offer, price=price, trial_days=trial_days_of(user), code=found)


def due_terms(*, subscription: Subscription) -> Terms:
    """Return what is due for a subscription whose payment failed: one period at its own price."""
    offer = Offer(plan=subscription.plan, price=subscription.price, currency=subscription.currency)
    price = quote(
        list_price=offer.price,
        discount=0,
        currency=offer.currency,
        country=subscription.country,
        rates=settings.TAX_RATES,
    )
    return Terms(offer=offer, price=price, trial_days=0, code=None)


def trial_days_of(user: User | None) -> int:
    """Return the days of the trial that the user gets: one trial per user. One query for a user."""
    if user is not None and Subscription.objects.of(user.pk).exclude(started_at=None).exists():
        return 0
    return settings.PREMIUM_TRIAL_DAYS
