"""What Premium costs a user today: price, promo code, credit, trial."""

from dataclasses import dataclass, replace
from datetime import date, datetime

from django.conf import settings
from django.utils import timezone
from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing.models import PromoCode, Subscription
from apps.billing.plans import Offer, offer_of
from apps.billing.prices import Quote, quote, settle_balance, tax_in
from apps.billing.queries.next_charge import next_charge, tax_of
from apps.billing.services import customers, promo
from apps.billing.tax import decide_tax


@dataclass(frozen=True)
class Terms:
    """What a user is offered. ``price``: of the first period that is paid; ``due``: what is charged for it, with the
    tax ``tax``; ``balance``: what the customer's balance adds to the price (a debt) or deducts (credit, negative);
    ``trial_days``: 0 without a trial."""

    offer: Offer
    price: Quote
    trial_days: int
    code: PromoCode | None
    due: int
    balance: int = 0

    @property
    def tax(self) -> int:
        return tax_in(self.due, self.price.tax_rate)

    @property
    def changes_later(self) -> bool:
        """Whether later periods cost something else than the first one."""
        return self.due != self.offer.price


def terms_for(
    *, user: User, plan: str, code: str, country: str, vat_id: str = "", postal_code: str = "", now: datetime
) -> Terms:
    """Return what a plan costs the user, with a promo code, in a country, and perhaps with a VAT number.

    :raises NotFound: there is no such plan.
    :raises PromoCodeRefused: the code can't be used.
    """
    offer = offer_of(plan)
    found = promo.find_code(text=code, user=user, purchase=None, now=now) if code.strip() else None
    price = price_with(found, offer, country, vat_id=vat_id, postal_code=postal_code, on=localtime(now).date())
    balance = customers.balance_of(user, offer.currency)
    due, _left = settle_balance(price.total, balance, offer.currency)
    return Terms(
        offer=offer, price=price, trial_days=trial_days_of(user), code=found, due=due, balance=due - price.total
    )


def price_with(
    code: PromoCode | None,
    offer: Offer,
    country: str,
    *,
    vat_id: str = "",
    postal_code: str = "",
    on: date | None = None,
) -> Quote:
    """Return what the first period of a plan costs with a code. What is too little to be charged is free.

    :param on: the day that decides the tax; today if it is left out.
    """
    return quote(
        list_price=offer.price,
        discount=promo.discount_of(code, offer.price),
        currency=offer.currency,
        tax=decide_tax(country=country, vat_id=vat_id, postal_code=postal_code, on=on or timezone.localdate()),
    )


def due_terms(*, subscription: Subscription) -> Terms:
    """Return what is due for a subscription whose payment failed: what its open invoice says."""
    charge = next_charge(subscription)
    offer = Offer(plan=subscription.plan, price=subscription.price, currency=subscription.currency)
    price = quote(
        list_price=charge.price,
        discount=0,
        currency=offer.currency,
        tax=tax_of(subscription, timezone.localdate()),
    )
    left = charge.price - charge.discount
    price = replace(price, discount=charge.discount, total=left, tax=tax_in(left, price.tax_rate))
    return Terms(offer=offer, price=price, trial_days=0, code=None, due=charge.amount, balance=charge.amount - left)


def known_country(user: User) -> str:
    """Return the country that the user chose for their last subscription; "" if there was none. One query."""
    chosen = Subscription.objects.of(user.pk).exclude(country="").order_by("-pk")
    return chosen.values_list("country", flat=True).first() or ""


def code_in_use(row: Subscription | None) -> str:
    """Return the promo code of a subscription whose first payment is open; "" without one. One query for a code."""
    if row is None or row.status != Subscription.Status.INCOMPLETE or row.redemption is None:
        return ""
    return row.redemption.code.code


def trial_days_of(user: User | None) -> int:
    """Return the days of the trial that the user gets: one trial per user. One query for a user."""
    if user is not None and Subscription.objects.of(user.pk).exclude(started_at=None).exists():
        return 0
    return settings.PREMIUM_TRIAL_DAYS
