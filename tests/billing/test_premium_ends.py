"""Premium that ends while something else happens: paid at that moment, disputed, refunded, kept open by a grant."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.accounts.models import Notification
from apps.billing import gateway
from apps.billing.access import access_to, has_premium
from apps.billing.errors import PromoCodeRefused
from apps.billing.models import Dispute, Grant, Payment, Subscription
from apps.billing.services import disputes, grants, premium_care, receipts, refunds, subscriptions
from apps.billing.services.premium_terms import terms_for
from apps.billing.services.webhooks import handler_of
from studyplatform.kit import jobs
from tests.billing.conftest import DISPUTED, FAILS_LATER, GOOD
from tests.billing.test_premium import Subscriber, calls, is_enrolled, open_course, upgrade
from tests.factories.courses import CourseFactory
from tests.factories.selling import NOW, PaymentFactory, PromoCodeFactory, SubscriptionFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]

Status = Subscription.Status
DAY = timedelta(days=1)


@pytest.fixture
def leo_pays(standin, card_form, leo, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    return Subscriber(standin, card_form, leo)


@pytest.fixture
def premium_course(ada):
    return CourseFactory(instructor=ada, status="published", pricing="premium")


def subscribe(someone, number=GOOD):
    """Pay the first month; the site has not heard of it."""
    started = someone.start(someone.card(), trial=0)
    someone.form.confirm(started.client_secret, number)


def disputed(someone, standin):
    """Pay the first month with a card whose owner contests it; the dispute at the provider."""
    subscribe(someone, DISPUTED)
    standin.clock.advance(days=0.01)
    return calls(standin, "/v1/disputes")[0]


def test_what_was_paid_without_a_report_is_not_lost_by_canceling(leo_pays, leo, settings):
    settings.PREMIUM_TRIAL_DAYS = 7
    leo_pays.start(leo_pays.card(FAILS_LATER))
    leo_pays.wait(days=7, hours=2)
    assert leo_pays.sync().status == Status.PAST_DUE
    card = leo_pays.card(GOOD)
    begun = subscriptions.pay(user=leo, card=str(card.uid), now=leo_pays.now)
    leo_pays.form.confirm(begun.client_secret, method=card.gateway_id)  # nobody tells the site

    row = subscriptions.cancel(user=leo, now=leo_pays.now)

    assert (row.status, row.cancels_at_period_end) == (Status.ACTIVE, True)
    assert has_premium(leo, now=leo_pays.now)


def test_what_is_paid_at_the_moment_of_the_end_is_returned(leo_pays, monkeypatch):
    card = leo_pays.card()
    started = leo_pays.start(card, trial=0)
    end = gateway.end_subscription

    def end_after_payment(name):
        leo_pays.form.confirm(started.client_secret, method=card.gateway_id)
        end(name)

    monkeypatch.setattr(gateway, "end_subscription", end_after_payment)
    subscriptions.end_now(subscription=leo_pays.row, now=leo_pays.now)
    monkeypatch.undo()
    jobs.run_pending("default")

    assert leo_pays.row.status == Status.ENDED
    assert Payment.objects.get().is_refunded


def test_ending_what_was_paid_returns_nothing(leo_pays):
    subscribe(leo_pays)
    leo_pays.sync()

    subscriptions.end_now(subscription=leo_pays.row, now=leo_pays.now)
    jobs.run_pending("default")

    assert Payment.objects.get().refunded == 0


def test_a_dispute_that_is_reported_before_its_payment_is_written_down(leo_pays, standin):
    dispute = disputed(leo_pays, standin)

    handler_of("charge.dispute.created")(dispute, leo_pays.now)

    assert Dispute.objects.get().payment == Payment.objects.get()
    assert leo_pays.row.status == Status.ACTIVE


def test_a_refund_that_is_reported_before_its_payment_is_written_down(leo_pays, standin):
    subscribe(leo_pays)
    intent = calls(standin, "/v1/payment_intents")[0]["id"]
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    made = standin.call("POST", "/v1/refunds", {"payment_intent": intent, "amount": 400}, secret).body

    handler_of("refund.created")(made, leo_pays.now)

    assert Payment.objects.get().refunded == 400


def test_a_lost_dispute_ends_premium(leo_pays, leo, standin, premium_course):
    dispute = disputed(leo_pays, standin)["id"]
    leo_pays.sync()
    open_course(leo_pays, premium_course)
    disputes.sync_dispute(dispute=dispute, now=leo_pays.now)
    jobs.run_pending("default")
    assert is_enrolled(leo, premium_course)

    evidence = {"evidence": {"uncategorized_text": "losing_evidence"}, "submit": "true"}
    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    standin.call("POST", f"/v1/disputes/{dispute}", evidence, secret)
    standin.clock.advance(days=0.01)
    disputes.sync_dispute(dispute=dispute, now=leo_pays.now)
    jobs.run_pending("default")

    assert leo_pays.row.status == Status.ENDED
    assert not is_enrolled(leo, premium_course)
    assert calls(standin, "/v1/subscriptions") == []


def test_premium_ends_when_all_of_its_period_is_refunded(leo_pays, leo, sam):
    subscribe(leo_pays)
    leo_pays.sync()
    payment = Payment.objects.get()
    for amount, status in ((400, Status.ACTIVE), (1000, Status.ENDED)):
        refunds.refund_by_admin(admin=sam, payment=payment, amount=amount, reason="Fair", now=leo_pays.now)
        jobs.run_pending("default")
        assert leo_pays.row.status == status


def test_a_refund_of_an_earlier_period_ends_nothing(leo_pays, sam):
    subscribe(leo_pays)
    leo_pays.wait(days=32)
    leo_pays.sync()

    first = Payment.objects.order_by("paid_at")[0]
    refunds.refund_by_admin(admin=sam, payment=first, amount=1400, reason="Fair", now=leo_pays.now)
    premium_care.end_returned(subscription_id=leo_pays.row.pk, now=leo_pays.now)

    assert leo_pays.row.status == Status.ACTIVE


@pytest.mark.parametrize("how", ["refund", "dispute"])
def test_a_year_after_an_upgrade_ends_with_its_own_money(leo_pays, leo, sam, standin, how):
    """The month before is credited to the year: its payment keeps nothing open, and its refund ends nothing."""
    subscribe(leo_pays)
    leo_pays.sync()
    leo_pays.wait(days=5)
    upgrade(leo_pays)
    month, year = Payment.objects.order_by("pk")
    if how == "refund":
        refunds.refund_by_admin(admin=sam, payment=month, amount=month.amount, reason="Fair", now=leo_pays.now)
        jobs.run_pending("default")
        assert leo_pays.row.status == Status.ACTIVE
        refunds.refund_by_admin(admin=sam, payment=year, amount=year.amount, reason="Fair", now=leo_pays.now)
    else:
        dispute = standin.dispute(year.gateway_id)["id"]
        standin.decide_dispute(dispute, won=False)
        disputes.sync_dispute(dispute=dispute, now=leo_pays.now)
    jobs.run_pending("default")

    assert leo_pays.row.status == Status.ENDED
    assert not has_premium(leo, now=leo_pays.now)


@pytest.mark.parametrize(("which", "access"), [(0, ""), (1, "Premium has ended with it.")])
def test_who_loses_a_dispute_is_told_what_it_really_ended(leo, which, access):
    row = SubscriptionFactory(user=leo, period_start=NOW, period_end=NOW + 365 * DAY)
    for start, days in ((NOW - 5 * DAY, 30), (NOW, 365)):
        PaymentFactory(
            kind="premium", course=None, instructor=None, title="Premium", list_price=1400, user=leo, subscription=row,
            amount=1400, charged_back=1400, period_start=start, period_end=start + days * DAY,
        )  # fmt: skip
    payment = Payment.objects.order_by("pk")[which]
    dispute = Dispute.objects.create(
        payment=payment, gateway_id="du_1", amount=1400, lost=1400, status="lost", opened_at=NOW, closed_at=NOW + DAY
    )
    receipts.tell_of_lost_dispute(dispute=dispute)

    assert Notification.objects.get(user=leo, kind="billing.dispute_lost").params["access"] == access


def test_what_was_paid_before_something_was_due_is_not_returned_at_the_end(leo_pays):
    """The provider also says "past due" of an invoice within a period that is paid."""
    subscribe(leo_pays)
    row = leo_pays.sync()
    leo_pays.wait(days=5)
    row.status, row.past_due_since = Status.PAST_DUE, leo_pays.now

    subscriptions.end_now(subscription=row, now=leo_pays.now)
    jobs.run_pending("default")

    assert Payment.objects.get().refunded == 0


def test_a_course_that_premium_keeps_open_closes_with_it(leo_pays, leo, sam, premium_course):
    grants.grant_by_staff(user=leo, course=premium_course, granted_by=sam, reason="Prize", now=leo_pays.now)
    subscribe(leo_pays)
    leo_pays.sync()
    grants.withdraw_grant(admin=sam, grant=Grant.objects.get(), now=leo_pays.now)
    assert is_enrolled(leo, premium_course)

    subscriptions.end_now(subscription=leo_pays.row, now=leo_pays.now)

    assert access_to(leo, premium_course) is None
    assert not is_enrolled(leo, premium_course)


# --- Promo codes ----------------------------------------------------------------------------------


def test_the_code_of_an_unpaid_subscription_can_be_entered_again(leo_pays, leo):
    PromoCodeFactory(code="SPRING", scope="premium", percent=25, limit=1)
    leo_pays.start(leo_pays.card(), total=1050, trial=0, code="SPRING")

    assert terms_for(user=leo, plan="monthly", code="SPRING", country="", now=leo_pays.now).price.total == 1050


def test_an_amount_in_another_currency_is_refused(leo, settings):
    PromoCodeFactory(code="OLD", scope="premium", amount=500, currency="usd")
    settings.CURRENCY = "eur"

    with pytest.raises(PromoCodeRefused, match="another currency"):
        terms_for(user=leo, plan="monthly", code="OLD", country="", now=datetime.now(UTC))


def test_a_percentage_is_charged_as_it_was_shown(leo_pays, leo, settings):
    settings.PREMIUM_MONTHLY = 1499
    PromoCodeFactory(code="SPRING", scope="premium", percent=15)
    shown = terms_for(user=leo, plan="monthly", code="SPRING", country="", now=leo_pays.now).price.total
    card = leo_pays.card()

    started = leo_pays.start(card, total=shown, trial=0, code="SPRING")
    leo_pays.form.confirm(started.client_secret, method=card.gateway_id)
    leo_pays.sync()

    assert Payment.objects.get().amount == shown == 1274
