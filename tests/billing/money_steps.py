"""What sequences do with purchases, refunds, disputes and events, see `test_sequences`."""

from contextlib import suppress
from datetime import timedelta

from apps.billing.models import BooksCheck, LedgerEntry, Order, Payment, Refund, Subscription
from apps.billing.purchases import purchase_of_course
from apps.billing.services import books_checks, checkout, premium_care, refunds, webhooks
from apps.billing.standin.errors import ApiError
from studyplatform.kit.errors import AppError


class MoneySteps:
    """The part of a sequence's run that concerns courses, and what happens at the provider and on the way from it."""

    def buy(self, who, what, number, with_code, tells):
        user, course = self.learners[who], self.courses[what]
        total = course.price - (course.price * 33 + 50) // 100 if with_code else course.price
        with suppress(AppError):
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
            with suppress(ApiError):  # nobody was asked
                self.browser.answer_bank(secret, accepts=accepts)

    def sync(self, who, what):
        for order in Order.objects.live().filter(user=self.learners[who], course=self.courses[what]):
            checkout.sync_order(order=order, now=self.moment())

    def payment(self, who, what):
        found = Payment.objects.filter(user=self.learners[who], course=self.courses[what], amount__gt=0)
        return found.order_by("-pk").first()

    # --- Refunds --------------------------------------------------------------------------------

    def refund(self, who, what, is_late):
        """The learner asks; late, an admin has to decide."""
        if payment := self.payment(who, what):
            now = self.moment() + timedelta(days=30 if is_late else 0)
            with suppress(AppError):
                refunds.request_refund(user=payment.user, payment=payment, reason="", now=now)

    def decide(self, grants):
        """An admin decides the oldest request."""
        requests = Refund.objects.filter(status=Refund.Status.REQUESTED, payment__user__in=self.learners)
        waiting = requests.order_by("pk").first()
        if waiting is not None:
            with suppress(AppError):
                refunds.decide_refund(admin=self.sam, refund=waiting, grants=grants, reason="No", now=self.moment())

    def partial(self, who, what, percent):
        if payment := self.payment(who, what):
            self.give_back(payment, payment.amount * percent // 100)

    def give_back(self, payment, amount):
        with suppress(AppError):
            refunds.refund_by_admin(admin=self.sam, payment=payment, amount=amount, reason="", now=self.moment())

    def dashboard_refund(self, who, what, percent):
        """Someone gives money back at the provider."""
        if payment := self.payment(who, what):
            with suppress(ApiError):
                self.standin.refund(payment.gateway_id, max(1, payment.amount * percent // 100))

    def fate(self, outcome, is_newest):
        """What becomes of a refund at the bank, perhaps after it succeeded."""
        found = self.own_rows("refund")
        if found:
            act = {"finish": "finish_refund", "fail": "fail_refund", "cancel": "cancel_refund"}[outcome]
            with suppress(ApiError):
                getattr(self.standin, act)(found[0 if is_newest else -1]["id"])

    # --- Disputes -------------------------------------------------------------------------------

    def contest(self, who, what, percent, is_inquiry):
        """The cardholder disputes a part of the charge, or all of it, whatever was refunded."""
        if payment := self.payment(who, what):
            with suppress(ApiError):
                amount = max(1, payment.amount * percent // 100)
                self.standin.dispute(payment.gateway_id, amount, is_inquiry=is_inquiry)

    def verdict(self, outcome, is_newest):
        found = self.own_rows("dispute")
        if not found:
            return
        dispute = found[0 if is_newest else -1]
        with suppress(ApiError):
            if outcome == "escalated":
                self.standin.escalate_inquiry(dispute["id"])
            elif outcome == "partly won":
                self.standin.decide_dispute(dispute["id"], won=True, reinstated=dispute["amount"] // 3)
            else:
                fee = 1500 if outcome == "won with fee" else 0
                self.standin.decide_dispute(dispute["id"], won=outcome != "lost", fee_returned=fee)

    # --- Events, nights -------------------------------------------------------------------------

    def webhooks(self, random, kept, lost, repeated):
        """Events arrive in any order: some stay on their way, some get lost, some were handled before."""
        waiting = self.standin.webhooks.pending()
        random.shuffle(waiting)
        for event in waiting[: min(lost, len(waiting))]:
            self.standin.webhooks.drop(event)
        for event in waiting[lost : max(lost, len(waiting) - kept)]:
            self.standin.webhooks.drop(event)
            self.events.append(event)
            self.handle(event)
        for event in random.sample(self.events, min(repeated, len(self.events))):
            self.handle(event)

    def handle(self, event):
        handler = webhooks.handler_of(event["type"])
        if handler is not None:
            handler(event["data"]["object"], self.moment())

    def lose_events(self):
        """Those that are on their way."""
        for event in self.standin.webhooks.pending():
            self.standin.webhooks.drop(event)

    def night(self):
        """`manage.py reconcile_billing`, and the jobs that it and others began."""
        check = BooksCheck(
            kind=BooksCheck.Kind.PROVIDER, repairs=True, days=3000, state="running", started_at=self.moment()
        )
        books_checks.run_check(check, now=self.moment())
        self.work_off_jobs()
        return check

    def settle(self):
        """What waits at the provider is decided, events that are still on their way get lost, and a night passes."""
        self.wait(0.2)
        self.lose_events()
        for row in Subscription.objects.exclude(status="ended"):
            premium_care.follow_subscription(subscription_id=row.pk, now=self.moment())
        self.work_off_jobs()
        posted = LedgerEntry.objects.count()
        check = self.night()
        # Where the first night has changed nothing, the second one sees the same.
        self.has_second_night = bool(check.found) or LedgerEntry.objects.count() != posted
