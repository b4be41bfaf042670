"""Any sequence of purchases, subscriptions, refunds, disputes, payouts, clicks of admins, and accidents at the provider
ends in books that match the bank.

Hypothesis draws the sequences; the stand-in is the provider, called without HTTP. Its events arrive in any order,
twice, late or never. At the end the nightly reconciliation runs once, alone. Then nothing may differ (see
`books_invariants`):

- every entry of the ledger adds up to zero, and the account "provider" equals the provider's own balance;
- a course is open exactly if it is paid and not given back, and the learner is enrolled exactly then;
- nobody was charged twice for a course without an admin being asked to return it, nor charged what was not shown;
- a request for a refund is not open once the money is back, and a code was used as often as it was paid with;
- subscriptions are as the provider says; each month of Premium was shared once, and nothing of it is missing;
- instructors got what the payouts say, once, and never more than they earned; every bank payout can be made;
- a second night finds nothing.
"""

import copy
import importlib
import json
import os
import pkgutil
import sqlite3
from contextlib import suppress
from random import Random
from urllib.parse import urlsplit

import pytest
import stripe
from django.core.cache import cache
from django.db import transaction
from django.utils.timezone import localtime
from hypothesis import HealthCheck, Phase, example, given, seed
from hypothesis import settings as chosen
from hypothesis import strategies as st

from apps.billing import gateway, services
from apps.billing.models import AccountType, DocumentSeries, LedgerAccount, Payment, ReceiptSeries
from apps.billing.models.documents import DocumentKind
from apps.billing.queries.double_payments import double_payments
from apps.billing.queries.next_charge import next_charge
from apps.billing.services import (
    checkout,
    connected_accounts,
    customers,
    premium_care,
    promo,
    refunds,
    seat_orders,
    subscriptions,
    transfer_cards,
)
from apps.billing.services.ledger.posting import ACCOUNTS, account_of
from apps.billing.standin import Standin
from apps.billing.standin.errors import ApiError
from studyplatform.kit import jobs
from tests.billing.books_invariants import differences
from tests.billing.conftest import ASKS, DECLINED, DISPUTED, FAILS_LATER, GOOD, Browser
from tests.billing.money_steps import MoneySteps
from tests.billing.payout_steps import PayoutSteps
from tests.billing.premium_steps import PremiumSteps
from tests.billing.seat_steps import SeatSteps
from tests.billing.transfer_steps import TransferSteps
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.selling import PaidCourseFactory, PromoCodeFactory

SEQUENCES = int(os.environ.get("BILLING_SEQUENCES", "100"))  # `make test-all` tries 300
SEED = os.environ.get("BILLING_SEED", "")  # a number, to draw the same sequences again
SEQUENCES_A_NIGHT = 3  # of other learners, teachers and courses: a night and all comparisons cost as much as a sequence
WITH_SEATS = SEQUENCES // 3
WITH_PREMIUM = SEQUENCES // 10  # each costs many times as much as one without
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(3600)]
REFUND_FAILS, REFUND_PENDING = "4000000000005126", "4000000000007726"


def step(name, *parts):
    return st.tuples(st.just(name), *parts).map(lambda one: [one])


def story(*steps):
    """Several steps after each other: what chance would seldom put in this order."""
    return st.tuples(*steps).map(lambda parts: [one for part in parts for one in part])


# Mostly the same learner and course, so that steps meet.
who, what = st.sampled_from([0, 0, 0, 0, 1]), st.sampled_from([0, 0, 0, 0, 1])
percent, newest, yes = st.sampled_from([100, 100, 30, 1]), st.booleans(), st.booleans()
plan = st.sampled_from(["monthly", "yearly"])
number = st.sampled_from([GOOD, GOOD, GOOD, GOOD, DECLINED, ASKS, DISPUTED, REFUND_FAILS, REFUND_PENDING])
paid = st.sampled_from([GOOD, GOOD, REFUND_FAILS, REFUND_PENDING])
days = st.sampled_from([1, 8, 32, 32, 65])
verdict = st.sampled_from(["won", "lost", "lost", "partly won", "won with fee", "escalated"])

