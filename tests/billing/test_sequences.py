"""Any sequence of purchases, subscriptions, refunds, disputes, payouts and webhooks ends in books that equal the
provider's.

Hypothesis draws the sequences; the stand-in is the provider, called without HTTP. What holds at the end:

- every entry of the ledger adds up to zero, and the account "provider" equals the provider's own balance;
- a course is open exactly if it is paid and not given back, and the learner is enrolled exactly then;
- nobody was charged twice for a course, and a code was used as often as it was paid with;
- subscriptions are as the provider says, also after renewals, failed ones, upgrades and cancellations;
- each month of Premium was shared once, and nothing of it is missing; each payout agrees with its entries.
"""

import json
import os
from collections import Counter
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
import stripe
from django.db import transaction
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as sequences
from hypothesis import strategies as st

from apps.billing.access import access_to
from apps.billing.errors import AlreadyOwned, NothingToRefund, PromoCodeRefused, RefundPending
from apps.billing.models import Dispute, LedgerEntry, LedgerLine, Order, Payment, PromoCode, Redemption, Refund
from apps.billing.purchases import purchase_of_course
from apps.billing.queries.document_check import document_problems
from apps.billing.services import checkout, refunds, webhooks
from apps.billing.standin import Standin
from apps.learning.models import Enrollment
from studyplatform.kit.errors import RateLimitExceeded
from tests.billing.conftest import ASKS, DECLINED, DISPUTED, FAILS_LATER, GOOD, Browser
from tests.billing.premium_steps import PremiumSteps
from tests.factories.accounts import UserFactory
from tests.factories.selling import PaidCourseFactory, PromoCodeFactory

SEQUENCES = int(os.environ.get("BILLING_SEQUENCES", "300"))
pytestmark = pytest.mark.django_db
learner, course = st.integers(0, 1), st.integers(0, 1)
plan = st.sampled_from(["monthly", "yearly"])
number = st.sampled_from([GOOD, GOOD, GOOD, DECLINED, ASKS, DISPUTED])
STEPS = st.one_of(
    st.tuples(st.just("buy"), learner, course, number, st.booleans(), st.booleans()),
    st.tuples(st.just("refund"), learner, course),
    st.tuples(st.just("partial"), learner, course, st.integers(1, 6400)),
    st.tuples(st.just("bank"), learner, course, st.booleans()),
    st.tuples(st.just("verdict"), st.sampled_from(["winning", "losing"])),
    st.tuples(st.just("webhooks"), st.randoms(use_true_random=False), st.integers(0, 3)),
    st.tuples(st.just("sync"), learner, course),
)
# A wait is drawn often: renewals, their failures and the ends of months need one.
wait = st.tuples(st.just("wait"), st.sampled_from([1, 8, 32, 32, 65]))
subscribe = st.tuples(st.just("subscribe"), learner, plan, st.sampled_from([GOOD, GOOD, FAILS_LATER]), st.booleans())
PREMIUM_STEPS = st.one_of(
    wait,
    wait,
    subscribe,
    st.tuples(st.just("upgrade"), learner),
    st.tuples(st.just("stop"), learner, st.booleans()),
    st.tuples(st.just("watch"), learner, st.integers(1, 500)),
    st.tuples(st.just("refund_premium"), learner, st.integers(1, 1400)),
    st.tuples(st.just("share")),
    st.tuples(st.just("payouts"), st.sampled_from(["run", "run", "sent", "failed"])),
    STEPS,
)


class WithoutNetwork(stripe.HTTPClient):
    """Calls the stand-in in this process."""

    name = "in process"

    def __init__(self, standin: Standin) -> None:
        super().__init__()
        self.standin = standin

    def request(self, method, url, headers, post_data=None, *, _usage=None):
        parts = urlsplit(url)
        answer = self.standin.call(method.upper(), parts.path, post_data or parts.query, headers)
        return json.dumps(answer.body), answer.status, answer.headers

    def close(self) -> None:
        pass


