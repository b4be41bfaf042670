"""Premium from its trial to its end, against the stand-in: charged once, and open exactly while it is paid."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from threading import Thread
from unittest.mock import Mock

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.billing import gateway
from apps.billing.access import has_lost_premium, has_premium
from apps.billing.errors import (
    AlreadySubscribed,
    CardDeclined,
    CardExpired,
    NothingDue,
    NotSubscribed,
    PlanChangeInProgress,
    PlanNotOffered,
    PriceChanged,
    PromoCodeRefused,
    SubscriptionExpired,
    TermsNotAccepted,
)
from apps.billing.models import Document, Grant, LedgerLine, Payment, Redemption, Subscription
from apps.billing.services import customers, grants, plan_changes, premium, subscriptions
from apps.billing.services.webhooks import handler_of
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.models import Job
from tests.billing.conftest import FAILS_LATER, GOOD
from tests.billing.subscribers import Subscriber
from tests.factories.courses import CourseFactory
from tests.factories.selling import GrantFactory, PromoCodeFactory, SubscriptionFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]

DAY = timedelta(days=1)
Status = Subscription.Status


@pytest.fixture
def leo_pays(standin, card_form, leo):
    return Subscriber(standin, card_form, leo)


@pytest.fixture
def premium_course(ada):
    return CourseFactory(instructor=ada, status="published", pricing="premium")


def open_course(someone, course):
    grants.grant_premium(user=someone.user, course=course, now=someone.now)


def is_enrolled(user, course):
    return Enrollment.objects.active().of(user.pk).filter(course=course).exists()


def calls(standin, path):
    found = standin.call("GET", path, {"limit": 100}, {"Authorization": f"Bearer {standin.secret_key}"})
    return found.body["data"]


def balance(account):
    return sum(LedgerLine.objects.filter(account__code=account).values_list("amount", flat=True))


def assert_books_equal_the_provider(standin):
    """What the ledger says the provider holds is what the provider charged, without its fees."""
    taken = [each for each in calls(standin, "/v1/charges") if each["paid"]]
    assert sum(Payment.objects.values_list("amount", flat=True)) == sum(each["amount"] for each in taken)
    fees = sum(Payment.objects.values_list("fee", flat=True))
    assert balance("provider") == sum(each["amount"] for each in taken) - fees
    assert balance("premium") == -sum(each["amount"] for each in taken)


# --- Start ----------------------------------------------------------------------------------------


def test_a_discount_of_the_dashboard_is_not_named_by_the_code_of_the_first_payment(leo_pays, standin, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    PromoCodeFactory(code="SPRING", scope="premium", percent=25)
    leo_pays.form.confirm(leo_pays.start(leo_pays.card(), total=1050, trial=0, code="SPRING").client_secret)
    leo_pays.sync()
    headers = {"Authorization": f"Bearer {standin.secret_key}"}
    coupon = standin.call("POST", "/v1/coupons", {"percent_off": 25, "duration": "once"}, headers).body["id"]
    standin.call("POST", f"/v1/subscriptions/{leo_pays.row.gateway_id}", {"discounts": [{"coupon": coupon}]}, headers)
    leo_pays.wait(days=33)
    leo_pays.sync()

    paid = Payment.objects.order_by("pk").values_list("amount", "discount", "promo_code")
    assert list(paid) == [(1050, 350, "SPRING"), (1050, 350, "")]


def test_a_trial_opens_premium_and_charges_nothing(leo_pays, leo):
    started = leo_pays.start(leo_pays.card())

    assert started.subscription.status == Status.TRIALING
    assert started.client_secret == ""
    assert has_premium(leo)
    assert started.subscription.trial_end == started.subscription.period_end
    assert not Payment.objects.exists()


def test_the_trial_becomes_a_paid_subscription_and_renews(leo_pays, standin, leo):
    leo_pays.start(leo_pays.card())

    leo_pays.wait(days=7, hours=2)
    assert leo_pays.sync().status == Status.ACTIVE
    leo_pays.wait(days=31)
    row = leo_pays.sync()

    assert row.status == Status.ACTIVE
    amounts = [(each.amount, each.kind, each.subscription_id) for each in Payment.objects.order_by("pk")]
    assert amounts == [(1400, "premium", row.pk)] * 2
    assert has_premium(leo, now=leo_pays.now)
    assert_books_equal_the_provider(standin)


def test_without_a_trial_the_first_payment_is_confirmed_in_the_browser(leo_pays, standin, settings, leo):
    settings.PREMIUM_TRIAL_DAYS = 0
    card = leo_pays.card()
    started = leo_pays.start(card, trial=0)
    assert started.subscription.status == Status.INCOMPLETE
    assert not has_premium(leo)

    leo_pays.form.confirm(started.client_secret, method=card.gateway_id)

    assert leo_pays.sync().status == Status.ACTIVE
    assert_books_equal_the_provider(standin)


def test_a_double_click_and_two_tabs_make_one_subscription(leo_pays, standin, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    card = leo_pays.card()

    first, second = leo_pays.start(card, trial=0), leo_pays.start(card, trial=0)

    assert first.subscription == second.subscription
    assert first.client_secret == second.client_secret != ""
    assert len(calls(standin, "/v1/subscriptions")) == 1


def test_nobody_has_two_live_subscriptions(leo):
    SubscriptionFactory(user=leo, status=Status.TRIALING)

    with pytest.raises(IntegrityError), transaction.atomic():
        SubscriptionFactory(user=leo, status=Status.INCOMPLETE)


def test_a_subscriber_cannot_subscribe_again(leo_pays, standin):
    card = leo_pays.card()
    leo_pays.start(card)

    with pytest.raises(AlreadySubscribed):
        leo_pays.start(card, plan="yearly", total=14000)

    assert len(calls(standin, "/v1/subscriptions")) == 1


def test_an_unpaid_subscription_is_replaced_by_one_on_other_terms(leo_pays, standin, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    card = leo_pays.card()
    leo_pays.start(card, trial=0)

    leo_pays.start(card, plan="yearly", total=14000, trial=0)

    assert [each.status for each in Subscription.objects.order_by("pk")] == [Status.ENDED, Status.INCOMPLETE]
    assert len([each for each in calls(standin, "/v1/invoices") if each["status"] == "open"]) == 1


def test_a_declined_first_payment_is_paid_with_another_card(leo_pays, standin, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    bad = leo_pays.card(FAILS_LATER)
    started = leo_pays.start(bad, trial=0)
    assert leo_pays.form.confirm(started.client_secret, method=bad.gateway_id)["error"]["type"] == "card_error"
    assert leo_pays.sync().status == Status.INCOMPLETE

    good = leo_pays.card(GOOD)
    again = leo_pays.start(good, trial=0)
    leo_pays.form.confirm(again.client_secret, method=good.gateway_id)

    assert leo_pays.sync().status == Status.ACTIVE
    assert again.subscription.pk == started.subscription.pk
    assert_books_equal_the_provider(standin)


def test_a_crash_after_the_provider_made_the_subscription_makes_no_second_one(leo_pays, standin):
    card = leo_pays.card()
    leo_pays.start(card)
    Subscription.objects.update(gateway_id=None, status=Status.INCOMPLETE, started_at=None)  # as if it died there

    again = leo_pays.start(card)

    assert again.subscription.status == Status.TRIALING
    assert len(calls(standin, "/v1/subscriptions")) == 1


def test_the_job_finds_a_subscription_whose_id_was_lost(leo_pays, leo):
    leo_pays.start(leo_pays.card())
    Subscription.objects.update(gateway_id=None, status=Status.INCOMPLETE, started_at=None)

    assert leo_pays.follow() is not None

    assert leo_pays.row.status == Status.TRIALING
    assert has_premium(leo)


def test_an_unpaid_subscription_is_given_up_after_an_hour(leo_pays, standin, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    leo_pays.start(leo_pays.card(), trial=0)

    leo_pays.wait(hours=2)

    assert leo_pays.follow() is None
    assert leo_pays.row.status == Status.ENDED
    assert calls(standin, "/v1/subscriptions") == []


def test_there_is_one_trial_per_user(leo_pays):
    card = leo_pays.card()
    leo_pays.start(card)
    subscriptions.end_now(subscription=leo_pays.row, now=leo_pays.now)

    with pytest.raises(PriceChanged):
        leo_pays.start(card)
    assert leo_pays.start(card, trial=0).subscription.status == Status.INCOMPLETE


@pytest.mark.parametrize(
    ("wanted", "refusal"),
    [
        ({"total": 1}, PriceChanged),
        ({"currency": "eur"}, PriceChanged),
        ({"trial": 365}, PriceChanged),
        ({"agrees": False}, TermsNotAccepted),
        ({"plan": "forever"}, NotFound),
        ({"code": "NONE"}, PromoCodeRefused),
    ],
)
def test_tampered_terms_are_refused(leo_pays, standin, wanted, refusal):
    card = leo_pays.card()

    with pytest.raises(refusal):
        leo_pays.start(card, **wanted)

    assert not Subscription.objects.exists()
    assert calls(standin, "/v1/subscriptions") == []


def test_nobody_pays_with_the_card_of_someone_else(leo_pays, standin, card_form, mia):
    theirs = Subscriber(standin, card_form, mia).card()

    with pytest.raises(CardExpired):
        leo_pays.start(theirs)


def test_a_changed_price_leaves_subscribers_on_theirs(leo_pays, standin, settings, card_form, mia):
    leo_pays.start(leo_pays.card())
    settings.PREMIUM_MONTHLY = 1900
    other = Subscriber(standin, card_form, mia)
    other.start(other.card(), total=1900)

    leo_pays.wait(days=7, hours=2)

    assert (leo_pays.sync().price, other.sync().price) == (1400, 1900)
    assert sorted(Payment.objects.values_list("amount", flat=True)) == [1400, 1900]


# --- Promo codes ----------------------------------------------------------------------------------


def test_a_code_makes_the_first_payment_cheaper(leo_pays, standin, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    PromoCodeFactory(code="SPRING", scope="premium", percent=25)
    card = leo_pays.card()

    started = leo_pays.start(card, total=1050, trial=0, code="spring")
    leo_pays.form.confirm(started.client_secret, method=card.gateway_id)
    leo_pays.sync()
    leo_pays.wait(days=31)
    leo_pays.sync()

    paid = Payment.objects.order_by("pk").values_list("amount", "discount", "promo_code")
    assert list(paid) == [(1050, 350, "SPRING"), (1400, 0, "")]
    assert Redemption.objects.get().state == Redemption.State.USED


@pytest.mark.parametrize("is_lost", [False, True], ids=["at once", "after a crash"])
def test_a_code_makes_the_first_payment_after_the_trial_cheaper(leo_pays, standin, monkeypatch, is_lost):
    PromoCodeFactory(code="SPRING", scope="premium", percent=25)
    card = leo_pays.card()
    if is_lost:
        with monkeypatch.context() as broken:
            broken.setattr(gateway, "discount_first_payment", Mock(side_effect=ConnectionError))
            with pytest.raises(ConnectionError):
                leo_pays.start(card, total=1050, code="SPRING")
        leo_pays.follow()
    else:
        leo_pays.start(card, total=1050, code="SPRING")
    leo_pays.follow()

    for _month in range(2):
        leo_pays.wait(days=31)
        leo_pays.sync()

    paid = Payment.objects.order_by("pk").values_list("amount", "discount", "promo_code")
    assert list(paid) == [(1050, 350, "SPRING"), (1400, 0, "")]
    assert Redemption.objects.get().state == Redemption.State.USED
    assert_books_equal_the_provider(standin)


def test_a_code_is_given_back_when_the_payment_is_given_up(leo_pays, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    PromoCodeFactory(code="SPRING", scope="premium", percent=25, limit=1)
    leo_pays.start(leo_pays.card(), total=1050, trial=0, code="SPRING")

    leo_pays.wait(hours=2)
    leo_pays.follow()

    assert Redemption.objects.get().state == Redemption.State.RELEASED


# --- Cancel, resume, change -----------------------------------------------------------------------


def test_a_canceled_subscription_stays_open_until_its_period_ends(leo_pays, leo, premium_course):
    leo_pays.start(leo_pays.card())
    open_course(leo_pays, premium_course)

    row = subscriptions.cancel(user=leo, now=leo_pays.now)
    assert row.cancels_at_period_end
    assert has_premium(leo)
    leo_pays.wait(days=7, hours=2)
    leo_pays.sync()

    assert leo_pays.row.status == Status.ENDED
    assert not has_premium(leo, now=leo_pays.now)
    assert not is_enrolled(leo, premium_course)
    assert has_lost_premium(leo, premium_course)
    assert not Payment.objects.exists()


def test_a_cancellation_is_taken_back(leo_pays, leo):
    leo_pays.start(leo_pays.card())
    subscriptions.cancel(user=leo, now=leo_pays.now)

    row = subscriptions.resume(user=leo, now=leo_pays.now)

    assert not row.cancels_at_period_end
    leo_pays.wait(days=7, hours=2)
    assert leo_pays.sync().status == Status.ACTIVE


def test_who_has_no_subscription_can_change_nothing(leo):
    now = datetime.now(UTC)
    for act in (subscriptions.cancel, subscriptions.resume):
        with pytest.raises(NotSubscribed):
            act(user=leo, now=now)
    with pytest.raises(NotSubscribed):
        plan_changes.preview_change(user=leo, plan="yearly", now=now)


def upgrade(someone, *, amount=None):
    moment = someone.now
    preview = plan_changes.preview_change(user=someone.user, plan="yearly", now=moment)
    return preview, plan_changes.change_plan(
        user=someone.user,
        plan="yearly",
        moment=moment,
        expected_amount=preview.amount_due if amount is None else amount,
        expected_currency="usd",
        now=someone.now,
    )


def test_an_upgrade_costs_what_the_preview_showed(leo_pays, standin):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=7, hours=2)
    leo_pays.sync()
    leo_pays.wait(days=15)

    preview, row = upgrade(leo_pays)

    assert row.plan == "yearly"
    assert 0 < preview.credit < 1400
    assert preview.amount_due == 14000 - preview.credit
    payment = Payment.objects.order_by("pk").last()
    assert (payment.amount, payment.list_price, payment.credit) == (preview.amount_due, 14000, preview.credit)
    (item,) = Document.objects.get(payment=payment).snapshot["facts"]["items"]
    assert (item["list_price"], item["credit"], item["total"]) == (14000, preview.credit, preview.amount_due)
    assert_books_equal_the_provider(standin)


def test_a_payment_that_was_reported_after_a_change_of_the_plan_is_named_by_its_own(leo_pays):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=7, hours=2)
    leo_pays.sync()
    leo_pays.wait(days=33)  # it renews, and no event arrives

    upgrade(leo_pays)

    paid = Payment.objects.order_by("paid_at")
    assert [each.title for each in paid] == ["Premium, monthly", "Premium, monthly", "Premium, yearly"]
    days = [(end - start).days if start and end else 0 for start, end in paid.values_list("period_start", "period_end")]
    assert [each > 300 for each in days] == [False, False, True]
    titles = [each.snapshot["facts"]["items"][0]["title"] for each in Document.objects.order_by("payment__paid_at")]
    assert titles == [each.title for each in paid]


@pytest.mark.django_db(transaction=True)
def test_two_changes_of_a_plan_at_once_are_charged_once(leo_pays, standin, monkeypatch):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=7, hours=2)
    leo_pays.sync()
    leo_pays.wait(days=15)
    moment, outcomes, changes = leo_pays.now, [], []
    amount = plan_changes.preview_change(user=leo_pays.user, plan="yearly", now=moment).amount_due
    ask, change = gateway.get_subscription, gateway.change_price

    def change_plan(moment):
        return plan_changes.change_plan(
            user=leo_pays.user,
            plan="yearly",
            moment=moment,
            expected_amount=amount,
            expected_currency="usd",
            now=leo_pays.now,
        )

    def other_request():
        try:
            outcomes.append(change_plan(moment - timedelta(seconds=1)))
        except AppError as refusal:
            outcomes.append(refusal)
        finally:
            connection.close()

    def ask_while_another_request_arrives(subscription):
        monkeypatch.setattr(gateway, "get_subscription", ask)
        other = Thread(target=other_request)
        other.start()
        other.join()
        return ask(subscription)

    def count(**what):
        changes.append(what["key"])
        change(**what)

    monkeypatch.setattr(gateway, "get_subscription", ask_while_another_request_arrives)
    monkeypatch.setattr(gateway, "change_price", count)

    row = change_plan(moment)

    assert row.plan == "yearly"
    assert [type(one) for one in outcomes] == [PlanChangeInProgress]
    assert len(changes) == 1
    leo_pays.row.refresh_from_db()
    assert leo_pays.row.plan_change_until is None
    assert_books_equal_the_provider(standin)


def test_an_upgrade_for_another_amount_is_refused(leo_pays):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=8)
    leo_pays.sync()

    with pytest.raises(PriceChanged):
        upgrade(leo_pays, amount=1)

    assert leo_pays.sync().plan == "monthly"


def test_an_old_preview_is_refused(leo_pays, leo):
    leo_pays.start(leo_pays.card())
    with pytest.raises(PriceChanged):
        plan_changes.change_plan(
            user=leo,
            plan="yearly",
            moment=leo_pays.now - DAY,
            expected_amount=0,
            expected_currency="usd",
            now=leo_pays.now,
        )


def test_a_declined_upgrade_changes_nothing(leo_pays, standin, leo):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=8)
    leo_pays.sync()
    customers.make_default(user=leo, card=leo_pays.card(FAILS_LATER))

    with pytest.raises(CardDeclined):
        upgrade(leo_pays)

    assert leo_pays.sync().plan == "monthly"
    assert_books_equal_the_provider(standin)


def test_the_plan_changes_for_nothing_during_the_trial(leo_pays):
    leo_pays.start(leo_pays.card())

    preview, row = upgrade(leo_pays)

    assert (preview.amount_due, row.plan, row.status) == (0, "yearly", Status.TRIALING)
    leo_pays.wait(days=7, hours=2)
    leo_pays.sync()
    assert Payment.objects.get().amount == 14000


def test_a_paid_year_does_not_become_a_month(leo_pays, leo):
    leo_pays.start(leo_pays.card(), plan="yearly", total=14000)
    leo_pays.wait(days=8)
    leo_pays.sync()

    with pytest.raises(PlanNotOffered):
        plan_changes.preview_change(user=leo, plan="monthly", now=leo_pays.now)


# --- Failed renewals ------------------------------------------------------------------------------


@pytest.fixture
def past_due(leo_pays, premium_course):
    """Leo after a trial, whose card failed at the first payment."""
    leo_pays.start(leo_pays.card(FAILS_LATER))
    open_course(leo_pays, premium_course)
    leo_pays.wait(days=7, hours=2)
    leo_pays.follow()
    assert leo_pays.row.status == Status.PAST_DUE
    return leo_pays


def test_premium_stays_open_for_a_week_after_a_failed_payment(past_due, leo, premium_course):
    row = past_due.row

    assert row.grace_until - row.past_due_since == 7 * DAY
    assert has_premium(leo, now=row.grace_until - timedelta(minutes=1))
    assert is_enrolled(leo, premium_course)
    assert past_due.told("billing.renewal_failed") == 1


def test_the_owner_of_a_failed_payment_is_told_on_day_0_3_and_6_once_each(past_due):
    counts = []
    for _day in range(6):
        past_due.follow()
        past_due.follow()
        counts.append(past_due.told("billing.renewal_failed"))
        past_due.wait(days=1)
    past_due.follow()

    assert [*counts, past_due.told("billing.renewal_failed")] == [1, 1, 1, 2, 2, 2, 3]


def test_a_failed_payment_recovers_with_another_card(past_due, standin, leo, premium_course):
    past_due.wait(days=3)

    row = past_due.pay(past_due.card(GOOD))

    assert row.status == Status.ACTIVE
    assert row.grace_until is None
    assert is_enrolled(leo, premium_course)
    assert_books_equal_the_provider(standin)


def test_premium_ends_after_the_grace_period_even_if_no_webhook_comes(past_due, standin, leo, premium_course):
    past_due.wait(days=7)

    assert past_due.follow() is None

    assert past_due.row.status == Status.ENDED
    assert not is_enrolled(leo, premium_course)
    jobs.run_pending("default")
    assert past_due.told("billing.premium_ended") == 1
    assert [each["status"] for each in calls(standin, "/v1/invoices") if each["amount_due"]] == ["void"]


def test_renewing_opens_exactly_the_courses_that_closed(past_due, leo, premium_course, ada):
    other = CourseFactory(instructor=ada, status="published", pricing="premium")
    replaced = {"ended_at": past_due.now, "end_reason": Grant.End.REPLACED}
    GrantFactory(user=leo, course=other, source=Grant.Source.PREMIUM, **replaced)
    Enrollment.objects.filter(course=premium_course).update(percent=40)
    past_due.wait(days=7)
    past_due.follow()

    card = past_due.card(GOOD)
    started = past_due.start(card, trial=0)
    past_due.form.confirm(started.client_secret, method=card.gateway_id)
    past_due.sync()

    assert Enrollment.objects.active().get(course=premium_course).percent == 40
    assert not is_enrolled(leo, other)
    assert not has_lost_premium(leo, other)


def test_what_a_user_bought_stays_open_when_premium_ends(sam, leo_pays, leo, premium_course):
    leo_pays.start(leo_pays.card())
    open_course(leo_pays, premium_course)
    grants.grant_by_staff(user=leo, course=premium_course, granted_by=sam, reason="Prize", now=leo_pays.now)

    subscriptions.end_now(subscription=leo_pays.row, now=leo_pays.now)

    assert is_enrolled(leo, premium_course)


def test_nothing_is_due_for_a_paid_subscription(leo_pays, leo):
    card = leo_pays.card()
    leo_pays.start(card)

    with pytest.raises(NothingDue):
        subscriptions.pay(user=leo, card=str(card.uid), now=leo_pays.now)


def test_looking_after_a_subscription_is_no_warning_unless_the_provider_is_away(leo_pays, settings, caplog):
    leo_pays.start(leo_pays.card())
    jobs.enqueue("billing.follow_subscription", subscription_id=leo_pays.row.pk)
    jobs.run_pending("default")
    assert not [record for record in caplog.records if "waits for" in record.getMessage()]  # INFO is shown

    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    Job.objects.filter(kind="billing.follow_subscription").update(run_at=timezone.now())
    jobs.run_pending("default")
    assert [record for record in caplog.records if "waits for" in record.getMessage()]


def test_the_owner_is_told_of_the_end_of_the_trial_three_days_before(leo_pays):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=3)
    leo_pays.follow()
    assert leo_pays.told("billing.trial_ends") == 0

    leo_pays.wait(days=1, hours=1)
    leo_pays.follow()
    leo_pays.follow()

    assert leo_pays.told("billing.trial_ends") == 1


def test_without_premium_no_course_opens(leo, premium_course):
    with pytest.raises(SubscriptionExpired):
        grants.grant_premium(user=leo, course=premium_course, now=datetime.now(UTC))


# --- Webhooks -------------------------------------------------------------------------------------


def state_of(user):
    row = Subscription.objects.get(user=user)
    names = ("status", "plan", "price", "period_end", "grace_until", "past_due_since", "started_at")
    payments = Payment.objects.filter(user=user).order_by("paid_at").values_list("amount", "invoice_id")
    return [getattr(row, name) for name in names], list(payments), balance("provider"), balance("premium")


def test_webhooks_alone_keep_a_subscription_up_to_date(leo_pays, webhooks, standin):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=7, hours=2)

    webhooks()

    assert leo_pays.row.status == Status.ACTIVE
    assert_books_equal_the_provider(standin)


def test_any_order_and_repetition_of_events_ends_in_the_same_state(leo_pays, leo, standin):
    leo_pays.start(leo_pays.card())
    leo_pays.wait(days=7, hours=2)
    kinds = ("customer.subscription.", "invoice.")
    events = [each for each in calls(standin, "/v1/events") if each["type"].startswith(kinds)][:4]
    wanted = None
    for order in permutations(events):
        sid = transaction.savepoint()
        for event in (*order, order[0]):
            handler_of(event["type"])(event["data"]["object"], leo_pays.now)
        found = state_of(leo)
        wanted = wanted or found
        assert found == wanted
        transaction.savepoint_rollback(sid)
    assert wanted[0][0] == Status.ACTIVE


def test_a_stale_answer_of_the_provider_is_not_written(leo_pays, leo, monkeypatch):
    leo_pays.start(leo_pays.card())
    ask, asked = gateway.get_subscription, []

    def slow(name):
        state = ask(name)
        if not asked:  # while this answer travels, the user cancels
            asked.append(name)
            subscriptions.cancel(user=leo, now=leo_pays.now)
        return state

    monkeypatch.setattr(gateway, "get_subscription", slow)

    assert leo_pays.sync().cancels_at_period_end


def test_a_subscription_that_ended_here_is_ended_at_the_provider(leo_pays, standin):
    leo_pays.start(leo_pays.card())
    premium.end_here(subscription=leo_pays.row, now=leo_pays.now)

    leo_pays.sync()

    assert calls(standin, "/v1/subscriptions") == []


def test_deleting_an_account_ends_its_subscription(leo_pays, leo, premium_course):
    leo_pays.start(leo_pays.card())
    open_course(leo_pays, premium_course)

    subscriptions.end_for_deleted_user(user_id=leo.pk, now=leo_pays.now)

    assert leo_pays.row.status == Status.ENDED
    assert not is_enrolled(leo, premium_course)
