"""`manage.py check_ledger` compares payouts with what was posted for them."""

from datetime import UTC, date, datetime, timedelta

import pytest

from apps.billing import services
from apps.billing.models import Payout
from apps.billing.queries.ledger_check import problems
from apps.billing.queries.payout_check import payout_problems
from tests.factories.billing import sale

pytestmark = [pytest.mark.database, pytest.mark.django_db]
DAY = date(2026, 11, 1)
NOW = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)


@pytest.fixture
def payout(ada):
    """A payout of $70 in processing."""
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    services.save_bank_account(user=ada, holder="Ada", number="DE89370400440532013000", bank_code="", now=NOW)
    services.schedule_payouts(DAY, now=NOW)
    assert found() == []
    services.run_payouts(DAY, now=NOW)
    return Payout.objects.get()


def found():
    return [text for _, text in payout_problems()]


def test_each_state_agrees_with_its_entries(payout):
    assert found() == []
    services.mark_payout_sent(payout.pk, now=NOW)
    assert found() == []
    services.fail_payout(payout.pk, Payout.Failure.OTHER, now=NOW)  # it came back
    assert found() == []
    assert list(problems()) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"state": "sent"}, "is sent, and its entry is missing: sent"),
        ({"state": "failed"}, "is failed, and its entry is missing: failed"),
        ({"state": "scheduled"}, "is scheduled, and was posted as started"),
        ({"amount": 7001}, "is 7001 usd, and the ledger took 7000 from the instructor"),
        ({"currency": "eur"}, "is 7000 eur, and the ledger took 0 from the instructor"),
    ],
)
def test_a_payout_that_was_changed_is_reported(payout, change, text):
    Payout.objects.update(**change)

    assert found() == [text]
    assert [(each.kind, each.name) for each in problems()] == [("payout", payout.key)]


def test_a_payout_that_is_gone_is_reported(payout):
    Payout.objects.all().delete()

    assert found() == ["was posted, and there is no such payout"]