class Run(PremiumSteps):
    """One sequence against fresh data."""

    def __init__(self, standin: Standin, sam, settings) -> None:
        self.standin, self.sam, self.settings = standin, sam, settings
        self.browser = Browser(standin)
        self.learners = [UserFactory(), UserFactory()]
        self.courses = [PaidCourseFactory(), PaidCourseFactory(price=999)]
        self.code = PromoCodeFactory(percent=33, limit=2)
        self.events, self.secrets = [], {}
        self.prepare_premium()

    def buy(self, who, what, number, with_code, tells):
        user, course = self.learners[who], self.courses[what]
        total = course.price - (course.price * 33 + 50) // 100 if with_code else course.price
        with suppress(AlreadyOwned, PromoCodeRefused, RateLimitExceeded):
            begun = checkout.begin_order(
                user=user, purchase=purchase_of_course(course),
                code=self.code.code if with_code else "", country="", email="",
                expected_total=total, expected_currency="usd", card="", saves_card=False, agrees=True,
                now=self.moment(),
            )  # fmt: skip
            if begun.client_secret:
                self.secrets[who, what] = begun.client_secret
                self.browser.confirm(begun.client_secret, number)
            if tells:
                checkout.sync_order(order=begun.order, now=self.moment())

    def bank(self, who, what, accepts):
        if secret := self.secrets.get((who, what)):
            with suppress(Exception):  # the stand-in refuses: nobody was asked
                self.browser.answer_bank(secret, accepts=accepts)

    def payment(self, who, what):
        found = Payment.objects.filter(user=self.learners[who], course=self.courses[what], amount__gt=0)
        return found.order_by("-pk").first()

    def refund(self, who, what):
        if payment := self.payment(who, what):
            with suppress(NothingToRefund, RefundPending):
                refunds.request_refund(user=payment.user, payment=payment, reason="", now=self.moment())

    def partial(self, who, what, amount):
        if payment := self.payment(who, what):
            with suppress(NothingToRefund, RefundPending):
                refunds.refund_by_admin(admin=self.sam, payment=payment, amount=amount, reason="", now=self.moment())

    def verdict(self, outcome):
        for dispute in self.asked("disputes"):
            if dispute["status"] not in {"won", "lost"}:
                evidence = {"evidence": {"uncategorized_text": f"{outcome}_evidence"}, "submit": "true"}
                secret = {"Authorization": f"Bearer {self.standin.secret_key}"}
                self.standin.call("POST", f"/v1/disputes/{dispute['id']}", evidence, secret)
                return

    def webhooks(self, random, most):
        waiting = self.standin.webhooks.pending()
        random.shuffle(waiting)
        self.events += waiting
        for event in [*waiting[: len(waiting) - most], *random.sample(self.events, min(most, len(self.events)))]:
            self.handle(event)

    def handle(self, event):
        handler = webhooks.handler_of(event["type"])
        if handler is not None:
            handler(event["data"]["object"], self.moment())

    def sync(self, who, what):
        for order in Order.objects.live().filter(user=self.learners[who], course=self.courses[what]):
            checkout.sync_order(order=order, now=self.moment())

    def asked(self, kind, **wanted):
        secret = {"Authorization": f"Bearer {self.standin.secret_key}"}
        return self.standin.call("GET", f"/v1/{kind}", {"limit": 100, **wanted}, secret).body["data"]

    def settle(self):
        """Every event arrives at last, in any order; then everything must agree."""
        while waiting := self.standin.webhooks.pending():
            for event in sorted(waiting, key=lambda event: event["id"]):
                self.handle(event)
                self.standin.webhooks.drop(event)

    def check(self):
        for entry in LedgerEntry.objects.all():
            sums = Counter()
            for line in entry.lines.all():
                sums[line.currency] += line.amount
            assert not any(sums.values()), entry
        moved = sum(each["net"] for each in self.asked("balance_transactions"))
        booked = sum(LedgerLine.objects.filter(account__code="provider").values_list("amount", flat=True))
        assert booked == moved
        charges = {each["payment_intent"]: each for each in self.asked("charges") if each["paid"]}
        assert set(charges) == set(Payment.objects.filter(amount__gt=0).values_list("gateway_id", flat=True))
        for payment in Payment.objects.filter(amount__gt=0):
            charge = charges[payment.gateway_id]
            assert (payment.amount, payment.refunded) == (charge["amount"], charge["amount_refunded"])
        assert not Refund.objects.filter(status=Refund.Status.PROCESSING).exists()
        for user in self.learners:
            for course in self.courses:
                self.check_access(user, course)
        self.code.refresh_from_db()
        held = Redemption.objects.filter(state__in=["reserved", "used"]).count()
        assert self.code.used == held <= 2
        assert PromoCode.objects.get() == self.code
        self.check_premium()
        assert list(document_problems()) == []

    def check_access(self, user, course):
        kept = [
            payment
            for payment in Payment.objects.filter(user=user, course=course)
            if not payment.is_refunded and not payment.disputes.filter(status=Dispute.Status.LOST).exists()
        ]
        assert len(kept) <= 1, "charged twice"
        enrolled = Enrollment.objects.active().filter(user=user, course=course).exists()
        assert enrolled == bool(kept) == (access_to(user, course) is not None)


