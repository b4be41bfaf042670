"""A subscriber for tests against the stand-in."""

from datetime import UTC, datetime, timedelta

from apps.accounts.models import Notification
from apps.billing.models import Subscription
from apps.billing.services import customers, premium, premium_care, subscriptions
from tests.billing.conftest import GOOD

DAY = timedelta(days=1)


class Subscriber:
    """A learner with the provider's clock: what they do on a day."""

    def __init__(self, standin, card_form, user):
        self.standin, self.form, self.user = standin, card_form, user

    @property
    def now(self):
        return datetime.fromtimestamp(self.standin.clock.now(), UTC)

    @property
    def row(self):
        return Subscription.objects.of(self.user.pk).order_by("-pk").first()

    def card(self, number=GOOD):
        begun = customers.begin_card(user=self.user, key=f"{number} {self.now}", now=self.now)
        answer = self.form.confirm(begun.client_secret, number)
        if answer.get("status") == "requires_action":
            self.form.answer_bank(begun.client_secret)
        return customers.finish_card(user=self.user, intent=begun.id, now=self.now)

    def start(self, card, *, plan="monthly", total=1400, trial=7, code="", agrees=True, currency="usd", email=""):
        return subscriptions.start(
            user=self.user,
            plan=plan,
            code=code,
            country="",
            card=str(card.uid),
            expected_total=total,
            expected_currency=currency,
            expected_trial_days=trial,
            agrees=agrees,
            email=email,
            now=self.now,
        )

    def sync(self):
        return premium.sync_subscription(subscription=self.row, now=self.now)

    def wait(self, **time):
        self.standin.clock.advance(days=timedelta(**time) / DAY)

    def follow(self):
        return premium_care.follow_subscription(subscription_id=self.row.pk, now=self.now)

    def pay(self, card):
        begun = subscriptions.pay(user=self.user, card=str(card.uid), now=self.now)
        self.form.confirm(begun.client_secret, method=card.gateway_id)
        return self.sync()

    def told(self, kind):
        return Notification.objects.filter(user=self.user, kind=kind).count()