buy = step("buy", who, what, number, yes, yes)
buy_well = step("buy", who, what, paid, st.just(False), st.just(True))
buy_too = step("buy", st.just(1), what, paid, st.just(False), st.just(True))
contest = step("contest", who, what, percent, st.sampled_from([False, False, False, True]))
wait = step("wait", days)
ripe = step("wait", st.sampled_from([32]))  # sales of earlier days are paid out
fate = step("fate", st.sampled_from(["finish", "fail", "fail", "cancel"]), newest)
events = step("webhooks", st.randoms(use_true_random=False), st.integers(0, 2), st.integers(0, 2), st.integers(0, 3))
refund = step("refund", who, what, yes)
ask_late = step("refund", who, what, st.just(True))
dashboard_refund = step("dashboard_refund", who, what, percent)
run_payouts = step("payouts")
method = step("method", yes)
connect = step("method", st.just(True))
mark = step("mark", yes, newest)
mark_failed = step("mark", st.just(False), newest)
reverse = step("reverse", percent)
decision = step("verdict", verdict, newest)
lost = step("verdict", st.just("lost"), newest)
order_by_transfer = step("order_by_transfer", who, what)
confirm_transfer = step("confirm_transfer", who, what, st.sampled_from([100, 100, 40, 60, 130]), yes)
cancel_transfer = step("cancel_transfer", who, what)
pay_transfer_by_card = step("pay_transfer_by_card", who, what, number, yes)
return_by_bank = step("return_by_bank", yes)
TRANSFER_STEPS = st.one_of(
    story(order_by_transfer, st.one_of(confirm_transfer, cancel_transfer, pay_transfer_by_card)),
    story(order_by_transfer, confirm_transfer, confirm_transfer),
    story(order_by_transfer, pay_transfer_by_card, st.one_of(confirm_transfer, cancel_transfer)),
    story(order_by_transfer, confirm_transfer, refund, return_by_bank),
    story(refund, step("return_instead", who, what, percent), st.one_of(return_by_bank, dashboard_refund, contest)),
    return_by_bank,
    step("return_deposit"),
)
STEPS = st.one_of(
    TRANSFER_STEPS,
    buy,
    buy_well,
    story(buy_well, refund),
    story(buy_well, ask_late, st.one_of(dashboard_refund, contest)),
    story(buy_well, ask_late, contest, lost),
    story(st.one_of(refund, dashboard_refund), buy_well, fate),
    story(st.one_of(refund, dashboard_refund), buy_well, fate),
    refund,
    step("decide", yes),
    step("partial", who, what, percent),
    step("bank", who, what, yes),
    contest,
    story(contest, decision),
    story(dashboard_refund, contest, decision),
    decision,
    dashboard_refund,
    fate,
    events,
    step("sync", who, what),
    step("night"),
    story(ripe, method, run_payouts),
    story(ripe, method, run_payouts, mark, ripe, run_payouts),
    story(buy_too, ripe, connect, run_payouts, mark_failed, ripe, run_payouts),  # there is enough for another one
    story(ripe, method, run_payouts, st.one_of(mark, method, reverse, events)),
    run_payouts,
    method,
    mark,
    reverse,
    step("bank_out", percent),
    step("bank_back"),
    step("fee", st.integers(1, 900)),
)
code = st.sampled_from(["", "half", "almost all"])
subscribe = step("subscribe", who, plan, st.sampled_from([GOOD, GOOD, FAILS_LATER]), yes, code)
too_little = step("subscribe", who, st.just("monthly"), st.just(GOOD), st.just(False), st.just("almost all"))
# A wait is drawn often: renewals, their failures and the ends of months need one.
PREMIUM_STEPS = st.one_of(
    wait,
    wait,
    subscribe,
    step("upgrade", who),
    step("stop", who, yes),
    step("watch", who, st.integers(1, 500)),
    step("refund_premium", who, st.integers(1, 1400)),
    step("share"),
    run_payouts,
    STEPS,
)


def joined(parts):
    return [one for part in parts for one in part]


