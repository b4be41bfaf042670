"""Payouts to connected accounts, against the stand-in."""

from datetime import UTC, date, datetime, timedelta

import pytest

from apps.billing import services
from apps.billing.gateway import ProviderTransfers
from apps.billing.gateway.client import client
from apps.billing.models import Payout
from apps.billing.queries.ledger import balances
from apps.billing.transfers import TransferDelayed
from tests.billing.standin.test_payouts import onboard, pay
from tests.factories.billing import sale

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 1)
NOW = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)


@pytest.fixture
def new_account(standin):
    made = client().v1.accounts.create(
        {"type": "express", "email": "ada@example.com", "capabilities": {"transfers": {"requested": True}}}
    )
    return made.id


def payable(user, account):
    services.save_connected_account(user=user, gateway_id=account, last4="6789", now=NOW)
    sale(user.pk, 10_000, at=NOW - timedelta(days=30))


def test_a_run_transfers_to_the_connected_account_once(ada, new_account):
    onboard(client(), new_account)
    pay(client(), amount=20_000)
    payable(ada, new_account)

    for minutes in (0, 20):
        services.run_payouts(DAY, now=NOW + timedelta(minutes=minutes))

    made = client().v1.transfers.list().data
    payout = Payout.objects.get()
    assert [(one.amount, one.destination, one.id) for one in made] == [(7000, new_account, payout.gateway_id)]
    assert payout.state == "sent"
    assert [each.gateway_id for each in ProviderTransfers().find(payout.key)] == [payout.gateway_id]
    assert ProviderTransfers().find("another") == []


def test_the_same_key_is_transferred_once(new_account):
    onboard(client(), new_account)
    pay(client(), amount=20_000)
    first, second = (
        ProviderTransfers().send("one", attempt=0, amount=500, currency="usd", destination=new_account)
        for _ in range(2)
    )

    assert first == second
    assert len(client().v1.transfers.list().data) == 1


@pytest.mark.parametrize(("exists", "failure"), [(True, "not_ready"), (False, "account_closed")])
def test_an_account_that_cannot_receive_payouts_fails_them(ada, new_account, exists, failure):
    pay(client(), amount=20_000)
    payable(ada, new_account if exists else "acct_gone")

    services.run_payouts(DAY, now=NOW)

    assert (Payout.objects.get().state, Payout.objects.get().failure) == ("failed", failure)
    assert balances([f"instructor:{ada.pk}"])[f"instructor:{ada.pk}"] == {"usd": -7000}


def test_too_little_money_of_our_own_fails_nobody(ada, new_account):
    """The payout is tried again later."""
    onboard(client(), new_account)
    payable(ada, new_account)

    _, unknown = services.run_payouts(DAY, now=NOW)

    assert (unknown, Payout.objects.get().state) == (1, "processing")
    assert "insufficient" in Payout.objects.get().failure_detail
    with pytest.raises(TransferDelayed, match="insufficient"):
        ProviderTransfers().send("one", attempt=0, amount=500, currency="usd", destination=new_account)
    pay(client(), amount=20_000)
    services.run_payouts(DAY, now=NOW + timedelta(minutes=20))  # a new key: the refusal of the first one is remembered
    assert (Payout.objects.get().state, Payout.objects.get().failure_detail) == ("sent", "")
