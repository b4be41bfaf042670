"""Disputes, connected accounts, transfers and payouts against the stand-in."""

import urllib.error
import urllib.parse
import urllib.request

import pytest
import stripe


def pay(client, method="pm_card_visa", amount=10_000):
    values = {"amount": amount, "currency": "usd", "payment_method": method, "confirm": True}
    return client.v1.payment_intents.create(values)


def balance(client, account=None):
    options = {"stripe_account": account} if account else {}
    return client.v1.balance.retrieve(options=options).available[0].amount


@pytest.fixture
def account(standin, client):
    made = client.v1.accounts.create(
        {"type": "express", "email": "i@example.com", "capabilities": {"transfers": {"requested": True}}}
    )
    assert not made.payouts_enabled
    onboard(client, made.id)
    return made.id


def onboard(client, account, number="000123456789"):
    link = client.v1.account_links.create(
        {
            "account": account,
            "type": "account_onboarding",
            "return_url": "http://127.0.0.1:9/back",
            "refresh_url": "http://x",
        }
    )
    with urllib.request.urlopen(link.url) as page:  # noqa: S310
        assert b"Where should payouts go?" in page.read()
    form = urllib.parse.urlencode({"account_number": number, "routing_number": "110000000"}).encode()
    opener = urllib.request.build_opener(Stay)
    with pytest.raises(urllib.error.HTTPError) as sent:
        opener.open(link.url, form)
    assert sent.value.headers["Location"] == "http://127.0.0.1:9/back"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


def test_onboarding_opens_transfers(client, account):
    shown = client.v1.accounts.retrieve(account)

    assert (shown.details_submitted, shown.payouts_enabled, shown.capabilities.transfers) == (True, True, "active")
    assert shown.external_accounts.data[0].last4 == "6789"
    assert [one.id for one in client.v1.accounts.list().data] == [account]


def test_transfer(client, account):
    pay(client)
    params = {"amount": 4000, "currency": "usd", "destination": account, "metadata": {"payout": "7"}}
    first = client.v1.transfers.create(params, {"idempotency_key": "payout-7"})
    assert client.v1.transfers.create(params, {"idempotency_key": "payout-7"}).id == first.id
    assert (balance(client), balance(client, account)) == (10_000 - 320 - 4000, 4000)
    with pytest.raises(stripe.InvalidRequestError) as poor:
        client.v1.transfers.create({**params, "amount": 6000})
    assert poor.value.code == "balance_insufficient"
    client.v1.transfers.reversals.create(first.id, {"amount": 1000})

    assert client.v1.transfers.retrieve(first.id).amount_reversed == 1000
    assert balance(client, account) == 3000
    assert [one.id for one in client.v1.transfers.list({"destination": account}).data] == [first.id]


def test_transfer_needs_an_onboarded_account(client):
    pay(client)
    made = client.v1.accounts.create({"type": "express"})

    with pytest.raises(stripe.InvalidRequestError) as refused:
        client.v1.transfers.create({"amount": 100, "currency": "usd", "destination": made.id})
    assert refused.value.code == "insufficient_capabilities_for_transfer"


def test_payout_by_itself(standin, client, account):
    pay(client)
    client.v1.transfers.create({"amount": 4000, "currency": "usd", "destination": account})
    on = {"stripe_account": account}
    standin.clock.advance(days=1.01)
    [payout] = client.v1.payouts.list(options=on).data
    assert (payout.amount, payout.automatic) == (4000, True)
    standin.clock.set(payout.arrival_date + 1)

    assert client.v1.payouts.retrieve(payout.id, options=on).status == "paid"
    assert balance(client, account) == 0
    assert client.v1.payouts.list().data == []
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payouts.retrieve(payout.id)


def test_payout_that_the_bank_refuses(standin, client, account):
    client.v1.accounts.update(
        account,
        {"external_account": "btok_us_accountClosed", "settings": {"payouts": {"schedule": {"interval": "manual"}}}},
    )
    pay(client)
    client.v1.transfers.create({"amount": 4000, "currency": "usd", "destination": account})
    on = {"stripe_account": account}
    payout = client.v1.payouts.create({"amount": 4000, "currency": "usd"}, on)
    assert (payout.status, balance(client, account)) == ("pending", 0)
    standin.clock.advance(seconds=3700)
    assert client.v1.payouts.retrieve(payout.id, options=on).status == "in_transit"
    standin.clock.advance(days=3)

    failed = client.v1.payouts.retrieve(payout.id, options=on)
    assert (failed.status, failed.failure_code, balance(client, account)) == ("failed", "account_closed", 4000)
    types = [one.type for one in client.v1.events.list({"types": ["payout.failed"]}, on).data]
    assert types == ["payout.failed"]


@pytest.mark.parametrize(
    ("evidence", "status", "left"), [("winning_evidence", "won", 10_000), ("losing_evidence", "lost", 0)]
)
def test_dispute(client, evidence, status, left):
    intent = pay(client, "pm_card_createDispute")
    [dispute] = client.v1.disputes.list({"payment_intent": intent.id}).data
    assert (dispute.status, dispute.amount, dispute.balance_transactions[0].fee) == ("needs_response", 10_000, 1500)
    assert client.v1.charges.retrieve(intent.latest_charge).disputed
    with pytest.raises(stripe.InvalidRequestError) as refused:
        client.v1.refunds.create({"payment_intent": intent.id})
    assert refused.value.code == "charge_disputed"
    client.v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": evidence}})

    assert client.v1.disputes.retrieve(dispute.id).status == status
    assert balance(client) == left - 320 - 1500


def test_dispute_without_an_answer_is_lost(standin, client):
    pay(client, "pm_card_createDispute")
    standin.clock.advance(days=8)

    assert client.v1.disputes.list().data[0].status == "lost"