PLAIN = st.tuples(st.one_of(buy_well, buy_well, buy), st.lists(STEPS, min_size=1, max_size=4).map(joined)).map(joined)
PREMIUM = st.tuples(
    st.one_of(subscribe, subscribe, too_little), wait, st.lists(PREMIUM_STEPS, min_size=2, max_size=6).map(joined)
).map(joined)


seats_of, count = st.sampled_from([0, 0, 0, 1, 2]), st.integers(1, 4)
buy_seats = step("buy_seats", who, seats_of, count, number, yes)
invoice = step("invoice_seats", who, seats_of, count)
SEAT_STEPS = st.one_of(
    buy_seats,
    invoice,
    story(buy_seats, step("hold_seat", who)),
    step("hold_seat", who),
    step("add_seats", who, count, number, yes),
    story(invoice, step("pay_seat_invoice", who, number, yes)),
    step("pay_seat_invoice", who, number, yes),
    step("give_back_seats", who, count),
    story(step("give_back_seats", who, count), fate),
    buy_well,
    contest,
    decision,
    dashboard_refund,
    fate,
    events,
    step("partial", who, what, percent),
    step("night"),
)
SEATS = st.tuples(st.one_of(buy_seats, invoice), st.lists(SEAT_STEPS, min_size=1, max_size=5).map(joined)).map(joined)

paid_course = ("buy", 0, 0, GOOD, False, True)
paid_out = [paid_course, ("wait", 32), ("method", True), ("payouts",)]
unheard_refund = [paid_course, ("dashboard_refund", 0, 0, 30), ("webhooks", Random(0), 0, 9, 0)]
lost_dispute = [("contest", 0, 0, 100, False), ("verdict", "lost", True), ("webhooks", Random(0), 0, 0, 0)]
# What was wrong once, each in its shortest form.
FOUND = [
    [*paid_out, ("mark", False, True), ("buy", 1, 0, GOOD, False, True), ("wait", 1), ("payouts",)],  # sent twice
    [paid_course, ("wait", 32), ("payouts",), ("method", True)],  # a bank payout that nobody could send
    [("buy", 0, 0, REFUND_PENDING, False, True), ("refund", 0, 0, True), ("dashboard_refund", 0, 0, 30), ("night",)],
    [paid_course, ("contest", 0, 0, 100, False), ("verdict", "partly won", True)],
    [paid_course, ("contest", 0, 0, 100, False), ("night",), ("verdict", "won with fee", True)],
    [paid_course, ("bank_out", 30), ("fee", 100)],
    [*paid_out, ("reverse", 30)],
    [("buy", 0, 0, REFUND_FAILS, False, True), ("refund", 0, 0, False), paid_course],  # two payments kept
    [paid_course, ("refund", 0, 0, True), ("dashboard_refund", 0, 0, 100)],  # a request for what is back
    [*unheard_refund, *lost_dispute],  # more is lost than is left
    # Returned twice, because the provider knows nothing of a bank transfer.
    [
        ("buy", 0, 0, REFUND_FAILS, False, True),
        ("refund", 0, 0, False),
        ("return_instead", 0, 0, 100),
        ("return_by_bank", False),
        ("dashboard_refund", 0, 0, 100),
    ],
    [  # a part by transfer, then all of it by card
        ("order_by_transfer", 0, 0),
        ("confirm_transfer", 0, 0, 40, True),
        ("pay_transfer_by_card", 0, 0, GOOD, False),
        ("confirm_transfer", 0, 0, 60, True),
        ("return_deposit",),
    ],
]
FOUND_WITH_PREMIUM = [
    [("subscribe", 0, "monthly", GOOD, True, "half"), ("wait", 1)],  # shown without the promo code
    [("subscribe", 0, "monthly", GOOD, False, "almost all"), ("wait", 32)],  # charged later, unseen
    [("subscribe", 0, "monthly", GOOD, False, "almost all"), ("wait", 1), ("upgrade", 0)],  # nothing charged before
]


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


