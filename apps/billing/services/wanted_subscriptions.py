"""What a user wants to subscribe to, to compare it with what is there."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.billing.models import Subscription
from apps.billing.plans import Offer
from apps.billing.prices import settle_balance
from apps.billing.services import customers
from apps.billing.services.buyers import is_same_buyer
from apps.billing.services.premium_terms import Terms, price_with, terms_for
from apps.billing.tax import postal_code_in


@dataclass(frozen=True)
class WantedSubscription:
    """The terms that a user was shown; ``expected``: total, currency and days of the trial."""

    user: User
    plan: str
    code: str
    country: str
    expected: tuple[int, str, int]
    buyer: dict[str, Any]
    evidence: dict[str, str]

    def terms(self, now: datetime) -> Terms:
        """Return what it costs today.

        :raises PromoCodeRefused: the code can't be used.
        """
        return terms_for(
            user=self.user,
            plan=self.plan,
            code=self.code,
            country=self.country,
            vat_id=self.buyer.get("vat_id", ""),
            postal_code=postal_code_in(self.buyer, self.country),
            now=now,
        )

    def is_met_by(self, row: Subscription) -> bool:
        """Whether the subscription is on the same terms."""
        given = row.redemption.code if row.redemption else None
        offer = Offer(plan=row.plan, price=row.price, currency=row.currency)
        balance = customers.balance_of(self.user, row.currency)
        total, _after = settle_balance(price_with(given, offer, row.country).total, balance, row.currency)
        terms = (row.plan, given.code if given else "", row.country, (total, row.currency, row.trial_days))
        if terms != (self.plan, self.code.strip().upper(), self.country, self.expected):
            return False
        return is_same_buyer(row.buyer, self.buyer)
