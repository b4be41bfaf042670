"""What sequences do with Premium and payouts, see `test_sequences`."""

from contextlib import suppress
from datetime import UTC, datetime

from django.db.models import Sum

from apps.billing import services
from apps.billing.access import has_premium
from apps.billing.models import LedgerLine, Payment, Payout, PremiumEarning, PremiumMonth, Subscription
from apps.billing.queries.payout_check import payout_problems
from apps.billing.services import customers, plan_changes, premium, premium_care, refunds, subscriptions
from apps.billing.services.premium_terms import terms_for
from apps.learning.models import Enrollment, WatchedDay
from studyplatform.kit.errors import AppError
from tests.factories.courses import CourseFactory

Status = Subscription.Status


class PremiumSteps:
    """The part of a sequence's run that concerns subscriptions, shares of Premium and payouts."""

    def prepare_premium(self):
        self.cards = {}
        self.teacher = self.courses[0].instructor
        self.premium_course = CourseFactory(instructor=self.teacher, status="published", pricing="premium")
        services.save_bank_account(
            user=self.teacher, holder="Ada", number="DE89370400440532013000", bank_code="", now=self.moment()
        )

    def moment(self):
        return datetime.fromtimestamp(self.standin.clock.now(), UTC)

    def wait(self, days):
        self.standin.clock.advance(days=days)

    def row(self, who):
        return Subscription.objects.of(self.learners[who].pk).live().select_related("user").first()

    def card(self, who, number):
        if (who, number) not in self.cards:
            user = self.learners[who]
            begun = customers.begin_card(user=user, key=f"{number}", now=self.moment())
            self.browser.confirm(begun.client_secret, number)
            self.cards[who, number] = customers.finish_card(user=user, intent=begun.id, now=self.moment())
        return self.cards[who, number]

    def subscribe(self, who, plan, number, has_trial):
        with suppress(AppError):
            self.settings.PREMIUM_TRIAL_DAYS = 7 if has_trial else 0
            user, card = self.learners[who], self.card(who, number)
            terms = terms_for(user=user, plan=plan, code="", country="", now=self.moment())
            started = subscriptions.start(
                user=user, plan=plan, code="", country="", card=str(card.uid), expected_total=terms.price.total,
                expected_currency="usd", expected_trial_days=terms.trial_days, agrees=True, now=self.moment(),
            )  # fmt: skip
            if started.client_secret:
                self.browser.confirm(started.client_secret, method=card.gateway_id)
            self.watch(who, 10)

    def upgrade(self, who):
        with suppress(AppError):
            now = self.moment()
            shown = plan_changes.preview_change(user=self.learners[who], plan="yearly", now=now)
            plan_changes.change_plan(
                user=self.learners[who], plan="yearly", moment=shown.moment, expected_amount=shown.amount_due,
                expected_currency=shown.currency, now=now,
            )  # fmt: skip

    def stop(self, who, ends):
        with suppress(AppError):
            (subscriptions.cancel if ends else subscriptions.resume)(user=self.learners[who], now=self.moment())

    def watch(self, who, minutes):
        user, course = self.learners[who], self.premium_course
        with suppress(AppError):
            services.grant_premium(user=user, course=course, now=self.moment())
            day = {"user": user, "course": course, "day": self.moment().date()}
            WatchedDay.objects.update_or_create(**day, defaults={"seconds": minutes * 60})

    def refund_premium(self, who, amount):
        paid = Payment.objects.filter(user=self.learners[who], kind=Payment.Kind.PREMIUM).order_by("-pk").first()
        if paid is not None:
            with suppress(AppError):
                refunds.refund_by_admin(admin=self.sam, payment=paid, amount=amount, reason="", now=self.moment())

    def share(self):
        services.share_until(now=self.moment())

    def payouts(self, outcome):
        """A run, or what a bank made of an earlier payout."""
        if outcome == "run":
            services.run_payouts(self.moment().date(), now=self.moment())
            return
        for payout in Payout.objects.filter(state__in=["processing", "sent"]).order_by("-pk")[:1]:
            if outcome == "sent":
                services.mark_payout_sent(payout.pk, now=self.moment())
            else:
                services.fail_payout(payout.pk, Payout.Failure.OTHER, now=self.moment())

    def check_premium(self):
        for row in Subscription.objects.exclude(status=Status.ENDED):
            premium_care.follow_subscription(subscription_id=row.pk, now=self.moment())
        states = {each["id"]: each for each in self.asked("subscriptions", status="all")}
        for row in Subscription.objects.exclude(gateway_id=None):
            assert premium.MEANING[states[row.gateway_id]["status"]] == row.status
            if row.status != Status.ENDED:
                assert row.period_end.timestamp() == states[row.gateway_id]["items"]["data"][0]["current_period_end"]
        for user in self.learners:
            assert Subscription.objects.of(user.pk).live().count() <= 1
            enrolled = Enrollment.objects.active().filter(user=user, course=self.premium_course)
            assert not enrolled.exists() or has_premium(user, now=self.moment())
        self.check_shares()
        assert list(payout_problems()) == []

    def check_shares(self):
        """Every ended month is shared once; what was paid, without refunds, was shared or is left in the pool."""
        self.share()
        assert services.share_until(now=self.moment()) == []
        months = list(PremiumMonth.objects.order_by("month").values_list("month", flat=True))
        assert len(set(months)) == len(months)
        pooled = PremiumMonth.objects.aggregate(sum=Sum("pool"))["sum"] or 0
        premium_lines = LedgerLine.objects.filter(account__code="premium")
        left = -(premium_lines.aggregate(sum=Sum("amount"))["sum"] or 0)
        payments = Payment.objects.filter(kind=Payment.Kind.PREMIUM)
        lost = payments.filter(disputes__status="lost").aggregate(sum=Sum("disputes__amount"))["sum"] or 0
        sums = payments.aggregate(paid=Sum("amount", default=0), refunded=Sum("refunded", default=0))
        assert pooled + left == sums["paid"] - sums["refunded"] - lost
        earned = PremiumEarning.objects.aggregate(sum=Sum("earned"))["sum"] or 0
        booked = LedgerLine.objects.filter(entry__kind="premium_share", account__instructor_id=self.teacher.pk)
        assert earned == -(booked.aggregate(sum=Sum("amount"))["sum"] or 0)
        for month in PremiumMonth.objects.prefetch_related("earnings"):
            parts = [each.part for each in month.earnings.all()]
            assert sum(parts) <= month.pool  # the rest was earned from those who watched nothing