class Party:
    """The learners of a sequence, and what they buy of whom. No other sequence touches it."""

    def __init__(self) -> None:
        self.learners = [UserFactory(), UserFactory()]
        self.courses = [PaidCourseFactory()]
        self.teacher = self.courses[0].instructor
        self.courses.append(PaidCourseFactory(price=999, instructor=self.teacher))
        self.premium_course = CourseFactory(instructor=self.teacher, status="published", pricing="premium")
        self.code = PromoCodeFactory(percent=33, limit=2)
        services.save_bank_account(
            user=self.teacher, holder="Ada", number="DE89370400440532013000", bank_code="", now=self.code.created_at
        )


class Site:
    """What all sequences of a test begin with."""

    def __init__(self, standin: Standin, sam, settings) -> None:
        self.standin, self.settings = standin, settings
        self.sam = sam
        settings.PAYOUT_MINIMUM, settings.BANK_IBAN = 1, "DE89370400440532013000"
        self.parties = [Party() for _ in range(SEQUENCES_A_NIGHT)]
        half = PromoCodeFactory(percent=50, scope="premium", limit_per_user=9)
        almost_all = PromoCodeFactory(percent=97, scope="premium", limit_per_user=9)
        self.premium_codes = {"half": half.code, "almost all": almost_all.code}
        # What the first sale of a site and of a year creates, and others find.
        LedgerAccount.objects.bulk_create(LedgerAccount(code=code, type=kind) for code, kind in ACCOUNTS.items())
        LedgerAccount.objects.bulk_create(
            LedgerAccount(code=account_of(pk), type=AccountType.LIABILITY, instructor_id=pk)
            for pk in [party.teacher.pk for party in self.parties]
        )
        for party in self.parties:
            customers.ensure_customer(party.learners[0])
        # Events are wanted by an endpoint that never answers: the steps hand them over.
        secret = {"Authorization": f"Bearer {standin.secret_key}"}
        form = {"url": "http://localhost:9/x", "enabled_events": ["*"]}
        standin.call("POST", "/v1/webhook_endpoints", form, secret)
        self.beginning = sqlite3.connect(":memory:", check_same_thread=False)
        standin.store.db.backup(self.beginning)
        year = localtime().year
        ReceiptSeries.objects.create(year=year)
        DocumentSeries.objects.bulk_create(DocumentSeries(kind=kind, year=year) for kind in DocumentKind)

    def begin(self):
        """Bring the stand-in back to where it was."""
        self.standin.reset()
        self.standin.webhooks.hold()
        self.beginning.backup(self.standin.store.db)


class Run(MoneySteps, TransferSteps, PayoutSteps, PremiumSteps, SeatSteps):
    """Sequences until one night, each of its own party."""

    def __init__(self, site: Site, count: int, enqueued: list) -> None:
        self.standin, self.settings, self.premium_codes = site.standin, site.settings, site.premium_codes
        # Copies: rows remember related ones, which another run's end has rolled back.
        self.sam, self.parties = copy.deepcopy((site.sam, site.parties[:count]))
        self.browser = Browser(self.standin)
        self.shown_at_checkout, self.unseen = {}, []
        self.enqueued = enqueued
        self.enqueued.clear()

    def carry_out(self, sequence, party):
        """Carry out the steps of a sequence. What earlier ones left at the provider is theirs."""
        self.lose_events()
        self.follow(party)
        self.events, self.secrets, self.cards = [], {}, {}
        with self.standin.store.transaction() as db:
            (self.earlier,) = db.execute("SELECT coalesce(max(seq), 0) FROM objects").fetchone()
        for name, *arguments in sequence:
            getattr(self, name)(*arguments)

    def follow(self, party):
        """Look at this party from now on."""
        vars(self).update(vars(party))

    def call(self, path, **form):
        answer = self.standin.call("POST", f"/v1/{path}", form, {"Authorization": f"Bearer {self.standin.secret_key}"})
        if answer.status != 200:
            raise ApiError(answer.body["error"]["message"], type="refused", status=answer.status)
        return answer.body

    def rows(self, kind, *, after=0):
        """The provider's objects of a kind, the newest first."""
        with self.standin.store.transaction() as db:
            words = "SELECT body FROM objects WHERE kind=? AND seq>? AND account='' ORDER BY seq DESC"
            found = db.execute(words, [kind, after])
            return [json.loads(body) for (body,) in found.fetchall()]

    def own_rows(self, kind):
        """Those that the present sequence has brought about."""
        return self.rows(kind, after=self.earlier)

    def balance(self):
        """What the provider has for the platform, by currency."""
        found = self.rows("balance")
        return {currency: amount for row in found for currency, amount in row["_amounts"].items() if amount}

    def work_off_jobs(self):
        """Carry out the jobs that move money; others, such as emails, are left."""
        while self.enqueued:
            name, payload = self.enqueued.pop(0)
            if name == "billing.refund_duplicate":
                refunds.refund_duplicate(payment=Payment.objects.get(pk=payload["payment_id"]), now=self.moment())
            elif name == "billing.end_returned_premium":
                premium_care.end_returned(**payload, now=self.moment())

    def returns_wait(self, payments):
        """Whether an admin sees that all but one of these payments for the same course are to be returned."""
        waiting = {each.payment.pk for each in double_payments()}
        waiting |= {each.pk for each in payments if each.refunds.filter(method="transfer", status="processing")}
        return len([each for each in payments if each.pk not in waiting]) == 1

    def shown_renewal(self, subscription):
        """What pages and emails say that the next period costs."""
        return next_charge(subscription).amount


