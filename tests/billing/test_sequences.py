"""Any sequence of purchases, refunds, disputes and webhooks ends in books that equal the provider's.

Hypothesis draws the sequences; the stand-in is the provider, called without HTTP. What holds at the end:

- every entry of the ledger adds up to zero, and the account "provider" equals the provider's own balance;
- a course is open exactly if it is paid and not given back, and the learner is enrolled exactly then;
- nobody was charged twice for a course, and a code was used as often as it was paid with.
"""

import json
import os
from collections import Counter
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
import stripe
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from apps.billing.access import access_to
from apps.billing.errors import AlreadyOwned, NothingToRefund, PromoCodeRefused, RefundPending
from apps.billing.models import Dispute, LedgerEntry, LedgerLine, Order, Payment, PromoCode, Redemption, Refund
from apps.billing.services import checkout, refunds, webhooks
from apps.billing.standin import Standin
from apps.learning.models import Enrollment
from studyplatform.kit.errors import RateLimitExceeded
from tests.billing.conftest import ASKS, DECLINED, DISPUTED, GOOD, Browser
from tests.factories.accounts import UserFactory
from tests.factories.selling import PaidCourseFactory, PromoCodeFactory

SEQUENCES = int(os.environ.get("BILLING_SEQUENCES", "300"))
pytestmark = pytest.mark.django_db
learner, course = st.integers(0, 1), st.integers(0, 1)
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


class Run:
    """One sequence against fresh data."""

    def __init__(self, standin: Standin, sam) -> None:
        self.standin, self.sam, self.now = standin, sam, None
        self.browser = Browser(standin)
        self.learners = [UserFactory(), UserFactory()]
        self.courses = [PaidCourseFactory(), PaidCourseFactory(price=999)]
        self.code = PromoCodeFactory(percent=33, limit=2)
        self.events, self.secrets = [], {}

    def moment(self):
        return timezone.now()

    def buy(self, who, what, number, with_code, tells):
        user, course = self.learners[who], self.courses[what]
        total = course.price - course.price * 3300 // 10_000 if with_code else course.price
        with suppress(AlreadyOwned, PromoCodeRefused, RateLimitExceeded):
            begun = checkout.begin_order(
                user=user, course=course, code=self.code.code if with_code else "", country="", email="",
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

    def asked(self, kind):
        secret = {"Authorization": f"Bearer {self.standin.secret_key}"}
        return self.standin.call("GET", f"/v1/{kind}", {"limit": 100}, secret).body["data"]

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
    for module in ("cards", "customers", "payments"):
        monkeypatch.setattr(f"apps.billing.gateway.{module}.client", lambda: provider)
    # Events are wanted by an endpoint that never answers: the test hands them over.
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    standin.call("POST", "/v1/webhook_endpoints", {"url": "http://localhost:9/x", "enabled_events": ["*"]}, secret)
    yield standin
    standin.close()


@pytest.mark.django_db
def test_any_sequence_ends_in_true_books(fresh_standin, sam):
    @settings(
        max_examples=SEQUENCES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        database=None,
    )
    @given(st.lists(STEPS, min_size=2, max_size=7))
    def run_all(steps):
        fresh_standin.reset()
        fresh_standin.webhooks.hold()
        secret = {"Authorization": f"Bearer {fresh_standin.secret_key}"}
        fresh_standin.call(
            "POST", "/v1/webhook_endpoints", {"url": "http://localhost:9/x", "enabled_events": ["*"]}, secret
        )
        with suppress(_Undo), transaction.atomic():
            run = Run(fresh_standin, sam)
            for name, *arguments in steps:
                getattr(run, name)(*arguments)
            run.settle()
            run.check()
            raise _Undo

    run_all()


class _Undo(Exception):
    """Rolls a sequence back."""
