"""What sequences do with Premium, see `test_sequences`."""

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.db.models import Sum

from apps.billing import services
from apps.billing.access import has_premium
from apps.billing.models import LedgerLine, Payment, PremiumEarning, PremiumMonth, Subscription
from apps.billing.prices import settle_balance
from apps.billing.services import customers, plan_changes, subscriptions
from apps.billing.services.premium_terms import terms_for
from apps.learning.models import Enrollment, WatchedDay
from studyplatform.kit.errors import AppError
from tests.billing import books_invariants

Status = Subscription.Status


class PremiumSteps:
    """The part of a sequence's run that concerns subscriptions and shares of Premium."""

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

    def subscribe(self, who, plan, number, has_trial, code):
        with suppress(AppError):
            self.settings.PREMIUM_TRIAL_DAYS = 7 if has_trial else 0
            user, card, code = self.learners[who], self.card(who, number), self.premium_codes.get(code, "")
            terms = terms_for(user=user, plan=plan, code=code, country="", now=self.moment())
            carried = settle_balance(terms.price.total, self.balance_of(user), "usd")[1]
            started = subscriptions.start(
                user=user, plan=plan, code=code, country="", card=str(card.uid), expected_total=terms.due,
                expected_currency="usd", expected_trial_days=terms.trial_days, agrees=True, now=self.moment(),
            )  # fmt: skip
            if row := self.row(who):
                self.shown_at_checkout[row.pk] = terms.due
            if started.client_secret:
                self.browser.confirm(started.client_secret, method=card.gateway_id)
            elif row and row.status == Status.ACTIVE and self.balance_of(user) != carried:
                self.unseen.append(f"{carried} are carried over by the checkout, {self.balance_of(user)} in fact")
            if row := self.row(who):
                shown = [pair for pair in books_invariants.shown_and_charged(self, user=user) if pair[0] != pair[1]]
                self.unseen += [f"at once a renewal is shown as {one}, and will be {other}" for one, other in shown]
            self.watch(who, 10)

    def balance_of(self, user):
        """What the provider adds to the next invoice of a user, or deducts from it."""
        return next(each["balance"] for each in self.rows("customer") if each["id"] == user.customer.gateway_id)

    def upgrade(self, who):
        with suppress(AppError):
            now = self.moment()
            if (row := self.row(who)) and row.status == Status.TRIALING:
                self.shown_at_checkout.pop(row.pk, None)
            shown = plan_changes.preview_change(user=self.learners[who], plan="yearly", now=now)
            plan_changes.change_plan(
                user=self.learners[who], plan="yearly", moment=shown.moment, expected_amount=shown.amount_due,
                expected_currency=shown.currency, now=now,
            )  # fmt: skip
            if row and self.shown_at_checkout.get(row.pk) == 0:
                del self.shown_at_checkout[row.pk]  # the first charge is that of the upgrade, not of the checkout

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
            self.give_back(paid, amount)

    def share(self):
        services.share_until(now=self.moment())

    def premium_differences(self):
        """Yield what differs about subscriptions, see `books_invariants`."""
        for enrollment in Enrollment.objects.active().filter(course__pricing="premium").select_related("user"):
            if not has_premium(enrollment.user, now=self.moment()):
                yield "access", f"{enrollment.user} is enrolled without Premium"
        if not self.rows("subscription") and not Subscription.objects.exists():
            return
        for row, there, period_end in books_invariants.meanings(self):
            if row.status != there or (row.status != Status.ENDED and row.period_end.timestamp() != period_end):
                yield "subscription", f"is {row.status} until {row.period_end} here, {there} at the provider"
        for user, count in Counter(Subscription.objects.live().values_list("user", flat=True)).items():
            if count > 1:
                yield "subscription", f"{user} has {count}"
        for shown, charged in books_invariants.shown_and_charged(self):
            if shown != charged:
                yield "shown", f"the next renewal is shown as {shown}, and {charged} will be charged"
        for text in self.unseen:
            yield "shown", text
        yield from self.first_charges()
        yield from self.share_differences()

    def first_charges(self):
        """What the checkout showed is what the first invoice charged."""
        for row in Subscription.objects.filter(pk__in=self.shown_at_checkout, status=Status.ACTIVE):
            shown = self.shown_at_checkout[row.pk]
            first = row.payments.order_by("paid_at", "pk").first()
            begun = first.period_start if first else None
            is_first = begun is not None and begun <= row.created_at + timedelta(days=8)
            charged = first.amount if first and is_first else 0  # or the first period was free
            if shown != charged:
                yield "first charge", f"the checkout showed {shown}, {charged} were charged first"

    def share_differences(self):
        """Every ended month is shared once; what is left of payments was shared or is in the pool."""
        self.share()
        if services.share_until(now=self.moment()) != []:
            yield "shares", "a month is shared twice"
        months = list(PremiumMonth.objects.order_by("month").values_list("month", flat=True))
        if len(set(months)) != len(months):
            yield "shares", "a month was shared twice"
        pooled = PremiumMonth.objects.aggregate(sum=Sum("pool"))["sum"] or 0
        premium_lines = LedgerLine.objects.filter(account__code="premium")
        left = -(premium_lines.aggregate(sum=Sum("amount"))["sum"] or 0)
        payments = Payment.objects.filter(kind=Payment.Kind.PREMIUM)
        kept = sum(max(0, books_invariants.left_of(self, each)) for each in payments)
        if pooled + left != kept:
            yield "shares", f"{pooled} were shared and {left} are left of {kept}"
        earned = PremiumEarning.objects.aggregate(sum=Sum("earned"))["sum"] or 0
        booked = LedgerLine.objects.filter(entry__kind="premium_share", account__instructor_id__isnull=False)
        if earned != -(booked.aggregate(sum=Sum("amount"))["sum"] or 0):
            yield "shares", f"{earned} were earned, the ledger has something else"
        for month in PremiumMonth.objects.prefetch_related("earnings", "contributions"):
            parts = [each.part for each in month.earnings.all()]
            contributed = [each.amount for each in month.contributions.all()]
            if sum(parts) > sum(contributed):  # the rest was contributed by those who watched nothing
                yield "shares", f"the parts of {month} are more than its subscribers contributed"
