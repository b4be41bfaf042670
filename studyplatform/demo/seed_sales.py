"""A year of sales, subscriptions, refunds and payouts for the demo, in the order in which they would have happened.

Everything goes through billing's services and the stand-in for the payment provider, whose clock is moved through the
year. With a real provider there are no sales: nothing here may charge anyone.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from django.conf import settings
from django.db.models import Max, Q
from django.utils.timezone import localtime

from apps.accounts.models import Role, User
from apps.accounts.queries import zone_of
from apps.billing import services
from apps.billing.errors import AlreadyOwned, SubscriptionExpired
from apps.billing.models import (
    Bundle,
    Card,
    ConnectedAccount,
    Dispute,
    Gift,
    Order,
    Payment,
    Payout,
    PayoutAccount,
    PromoCode,
    Refund,
    Subscription,
    Team,
)
from apps.billing.queries.ledger import balances
from apps.billing.queries.payouts import next_payout_day, run_time
from apps.billing.queries.seat_terms import seat_terms
from apps.billing.services import (
    bundles,
    checkout,
    gifts,
    plan_changes,
    premium_care,
    premium_notices,
    receipts,
    seat_orders,
    seats,
    subscriptions,
)
from apps.billing.services.balance_facts import follow_balance
from apps.billing.services.seat_assignment import assign_seats
from apps.billing.standin import Standin
from apps.courses.models import Course
from studyplatform.demo.library import Library, Return, Subscriber
from studyplatform.kit.models import Job
from studyplatform.kit.text.money import price_step

GOOD = ("4242424242424242", "5555555555554444", "378282246310005", "4000056655665556")
CONTESTED, FAILS_LATER = "4000000000000259", "4000000000000341"
LATER = timedelta(hours=1)
# What these jobs do was done here, at the moment when it would have happened; nobody gets an email about it.
DONE_HERE = (
    "accounts.mail_notification",
    "billing.follow_gift_mail",
    "billing.follow_order",
    "billing.follow_refund",
    "billing.note_earnings",
    "billing.send_gift",
    "billing.tell_of_granted_refund",
    "billing.tell_of_lost_dispute",
    "billing.tell_of_payment",
    "billing.tell_of_premium_end",
    "billing.tell_of_refund",
    "billing.tell_of_transfer_order",
)


def make_standin() -> Standin:
    """The stand-in of this site, with its data. Its own process doesn't run yet, or is asked for nothing."""
    return Standin(Path(settings.DATA_DIR) / "standin")


@dataclass(frozen=True, order=True)
class Moment:
    """Something that happens at a time; ``place`` keeps the order of what happens at the same time."""

    at: datetime
    place: int
    act: Callable[[datetime], object] = field(compare=False)