def outcome_of(sequences, site, enqueued):
    """Carry out sequences against fresh data, let a night pass, and return what differs."""
    cache.clear()
    site.begin()
    found = []
    with suppress(_Undo), transaction.atomic():
        run = Run(site, len(sequences), enqueued)
        for sequence, party in zip(sequences, run.parties, strict=True):
            run.carry_out(sequence, party)
        run.settle()
        found = list(differences(run))
        raise _Undo
    return found


@pytest.fixture
def try_out(monkeypatch, sam, settings):
    """Carries out a sequence."""
    standin = Standin()
    provider = stripe.StripeClient(standin.secret_key, http_client=WithoutNetwork(standin))
    for found in pkgutil.iter_modules(gateway.__path__, f"{gateway.__name__}."):
        loaded = importlib.import_module(found.name)
        if hasattr(loaded, "client"):
            monkeypatch.setattr(loaded, "client", lambda: provider)
    for module in (checkout, transfer_cards, seat_orders, customers, subscriptions, promo, connected_accounts):
        monkeypatch.setattr(module, "consume", lambda *what, **how: None)  # no limit is reached
    enqueued = []
    monkeypatch.setattr(
        jobs, "enqueue", lambda kind, *, key="", priority=0, delay=None, **payload: enqueued.append((kind, payload))
    )
    site = Site(standin, sam, settings)
    yield lambda sequences: outcome_of(sequences, site, enqueued)
    standin.close()


def try_all(drawn, count, try_out, *, examples=(), at_once=1):
    """Carry out this many drawn sequences, so many until each night, and the examples, each alone."""

    def test(sequences):
        assert try_out(sequences) == []

    for each in examples:
        test = example(sequences=[each])(test)
    if SEED:
        test = seed(int(SEED))(test)
    chosen(
        max_examples=-(-count // at_once),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        database=None,
    )(given(sequences=st.tuples(*[drawn] * at_once))(test))()


def test_any_sequence_ends_in_true_books(try_out):
    try_all(PLAIN, SEQUENCES - WITH_PREMIUM, try_out, examples=FOUND, at_once=SEQUENCES_A_NIGHT)


def test_any_sequence_with_premium_ends_in_true_books(try_out):
    try_all(PREMIUM, WITH_PREMIUM, try_out, examples=FOUND_WITH_PREMIUM)


@pytest.mark.long
def test_any_sequence_with_seats_ends_in_true_books(try_out):
    try_all(SEATS, WITH_SEATS, try_out, at_once=SEQUENCES_A_NIGHT)


class _Undo(Exception):
    """Rolls a sequence back."""
