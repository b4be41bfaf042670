"""What money keeps a user from deleting their account."""

from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from apps.accounts import services as accounts
from apps.billing import services
from apps.billing.errors import EarningsUnpaid, StillSubscribed
from apps.billing.models import Payout
from tests.factories.accounts import PASSWORD
from tests.factories.billing import sale
from tests.factories.selling import SubscriptionFactory

pytestmark = pytest.mark.django_db
AT = datetime(2026, 9, 1, tzinfo=UTC)
RUN = datetime(2026, 10, 1, 1, tzinfo=UTC)


def delete(user):
    accounts.delete_account(user=user, password=PASSWORD, browser="", now=timezone.now())
    user.refresh_from_db()
    return user.deleted_at is not None


def test_an_instructor_leaves_once_all_earnings_were_received(browser_of, ada):
    services.save_bank_account(user=ada, holder="Ada", number="DE89370400440532013000", bank_code="", now=AT)
    sale(ada.pk, 10_000, at=AT, payment_key="pi_1")
    with pytest.raises(EarningsUnpaid, match=r"\$70"):
        delete(ada)
    page = browser_of(ada).get("/settings/privacy/delete").content.decode()
    assert "of your earnings hasn&#39;t been paid out yet" in page

    services.run_payouts(date(2026, 10, 1), now=RUN)
    assert Payout.objects.get().state == "processing"
    with pytest.raises(EarningsUnpaid, match=r"\$70"):
        delete(ada)

    services.mark_payout_sent(Payout.objects.get().pk, now=RUN)
    assert delete(ada)


def test_a_balance_below_zero_keeps_nobody(ada):
    sale(ada.pk, 10_000, at=AT, payment_key="pi_1")
    sale(99, 10_000, at=AT)
    services.post_refund("re_1", "pi_1", 10_000, occurred_at=AT)

    assert delete(ada)


def test_a_subscriber_cancels_before_leaving(mia):
    row = SubscriptionFactory(user=mia, gateway_id=None)
    with pytest.raises(StillSubscribed):
        delete(mia)

    row.cancels_at_period_end = True
    row.save()
    assert accounts.deletion_hindrance(mia) is None