class Year:
    """The sales of a library's users until ``now``, a context that holds the stand-in open once there is one to make.

    ``begins``: when a user began a course, by email and slug.
    """

    def __init__(self, library: Library, begins: dict[tuple[str, str], datetime], now: datetime) -> None:
        self.library, self.begins, self.now = library, begins, now
        self.moments: list[Moment] = []
        self.places = itertools.count()
        self._open = ExitStack()
        self._opened: Standin | None = None
        self._last_job = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def months(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """The months of the year with their labels; each is to be run in its turn."""
        day = (self.now - timedelta(days=372)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        while day <= self.now:
            after = (day + timedelta(days=32)).replace(day=1)
            yield f"sales, {day:%B %Y}", partial(self.run, min(after, self.now))
            day = after

    def run(self, end: datetime) -> None:
        """Let happen what happens until ``end``. Does nothing if the sales were seeded before."""
        if settings.BILLING_MODE != "standin" or not self.library.sales.subscribers:
            return
        standin = self._opened or self._begin_year()
        if standin is None:
            return
        while self.moments and self.moments[0].at <= end:
            moment = heapq.heappop(self.moments)
            standin.clock.set(moment.at.timestamp())
            moment.act(moment.at)
        if end < self.now:
            return
        standin.clock.set(self.now.timestamp())
        standin.clock.reset()
        for event in standin.webhooks.pending():  # everything was asked for already
            standin.webhooks.drop(event)
        Job.objects.filter(kind__in=DONE_HERE, pk__gt=self._last_job).delete()

    def _begin_year(self) -> Standin | None:
        """Open the stand-in and plan the year. None if it was seeded completely: then the clock is not in the past."""
        standin = make_standin()
        self._open.callback(standin.close)
        if _last_has_subscribed(self.library) and standin.clock.offset > -LATER.total_seconds():
            return None
        self._open.enter_context(standin.serving(settings.STANDIN_PORT))
        standin.webhooks.hold()
        self._last_job = Job.objects.aggregate(last=Max("pk"))["last"] or 0
        self._plan()
        self._opened = standin
        return standin

    def _at(self, at: datetime, act: Callable[[datetime], object]) -> None:
        if at <= self.now:
            heapq.heappush(self.moments, Moment(at, next(self.places), act))

    def _ago(self, days: float) -> datetime:
        return self.now - timedelta(days=days)

    # --- The plan ---------------------------------------------------------------------------------

    def _plan(self) -> None:
        kinds = {course.slug: (course.pricing, course.status) for course in self.library.courses}
        for text in self.library.sales.payouts:
            self._at(self._ago(360), partial(self._open_account, text))
        for code in self.library.sales.promo_codes:
            self._at(self._ago(code["from_days_ago"]), partial(self._make_code, code))
        for bundle in self.library.sales.bundles:
            if set(bundle["courses"]) <= kinds.keys():
                self._at(self._ago(bundle["days_ago"]), partial(self._make_bundle, bundle))
        self._plan_for_others(kinds)
        for (email, slug), at in self.begins.items():
            self._at(at, partial(self._begin, email, slug, kinds[slug]))
        for sold in self.library.sales.returns:
            if sold.course in kinds:
                self._at(self._ago(sold.days_ago), partial(self._buy, sold.email, sold.course, returned=sold))
        for one in self.library.sales.subscribers:
            self._at(self._ago(one.days_ago), partial(self._subscribe, one))
        day = next_payout_day(self._ago(360).date())
        while run_time(day) <= self.now:
            self._at(run_time(day), partial(self._pay_out, day))
            day = next_payout_day(day)

    def _plan_for_others(self, kinds: dict[str, tuple[str, str]]) -> None:
        """What one user buys for others."""
        for gift in self.library.sales.gifts:
            if gift["course"] in kinds:
                self._at(self._ago(gift["days_ago"]), partial(self._give, gift))
        for team in self.library.sales.teams:
            self._at(self._ago(team["days_ago"]), partial(self._order_seats, team))

    def _begin(self, email: str, slug: str, kind: tuple[str, str], at: datetime) -> None:
        """A learner begins a course: they buy it, Premium opens it, or staff do."""
        pricing, status = kind
        if pricing == Course.Pricing.FREE:
            return
        if pricing == Course.Pricing.PREMIUM:
            with suppress(SubscriptionExpired):
                services.grant_premium(user=_user(email), course=_course(slug), now=at)
        elif status == Course.Status.PUBLISHED:
            self._buy(email, slug, at)
        else:
            reason, by = "Learned with the first version", _admin()
            services.grant_by_staff(user=_user(email), course=_course(slug), granted_by=by, reason=reason, now=at)

    # --- Purchases --------------------------------------------------------------------------------

    def _buy(self, email: str, slug: str, at: datetime, returned: Return | None = None) -> None:
        user, course = _user(email), _course(slug)
        payment = Payment.objects.filter(user=user, course=course).first()  # of a run that was interrupted
        if payment is None and course.pricing == Course.Pricing.ONE_TIME:
            payment = self._pay(user, course, at, contested=returned is not None and returned.outcome == "contested")
        if payment is not None and returned is not None:
            self._at(at + timedelta(days=returned.after_days), partial(self._return, payment.pk, returned))

    def _pay(self, user: User, course: Course, at: datetime, *, contested: bool) -> Payment | None:
        """None if the user owns the course already."""
        usable = Card.objects.usable().of(user.pk).exclude(last4=FAILS_LATER[-4:])
        card = None if contested else usable.filter(is_default=True).first()
        code = self._code_for(user, course, at)
        purchase = services.purchase_of_course(course)
        price = services.price_for(purchase=purchase, code=code, country=_country(), on=localtime(at).date())
        try:
            begun = services.begin_order(
                user=user, purchase=purchase, code=code.code if code else "", country=_country(), email=user.email,
                expected_total=price.total, expected_currency=price.currency, card=str(card.uid) if card else "",
                saves_card=False, agrees=True, now=at,
            )  # fmt: skip
        except AlreadyOwned:
            return None
        if begun.client_secret:
            self._confirm(begun.client_secret, card=card, number=CONTESTED if contested else _card_of(user))
        order = services.sync_order(order=begun.order, now=at)
        payment = Payment.objects.select_related("user").get(order=order)
        receipts.tell_of_payment(payment=payment)
        services.note_milestones(instructor_id=course.instructor_id, now=at)
        if contested:
            for dispute in self._call("GET", "/v1/disputes", {"payment_intent": payment.gateway_id})["data"]:
                services.sync_dispute(dispute=dispute["id"], now=at)
        return payment

    def _code_for(self, user: User, course: Course, at: datetime) -> PromoCode | None:
        """Every other learner knows of a code that is valid at this time."""
        if user.pk % 2:
            return None
        its = Q(scope=PromoCode.Scope.COURSE, course=course) | Q(
            scope=PromoCode.Scope.INSTRUCTOR, instructor=course.instructor
        )
        return PromoCode.objects.filter(its, is_active=True, starts_at__lte=at, ends_at__gt=at).first()

    def _confirm(self, secret: str, *, number: str = "", card: Card | None = None) -> None:
        """What the provider's script does in the learner's browser."""
        intent = secret.partition("_secret_")[0]
        kind = "setup_intents" if intent.startswith("seti_") else "payment_intents"
        fields = {"number": number, "exp_month": "12", "exp_year": str(self.now.year + 3), "cvc": "1234"}
        how: dict[str, Any] = {"payment_method_data": {"type": "card", "card": fields}}
        if card is not None:
            how = {"payment_method": card.gateway_id}
        sent = {"client_secret": secret, **how}
        self._call("POST", f"/v1/{kind}/{intent}/confirm", sent, self._standin.publishable_key)

    def _return(self, payment_id: int, returned: Return, at: datetime) -> None:
        payment = Payment.objects.select_related("user", "course").get(pk=payment_id)
        if returned.outcome == "contested":
            self._decide_dispute(payment, returned.verdict, at)
            return
        if payment.refunds.exists():
            return
        if returned.outcome == "partial":
            refund = services.refund_by_admin(
                admin=_admin(), payment=payment, amount=returned.amount, reason=returned.answer, now=at
            )
        else:
            refund = services.request_refund(user=payment.user, payment=payment, reason=returned.reason, now=at)
        if refund.status == Refund.Status.REQUESTED and returned.outcome in {"granted", "declined"}:
            decided = at + timedelta(hours=20)
            self._at(decided, partial(self._decide, refund.pk, returned))
        elif refund.status == Refund.Status.DONE:
            receipts.tell_of_refund(refund=refund)

    def _decide(self, refund_id: int, one: Return, at: datetime) -> None:
        refund = Refund.objects.get(pk=refund_id)
        grants = one.outcome == "granted"
        refund = services.decide_refund(admin=_admin(), refund=refund, grants=grants, reason=one.answer, now=at)
        receipts.tell_of_refund(refund=refund)

    def _decide_dispute(self, payment: Payment, verdict: str, at: datetime) -> None:
        outcome = {"won": "winning_evidence", "lost": "losing_evidence"}.get(verdict)
        for dispute in payment.disputes.filter(status=Dispute.Status.OPEN):
            if outcome is not None:
                evidence = {"evidence": {"uncategorized_text": outcome}, "submit": "true"}
                self._call("POST", f"/v1/disputes/{dispute.gateway_id}", evidence)
            services.sync_dispute(dispute=dispute.gateway_id, now=at)

    def _make_bundle(self, text: dict[str, Any], at: datetime) -> None:
        if Bundle.objects.filter(title=text["title"]).exists():
            return
        terms = bundles.BundleTerms(
            title=text["title"],
            summary=text["summary"],
            price=text["price"],
            courses=[_course(slug) for slug in text["courses"]],
        )
        bundles.create_bundle(by=_user(text["by"]), terms=terms, now=at)

    def _give(self, text: dict[str, Any], at: datetime) -> None:
        """A learner buys a course for someone else, who hasn't redeemed the code yet."""
        user = _user(text["by"])
        if Gift.objects.filter(order__user=user).exists():
            return
        purchase = services.purchase_of_course(_course(text["course"]), is_gift=True)
        terms = gifts.GiftTerms(
            sender_name=user.get_full_name(),
            recipient_name=text["name"],
            recipient_email=text["email"],
            message=text["message"],
            send_on=at.astimezone(zone_of(user)).date(),
        )
        begun = services.begin_order(
            user=user, purchase=purchase, code="", country=_country(), email=user.email, expected_total=purchase.price,
            expected_currency=purchase.currency, card="", saves_card=False, agrees=True, gift=terms, now=at,
        )  # fmt: skip
        self._confirm(begun.client_secret, card=None, number=_card_of(user))
        order = services.sync_order(order=begun.order, now=at)
        receipts.tell_of_payment(payment=Payment.objects.select_related("user").get(order=order))
        gifts.send_gift(gift_id=order.gift.pk, now=at)

    def _order_seats(self, text: dict[str, Any], at: datetime) -> None:
        """A company orders seats of Premium and gives most of them to learners.

        By an invoice that isn't paid yet, or by card where there are no invoices.
        """
        owner = _user(text["by"])
        if Team.objects.of(owner.pk).exists():
            return
        names = ("street", "postal_code", "city", "country", "vat_id", "reference")
        buyer = {"is_company": True, "name": text["company"], **{name: text[name] for name in names}}
        wanted = seat_orders.WantedSeats(count=text["seats"])
        found = seat_orders.quote_seats(wanted=wanted, country=text["country"], vat_id=text["vat_id"], now=at)
        method = Order.Method.TRANSFER if seat_terms()["offers_invoice"] else Order.Method.CARD
        order = seat_orders.order_seats(
            user=owner, wanted=wanted, method=method, buyer=buyer, country=text["country"],
            email=text["email"], expected_total=found.price.total, expected_currency=found.price.currency, agrees=True,
            request_key=uuid4(), now=at,
        )  # fmt: skip
        if method == Order.Method.CARD:
            begun = checkout.pay_seats(user=owner, order=order, card="", now=at)
            self._confirm(begun.client_secret, card=None, number=_card_of(owner))
            services.sync_order(order=order, now=at)
        members = User.objects.filter(email__in=text["members"]).order_by("pk")
        for seat, member in zip(order.seat_pack.rows.all(), members, strict=False):
            seats.give_seat(seat=seat, user=member, by=owner, now=at)
        team = order.seat_pack.team
        assign_seats(user=owner, team=team, course_id=None, addresses=text["invited"], now=at)

    def _make_code(self, text: dict[str, Any], at: datetime) -> None:
        if PromoCode.objects.filter(code=text["code"]).exists():
            return
        by, course, amount = _user(text["by"]), text.get("course"), text.get("amount")
        services.create_promo_code(
            user=by,
            terms=services.PromoTerms(
                code=text["code"],
                scope=PromoCode.Scope.COURSE if course else PromoCode.Scope.INSTRUCTOR,
                course=_course(course) if course else None,
                instructor=None if course else by,
                percent=text.get("percent"),
                amount=amount,
                currency=settings.CURRENCY if amount else "",
            ),
            limits=services.PromoLimits(limit=text["limit"], starts_at=at, ends_at=self._ago(text["to_days_ago"])),
            now=at,
        )

    # --- Premium ----------------------------------------------------------------------------------

    def _subscribe(self, one: Subscriber, at: datetime) -> None:
        user = _user(one.email)
        row = Subscription.objects.of(user.pk).first()  # of a run that was interrupted
        if row is None:
            row = self._start(user, one.plan, at)
        self._look(row.pk, at)
        if one.upgrades_days_ago and row.plan != "yearly":
            self._at(self._ago(one.upgrades_days_ago), partial(self._upgrade, user))
        if one.cancels_days_ago and not row.cancels_at_period_end:
            self._at(self._ago(one.cancels_days_ago), partial(self._cancel, user))
        if one.fails_days_ago and row.status in {Subscription.Status.TRIALING, Subscription.Status.ACTIVE}:
            self._at(self._ago(one.fails_days_ago), partial(self._save_card, user, FAILS_LATER))

    def _start(self, user: User, plan: str, at: datetime) -> Subscription:
        card = self._save_card(user, _card_of(user), at)
        started = subscriptions.start(
            user=user, plan=plan, code="", country=_country(), card=str(card.uid), expected_total=_price(plan),
            expected_currency=settings.CURRENCY, expected_trial_days=settings.PREMIUM_TRIAL_DAYS, agrees=True, now=at,
        )  # fmt: skip
        if started.client_secret:
            self._confirm(started.client_secret, card=card)
        return started.subscription

    def _look(self, pk: int, at: datetime) -> None:
        """What the job that follows a subscription does, at the moments when something is due."""
        premium_care.follow_subscription(subscription_id=pk, now=at)
        row = Subscription.objects.select_related("user").get(pk=pk)
        for payment in row.payments.filter(paid_at__gt=at - timedelta(days=2)):
            receipts.tell_of_payment(payment=payment)
        if row.status == Subscription.Status.ENDED:
            premium_notices.tell_of_end(row)
            return
        notice = row.trial_end - premium_notices.TRIAL_NOTICE if row.trial_end else None
        due = [moment + LATER for moment in (notice, row.period_end, row.grace_until) if moment and moment + LATER > at]
        if due:
            self._at(min(due), partial(self._look, pk))

    def _cancel(self, user: User, at: datetime) -> None:
        subscriptions.cancel(user=user, now=at)

    def _upgrade(self, user: User, at: datetime) -> None:
        shown = plan_changes.preview_change(user=user, plan="yearly", now=at)
        plan_changes.change_plan(
            user=user,
            plan="yearly",
            moment=at,
            expected_amount=shown.amount_due,
            expected_currency=shown.currency,
            now=at,
        )

    def _save_card(self, user: User, number: str, at: datetime) -> Card:
        intent = services.begin_card(user=user, key=f"demo {at.timestamp():.0f}", now=at)
        self._confirm(intent.client_secret, number=number)
        card = services.finish_card(user=user, intent=intent.id, now=at)
        services.make_default(user=user, card=card)
        return card

    # --- Instructors ------------------------------------------------------------------------------

    def _open_account(self, text: dict[str, str], at: datetime) -> None:
        user = _user(text["email"])
        if PayoutAccount.objects.filter(user=user).exists():
            return
        if text["account"] == "bank":
            services.save_bank_account(
                user=user, holder=user.get_full_name(), number=text["number"], bank_code="", now=at
            )
            return
        back = "https://127.0.0.1/"  # nobody returns there: what the provider knows is read below
        services.begin_onboarding(user=user, return_url=back, refresh_url=back, now=at)
        account = ConnectedAccount.objects.get(user=user).gateway_id
        names = {"first_name": user.first_name, "last_name": user.last_name}
        number = {"account_number": "000123456789", "routing_number": "110000000"}
        self._standin.complete_account(account, {**names, **number})
        services.sync_connected_account(gateway_id=account, now=at)

    def _pay_out(self, day: date, at: datetime) -> None:
        services.run_payouts(day, now=at)
        for payout in Payout.objects.filter(method=PayoutAccount.Method.BANK, state=Payout.State.PROCESSING):
            self._at(at + timedelta(days=2), partial(self._settle, payout.pk))
        self._at(at + timedelta(days=9), self._fetch)

    def _fetch(self, at: datetime) -> None:
        """Let the provider pay to the platform's bank what is the platform's own."""
        held, currency = balances(), settings.CURRENCY
        owed = sum(held[account].get(currency, 0) for account in held if account.startswith("instructor:"))
        own = owed + sum(held.get(account, {}).get(currency, 0) for account in ("provider", "premium", "tax"))
        amount = own - own % price_step(currency)
        if amount > 0:
            form = {"amount": str(services.to_provider(amount, currency)), "currency": currency}
            self._call("POST", "/v1/payouts", form)
            follow_balance(now=at)

    def _settle(self, payout_id: int, at: datetime) -> None:
        """The bank made the transfer; the first one to this account came back."""
        payout = Payout.objects.get(pk=payout_id)
        earlier = Payout.objects.filter(instructor=payout.instructor_id, pk__lt=payout_id)
        if payout.instructor.email == "priya.raman@example.com" and not earlier.exists():
            services.fail_payout(payout_id, Payout.Failure.HOLDER, now=at)
        else:
            services.mark_payout_sent(payout_id, now=at)

    # --- The provider -----------------------------------------------------------------------------

    @property
    def _standin(self) -> Standin:
        if self._opened is None:
            raise RuntimeError("the stand-in is not open")
        return self._opened

    def _call(self, method: str, path: str, form: dict[str, Any], key: str = "") -> dict[str, Any]:
        """
        :raises RuntimeError: the stand-in refuses it.
        """
        standin = self._standin
        answer = standin.call(method, path, form, {"Authorization": f"Bearer {key or standin.secret_key}"})
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.body}")
        return answer.body


def share_premium(now: datetime) -> None:
    """Share the months of Premium that have ended, once it is known what the subscribers watched."""
    if settings.BILLING_MODE == "standin":
        services.share_until(now=now)


def _last_has_subscribed(library: Library) -> bool:
    last = min(library.sales.subscribers, key=lambda one: one.days_ago)
    return Subscription.objects.filter(user__email=last.email).exists()


def _user(email: str) -> User:
    return User.objects.get(email=email)


def _course(slug: str) -> Course:
    return Course.objects.select_related("instructor").get(slug=slug)


def _admin() -> User:
    return User.objects.filter(role=Role.ADMIN).order_by("pk")[0]


def _card_of(user: User) -> str:
    return GOOD[user.pk % len(GOOD)]


def _price(plan: str) -> int:
    return int(settings.PREMIUM_YEARLY if plan == "yearly" else settings.PREMIUM_MONTHLY)


def _country() -> str:
    """Where everyone lives, if it decides about the tax in prices: in the seller's country, or one that has a rate."""
    return (settings.SELLER_COUNTRY or next(iter(settings.TAX_RATES), "")) if services.needs_country() else ""
