"""What became of subscriptions while nobody told the site is found and repaired."""

import pytest
from django.db import connection

from apps.billing import gateway
from apps.billing.access import has_premium
from apps.billing.models import LedgerEntry, Payment, Subscription
from apps.billing.services import subscription_reconciliation as reconciliation
from apps.billing.services import subscriptions
from tests.billing.books import unguarded
from tests.billing.test_premium import DAY, Subscriber
from tests.factories.selling import SubscriptionFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]
Status = Subscription.Status


@pytest.fixture
def leo_pays(standin, card_form, leo):
    someone = Subscriber(standin, card_form, leo)
    someone.start(someone.card())
    return someone


def differing(someone):
    now = someone.now
    return list(reconciliation.differences(since=now - 40 * DAY, now=now))


def assert_is_repaired(someone, text):
    """One difference is found, its repair works, and then nothing differs."""
    [found] = differing(someone)
    assert text in found.text
    found.repair()
    assert differing(someone) == []


def test_nothing_differs_after_a_sync(leo_pays):
    assert differing(leo_pays) == []


def test_a_new_subscription_whose_id_was_lost_is_adopted(leo_pays, leo):
    Subscription.objects.update(gateway_id=None, status=Status.INCOMPLETE, started_at=None)

    assert_is_repaired(leo_pays, "unknown here, trialing at the provider")
    assert has_premium(leo)


def test_a_renewal_that_nobody_reported_is_written_with_its_payment(leo_pays):
    leo_pays.wait(days=7, hours=2)
    assert_is_repaired(leo_pays, "is trial here, active at the provider")
    assert Payment.objects.count() == 1

    leo_pays.wait(days=31)
    assert_is_repaired(leo_pays, "period: ")
    assert Payment.objects.count() == 2


def test_a_cancellation_and_an_end_that_nobody_reported_are_written(leo_pays, leo):
    gateway.set_cancel_at_period_end(leo_pays.row.gateway_id, cancels=True)
    assert_is_repaired(leo_pays, "cancellation: False here, True at the provider")

    leo_pays.wait(days=8)
    assert_is_repaired(leo_pays, "is trial here, canceled at the provider")
    assert leo_pays.row.status == Status.ENDED
    assert not has_premium(leo)


def test_a_payment_that_is_missing_is_written_once(leo_pays):
    leo_pays.wait(days=7, hours=2)
    leo_pays.sync()
    before = LedgerEntry.objects.count()
    with unguarded(), connection.cursor() as cursor:  # as if the process had died before they were written
        cursor.execute("DELETE FROM billing_document")
    Payment.objects.all().delete()

    assert_is_repaired(leo_pays, "a payment is missing")
    assert Payment.objects.count() == 1
    assert LedgerEntry.objects.count() == before


def test_a_subscription_that_has_ended_here_is_ended_at_the_provider(leo_pays):
    Subscription.objects.update(status=Status.ENDED, ended_at=leo_pays.now)

    assert_is_repaired(leo_pays, "has ended here, trialing at the provider")
    assert gateway.get_subscription(leo_pays.row.gateway_id).status == "canceled"


def test_one_that_the_provider_does_not_know_is_left_to_a_human(leo_pays, mia):
    SubscriptionFactory(user=mia, gateway_id="sub_gone")

    [found] = differing(leo_pays)
    assert (found.name, found.repair) == ("sub_gone", None)


def test_one_that_was_never_begun_is_given_up(leo_pays, mia):
    late = SubscriptionFactory(
        user=mia, gateway_id=None, status=Status.INCOMPLETE, started_at=None, created_at=leo_pays.now - DAY
    )

    [found] = reconciliation.unfinished(now=leo_pays.now)
    found.repair()

    late.refresh_from_db()
    assert late.status == Status.ENDED
    assert list(reconciliation.unfinished(now=leo_pays.now)) == []
    assert subscriptions.live_subscription(mia) is None