@pytest.fixture
def fresh_standin(monkeypatch):
    standin = Standin()
    standin.webhooks.hold()
    provider = stripe.StripeClient(standin.secret_key, http_client=WithoutNetwork(standin))
    for module in ("cards", "customers", "payments", "previews", "subscriptions"):
        monkeypatch.setattr(f"apps.billing.gateway.{module}.client", lambda: provider)
    # Events are wanted by an endpoint that never answers: the test hands them over.
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    standin.call("POST", "/v1/webhook_endpoints", {"url": "http://localhost:9/x", "enabled_events": ["*"]}, secret)
    yield standin
    standin.close()


def run_all(drawn, count, standin, sam, settings):
    """Run this many drawn sequences, each against fresh data."""

    @sequences(
        max_examples=count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        database=None,
    )
    @given(drawn)
    def run_one(steps):
        standin.reset()
        standin.webhooks.hold()
        secret = {"Authorization": f"Bearer {standin.secret_key}"}
        standin.call("POST", "/v1/webhook_endpoints", {"url": "http://localhost:9/x", "enabled_events": ["*"]}, secret)
        with suppress(_Undo), transaction.atomic():
            run = Run(standin, sam, settings)
            for name, *arguments in steps:
                getattr(run, name)(*arguments)
            run.settle()
            run.check()
            raise _Undo

    run_one()


def test_any_sequence_ends_in_true_books(fresh_standin, sam, settings):
    """The next test draws the rest of their number."""
    run_all(st.lists(STEPS, min_size=2, max_size=7), SEQUENCES // 4, fresh_standin, sam, settings)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_sequences_end_in_true_books(fresh_standin, sam, settings):
    run_all(st.lists(STEPS, min_size=2, max_size=7), SEQUENCES - SEQUENCES // 4, fresh_standin, sam, settings)


def run_with_premium(count, standin, sam, settings):
    begun = st.tuples(subscribe, wait, st.lists(PREMIUM_STEPS, min_size=2, max_size=7))
    run_all(begun.map(lambda parts: [parts[0], parts[1], *parts[2]]), count, standin, sam, settings)


def test_any_sequence_with_premium_and_payouts_ends_in_true_books(fresh_standin, sam, settings):
    """Each costs many times as much as one without Premium; the next test draws the rest of their number."""
    run_with_premium(SEQUENCES // 16, fresh_standin, sam, settings)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_sequences_with_premium_and_payouts_end_in_true_books(fresh_standin, sam, settings):
    run_with_premium(SEQUENCES - SEQUENCES // 16, fresh_standin, sam, settings)


class _Undo(Exception):
    """Rolls a sequence back."""
