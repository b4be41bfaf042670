"""dj-stripe verifies and processes every event that the stand-in sends, and keeps its copies of the objects."""

import json
import uuid

import pytest
import stripe
from django.test import RequestFactory
from djstripe import models

from apps.billing.standin.resources import accounts


@pytest.fixture
def deliver(standin, client, settings, monkeypatch, db):
    """Deliver all events to dj-stripe itself; returns the types of those that it did not process, with the reason."""
    settings.STRIPE_SECRET_KEY = settings.STRIPE_TEST_SECRET_KEY = standin.secret_key
    settings.DJSTRIPE_WEBHOOK_EVENT_CALLBACK = None
    monkeypatch.setattr(stripe, "api_base", standin.address)
    for connect in (False, True):
        made = client.v1.webhook_endpoints.create(
            {"url": "http://site.example", "enabled_events": ["*"], "connect": connect}
        )
        models.WebhookEndpoint.objects.create(
            id=made.id, secret=made.secret, url=made.url, livemode=False, djstripe_uuid=uuid.uuid4(), status="enabled",
            enabled_events=["*"], api_version=made.api_version,
        )  # fmt: skip
    types, refused = [], []

    def send(url, body, headers):
        form = {"HTTP_STRIPE_SIGNATURE": headers["Stripe-Signature"]}
        request = RequestFactory().post("/", body, content_type="application/json", **form)
        kind = json.loads(body)["type"]
        types.append(kind)
        endpoint = models.WebhookEndpoint.objects.get(id=send.endpoint)
        try:
            trigger = models.WebhookEventTrigger.from_request(request, webhook_endpoint=endpoint)
            if not (trigger.valid and trigger.processed):
                refused.append((kind, "not valid"))
        except Exception as error:
            refused.append((kind, repr(error)))
        return 200

    return send, types, refused


def live_a_year(standin, client):
    """What a site does in a year, in short."""
    customer = client.v1.customers.create({"email": "a@example.com"}).id
    client.v1.customers.update(customer, {"name": "Amara"})
    setup = client.v1.setup_intents.create({"customer": customer})
    client.v1.setup_intents.confirm(setup.id, {"payment_method": "pm_card_threeDSecure2Required"})
    standin.authenticate(setup.id)
    refused = client.v1.setup_intents.create({"customer": customer})
    with pytest.raises(stripe.CardError):
        client.v1.setup_intents.confirm(refused.id, {"payment_method": "pm_card_chargeDeclined"})
    client.v1.setup_intents.cancel(refused.id)
    card = client.v1.setup_intents.retrieve(setup.id).payment_method
    client.v1.payment_methods.update(card, {"metadata": {"note": "1"}})

    def pay(method, **more):
        values = {"amount": 9000, "currency": "usd", "customer": customer, "payment_method": method, "confirm": True}
        return client.v1.payment_intents.create({**values, **more})

    paid = pay("pm_card_visa", metadata={"order": "1"})
    client.v1.refunds.create({"payment_intent": paid.id, "amount": 500})
    with pytest.raises(stripe.CardError):
        pay("pm_card_chargeDeclined")
    client.v1.payment_intents.cancel(pay("pm_card_threeDSecure2Required").id)
    disputed = pay("pm_card_createDispute")
    [dispute] = client.v1.disputes.list({"payment_intent": disputed.id}).data
    client.v1.disputes.update(dispute.id, {"evidence": {"uncategorized_text": "winning_evidence"}})
    lose_money(standin, client, pay)
    live_with_premium(standin, client, customer, card)
    teach(standin, client)
    client.v1.payment_methods.detach(card)


def lose_money(standin, client, pay):
    """Refunds that fail or are canceled, disputes that change their mind, payouts that come back."""
    client.v1.refunds.create({"payment_intent": pay("pm_card_refundFail").id})
    pending = client.v1.refunds.create({"payment_intent": pay("pm_card_pendingRefund").id})
    standin.cancel_refund(pending.id)
    asked = pay("pm_card_createDisputeInquiry").id
    standin.escalate_inquiry(client.v1.disputes.list({"payment_intent": asked}).data[0].id)
    warned = pay("pm_card_createIssuerFraudRecord").id
    part = standin.dispute(warned, 100)
    standin.decide_dispute(part["id"], won=True, reinstated=60, fee_returned=1500)
    standin.charge_fee(100)
    payout = client.v1.payouts.create({"amount": 100, "currency": "usd"})
    standin.clock.advance(days=4)
    standin.fail_payout(payout.id)


def live_with_premium(standin, client, customer, card):
    product = client.v1.products.create({"name": "Premium"})
    client.v1.products.update(product.id, {"description": "All courses"})
    price = {"product": product.id, "currency": "usd"}
    monthly = client.v1.prices.create({**price, "unit_amount": 1400, "recurring": {"interval": "month"}}).id
    yearly = client.v1.prices.create({**price, "unit_amount": 14000, "recurring": {"interval": "year"}}).id
    coupon = client.v1.coupons.create({"percent_off": 10, "duration": "forever"}).id
    code = client.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": coupon}}).id
    begun = client.v1.subscriptions.create(
        {
            "customer": customer, "items": [{"price": monthly}], "default_payment_method": card, "trial_period_days": 7,
            "discounts": [{"promotion_code": code}],
        }
    )  # fmt: skip
    standin.clock.advance(days=8)
    item = begun["items"].data[0].id
    client.v1.subscriptions.update(begun.id, {"items": [{"id": item, "price": yearly}]})
    bad = client.v1.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer}).id
    client.v1.subscriptions.update(begun.id, {"default_payment_method": bad})
    standin.clock.advance(days=375)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.subscriptions.cancel(begun.id)
    never = client.v1.subscriptions.create(
        {"customer": customer, "items": [{"price": monthly}], "payment_behavior": "default_incomplete"}
    )
    standin.clock.advance(days=2)
    assert client.v1.subscriptions.retrieve(never.id).status == "incomplete_expired"


def teach(standin, client):
    account = client.v1.accounts.create({"type": "custom", "capabilities": {"transfers": {"requested": True}}}).id
    with standin.working() as work:
        accounts.complete(
            work, work.get(account, "account"), {"account_number": "000111111116", "routing_number": "110000000"}
        )
    transfer = client.v1.transfers.create({"amount": 3000, "currency": "usd", "destination": account})
    client.v1.transfers.reversals.create(transfer.id, {"amount": 1000})
    standin.clock.advance(days=4)
    client.v1.accounts.update(account, {"external_account": "btok_us_verified"})
    client.v1.payouts.create({"amount": 100, "currency": "usd"}, {"stripe_account": account})
    standin.clock.advance(days=4)


@pytest.mark.long
def test_every_event_is_processed(standin, client, deliver):
    send, types, refused = deliver
    standin.webhooks.hold()
    live_a_year(standin, client)
    by_account = {one["_connect"]: one["id"] for one in endpoints(standin)}

    standin.webhooks.transport = send
    for event in standin.webhooks.pending():
        send.endpoint = by_account["account" in event]
        standin.webhooks.deliver(event)

    assert refused == []
    assert len(set(types)) >= 45
    assert models.Subscription.objects.count() == 2
    assert models.Payout.objects.count() == 3
    assert sorted(one.stripe_data["amount_refunded"] for one in models.Charge.objects.all())[-1] == 500
    assert sorted(one.stripe_data["status"] for one in models.Dispute.objects.all()) == ["lost", "won", "won"]


def endpoints(standin):
    with standin.working() as work:
        return list(work.rows("webhook_endpoint"))
