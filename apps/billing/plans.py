"""The plans of Premium, from the settings."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.billing.models import Subscription
from studyplatform.kit.errors import NotFound

Plan = Subscription.Plan
INTERVALS = {Plan.MONTHLY: "month", Plan.YEARLY: "year"}
TITLES: dict[str, str | Promise] = {Plan.MONTHLY: _("Premium, monthly"), Plan.YEARLY: _("Premium, yearly")}


@dataclass(frozen=True)
class Offer:
    """What a plan costs today. ``price``: minor units per period."""

    plan: str
    price: int
    currency: str

    @property
    def title(self) -> str:
        return str(TITLES[self.plan])

    @property
    def interval(self) -> str:
        """As the provider calls it: "month" or "year"."""
        return INTERVALS[Plan(self.plan)]

    @property
    def lookup_key(self) -> str:
        """The provider's key of the price. It contains the price: another one makes another key."""
        return f"premium_{self.plan}_{self.currency}_{self.price}"


def offer_of(plan: str) -> Offer:
    """Return what a plan costs today.

    :raises NotFound: there is no such plan.
    """
    prices = {Plan.MONTHLY.value: settings.PREMIUM_MONTHLY, Plan.YEARLY.value: settings.PREMIUM_YEARLY}
    if plan not in prices:
        raise NotFound
    return Offer(plan=plan, price=prices[plan], currency=settings.CURRENCY)


def offers() -> list[Offer]:
    """All plans, the shorter first."""
    return [offer_of(plan) for plan in Plan.values]


def plan_of(interval: str) -> str:
    """Return the plan whose price the provider charges in this interval."""
    return next(plan.value for plan, each in INTERVALS.items() if each == interval)
