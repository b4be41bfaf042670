"""Subscriptions against the stand-in: trial, renewal, failed payments, proration, discounts, cancelation."""

from datetime import UTC, datetime

import pytest
import stripe

from apps.billing.standin.resources import periods

DAY = 86_400


@pytest.fixture
def monthly(client):
    return price(client, 1400, "month")


def price(client, amount, interval):
    made = {"unit_amount": amount, "currency": "usd", "recurring": {"interval": interval}}
    return client.v1.prices.create({**made, "product_data": {"name": f"Premium {interval}"}}).id


def subscriber(client, card="pm_card_visa"):
    customer = client.v1.customers.create({}).id
    method = client.v1.payment_methods.attach(card, {"customer": customer}).id
    client.v1.customers.update(customer, {"invoice_settings": {"default_payment_method": method}})
    return customer


def subscribe(client, customer, price, **more):
    return client.v1.subscriptions.create({"customer": customer, "items": [{"price": price}], **more})


def events(client, prefix):
    return [one.type for one in client.v1.events.list({"limit": 100}).data if one.type.startswith(prefix)][::-1]


def test_months_keep_the_day_of_their_anchor():
    month = {"interval": "month", "interval_count": 1}
    day = [int(datetime(2026, *one, tzinfo=UTC).timestamp()) for one in ((1, 31), (2, 28), (3, 31), (4, 30))]

    assert [periods.after(day[0], month, one) for one in day[:3]] == day[1:]
    leap = int(datetime(2024, 2, 29, tzinfo=UTC).timestamp())
    assert periods.after(leap, {"interval": "year", "interval_count": 1}, leap) == int(
        datetime(2025, 2, 28, tzinfo=UTC).timestamp()
    )


def test_paid_at_once_and_renewed(standin, client, monthly):
    customer = subscriber(client)
    subscription = subscribe(client, customer, monthly, metadata={"user": "7"})
    assert (subscription.status, subscription.metadata.user) == ("active", "7")
    item = client.v1.subscription_items.list({"subscription": subscription.id}).data[0]
    standin.clock.set(item.current_period_end + 1)

    renewed = client.v1.subscriptions.retrieve(subscription.id, {"expand": ["latest_invoice.payments"]})
    assert (renewed.status, renewed.latest_invoice.billing_reason) == ("active", "subscription_cycle")
    assert renewed["items"].data[0].current_period_start == item.current_period_end
    assert renewed.latest_invoice.created == item.current_period_end
    intent = renewed.latest_invoice.payments.data[0].payment.payment_intent
    [payment] = client.v1.invoice_payments.list({"payment": {"type": "payment_intent", "payment_intent": intent}}).data
    assert (payment.invoice, payment.status) == (renewed.latest_invoice.id, "paid")
    assert [one.amount_paid for one in client.v1.invoices.list({"subscription": subscription.id}).data] == [1400, 1400]


def test_first_payment_in_the_browser(standin, client, monthly):
    customer = client.v1.customers.create({}).id
    subscription = subscribe(
        client, customer, monthly, payment_behavior="default_incomplete", expand=["latest_invoice.confirmation_secret"],
        payment_settings={"save_default_payment_method": "on_subscription"},
    )  # fmt: skip
    assert subscription.status == "incomplete"
    secret = subscription.latest_invoice.confirmation_secret.client_secret
    intent = secret.split("_secret_")[0]
    client.v1.payment_intents.confirm(intent, {"payment_method": "pm_card_threeDSecure2Required"})
    standin.authenticate(intent)

    active = client.v1.subscriptions.retrieve(subscription.id)
    assert active.status == "active"
    [card] = client.v1.payment_methods.list({"customer": customer}).data
    assert active.default_payment_method == card.id
    standin.clock.advance(days=32)
    assert (
        client.v1.subscriptions.retrieve(subscription.id).status == "active"
    )  # it was set up, so the bank does not ask


def test_first_payment_that_never_comes(standin, client, monthly):
    made = subscribe(client, client.v1.customers.create({}).id, monthly, payment_behavior="default_incomplete")
    standin.clock.advance(days=1)

    subscription = client.v1.subscriptions.retrieve(made.id, {"expand": ["latest_invoice"]})
    assert (subscription.status, subscription.latest_invoice.status) == ("incomplete_expired", "void")


def test_declined_first_payment(client, monthly):
    customer = subscriber(client, "pm_card_chargeCustomerFail")
    assert subscribe(client, customer, monthly).status == "incomplete"
    with pytest.raises(stripe.CardError):
        subscribe(client, customer, monthly, payment_behavior="error_if_incomplete")

    assert len(client.v1.subscriptions.list({"customer": customer, "status": "all"}).data) == 1


def test_trial_with_a_card_saved_during_it(standin, client, monthly):
    customer = client.v1.customers.create({}).id
    made = subscribe(client, customer, monthly, trial_period_days=7, expand=["latest_invoice", "pending_setup_intent"])
    assert (made.status, made.latest_invoice.status, made.latest_invoice.amount_due) == ("trialing", "paid", 0)
    client.v1.setup_intents.confirm(made.pending_setup_intent.id, {"payment_method": "pm_card_visa"})
    standin.clock.advance(days=5)
    assert "customer.subscription.trial_will_end" in events(client, "customer.subscription")
    standin.clock.advance(days=2.1)

    subscription = client.v1.subscriptions.retrieve(made.id, {"expand": ["latest_invoice"]})
    assert (subscription.status, subscription.latest_invoice.amount_paid) == ("active", 1400)


@pytest.mark.parametrize(("behavior", "status"), [("cancel", "canceled"), ("create_invoice", "past_due")])
def test_trial_without_a_card(standin, client, monthly, behavior, status):
    settings = {"end_behavior": {"missing_payment_method": behavior}}
    made = subscribe(client, client.v1.customers.create({}).id, monthly, trial_period_days=7, trial_settings=settings)
    standin.clock.advance(days=7.1)

    assert client.v1.subscriptions.retrieve(made.id).status == status


def test_renewal_that_fails_is_tried_again_and_recovers(standin, client, monthly):
    customer = subscriber(client)
    subscription = subscribe(client, customer, monthly)
    bad = client.v1.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer}).id
    client.v1.subscriptions.update(subscription.id, {"default_payment_method": bad})
    standin.clock.advance(days=32)
    failed = client.v1.subscriptions.retrieve(subscription.id, {"expand": ["latest_invoice"]})
    assert (failed.status, failed.latest_invoice.status, failed.latest_invoice.attempt_count) == ("past_due", "open", 1)
    assert failed.latest_invoice.next_payment_attempt == failed.latest_invoice.status_transitions.finalized_at + 3 * DAY
    with pytest.raises(stripe.CardError):
        client.v1.invoices.pay(failed.latest_invoice.id)

    client.v1.subscriptions.update(subscription.id, {"default_payment_method": ""})
    standin.clock.advance(days=4)
    assert client.v1.subscriptions.retrieve(subscription.id).status == "active"
    assert client.v1.invoices.retrieve(failed.latest_invoice.id).status == "paid"


@pytest.mark.parametrize(("after", "status"), [("cancel", "canceled"), ("unpaid", "unpaid"), ("past_due", "past_due")])
def test_renewal_that_keeps_failing(standin, client, monthly, after, status):
    standin.after_last_attempt = after
    customer = subscriber(client)
    subscription = subscribe(client, customer, monthly)
    bad = client.v1.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer}).id
    client.v1.subscriptions.update(subscription.id, {"default_payment_method": bad})
    standin.clock.advance(days=31 + 8)

    ended = client.v1.subscriptions.retrieve(subscription.id, {"expand": ["latest_invoice"]})
    assert (ended.status, ended.latest_invoice.attempt_count) == (status, 4)
    assert events(client, "invoice.payment_failed") == ["invoice.payment_failed"] * 4


def test_upgrade_is_shown_before_it_is_charged(standin, client, monthly):
    yearly = price(client, 14000, "year")
    subscription = subscribe(client, subscriber(client), monthly)
    item = subscription["items"].data[0]
    half = item.current_period_start + (item.current_period_end - item.current_period_start) // 2
    standin.clock.set(half)
    change = {
        "items": [{"id": item.id, "price": yearly}],
        "proration_date": half,
        "proration_behavior": "always_invoice",
    }
    preview = client.v1.invoices.create_preview({"subscription": subscription.id, "subscription_details": change})
    assert [line.amount for line in preview.lines.data] == [-700, 14000]
    assert preview.amount_due == 13300
    assert len(client.v1.invoices.list().data) == 1

    client.v1.subscriptions.update(subscription.id, {**change, "payment_behavior": "error_if_incomplete"})
    upgraded = client.v1.subscriptions.retrieve(subscription.id, {"expand": ["latest_invoice"]})
    assert upgraded["items"].data[0].price.id == yearly
    assert (upgraded.latest_invoice.amount_paid, upgraded.latest_invoice.billing_reason) == (
        13300,
        "subscription_update",
    )
    assert upgraded["items"].data[0].current_period_start == half


def test_downgrade_leaves_a_credit_for_later_invoices(standin, client, monthly):
    yearly = price(client, 14000, "year")
    customer = subscriber(client)
    subscription = subscribe(client, customer, yearly)
    item = subscription["items"].data[0].id
    client.v1.subscriptions.update(subscription.id, {"items": [{"id": item, "price": monthly}]})
    assert -12600 <= client.v1.customers.retrieve(customer).balance <= -12590
    standin.clock.advance(days=32)

    assert -11200 <= client.v1.customers.retrieve(customer).balance <= -11190
    assert client.v1.invoices.list({"subscription": subscription.id}).data[0].amount_paid == 0


def test_prorations_of_the_same_interval_wait_for_the_renewal(standin, client, monthly):
    better = price(client, 2400, "month")
    subscription = subscribe(client, subscriber(client), monthly)
    item = subscription["items"].data[0]
    half = item.current_period_start + (item.current_period_end - item.current_period_start) // 2
    change = {"items": [{"id": item.id, "price": better}], "proration_date": half}
    preview = client.v1.invoices.create_preview({"subscription": subscription.id, "subscription_details": change})
    assert [line.amount for line in preview.lines.data] == [-700, 1200, 2400]
    client.v1.subscriptions.update(subscription.id, change)
    standin.clock.set(item.current_period_end + 1)

    assert client.v1.invoices.list({"subscription": subscription.id}).data[0].amount_paid == 2900


def test_failed_upgrade_changes_nothing(client, monthly):
    customer = subscriber(client)
    subscription = subscribe(client, customer, monthly)
    bad = client.v1.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer}).id
    client.v1.subscriptions.update(subscription.id, {"default_payment_method": bad})
    item = subscription["items"].data[0].id
    change = {"items": [{"id": item, "price": price(client, 14000, "year")}], "payment_behavior": "error_if_incomplete"}
    with pytest.raises(stripe.CardError):
        client.v1.subscriptions.update(subscription.id, change)

    assert client.v1.subscriptions.retrieve(subscription.id)["items"].data[0].price.id == monthly
    assert len(client.v1.invoices.list().data) == 1


def test_cancel_at_the_end_and_resume(standin, client, monthly):
    subscription = subscribe(client, subscriber(client), monthly)
    later = client.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    assert later.cancel_at == later["items"].data[0].current_period_end
    resumed = client.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": False})
    assert (resumed.cancel_at, resumed.status) == (None, "active")
    client.v1.subscriptions.update(subscription.id, {"cancel_at_period_end": True})
    standin.clock.set(later.cancel_at + 1)

    assert client.v1.subscriptions.retrieve(subscription.id).status == "canceled"
    assert client.v1.subscriptions.list({"customer": subscription.customer}).data == []
    assert events(client, "customer.subscription.deleted") == ["customer.subscription.deleted"]
    now = subscribe(client, subscription.customer, monthly)
    assert client.v1.subscriptions.cancel(now.id).status == "canceled"


def test_promotion_code_takes_off_the_first_invoice(standin, client, monthly):
    coupon = client.v1.coupons.create({"percent_off": 25, "duration": "once"})
    code = client.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "spring"})
    [found] = client.v1.promotion_codes.list({"code": "SPRING", "active": True}).data
    subscription = subscribe(
        client,
        subscriber(client),
        monthly,
        discounts=[{"promotion_code": found.id}],
        expand=["latest_invoice.discounts"],
    )
    assert (subscription.latest_invoice.amount_paid, subscription.latest_invoice.subtotal) == (1050, 1400)
    assert subscription.latest_invoice.discounts[0].promotion_code == code.id
    standin.clock.advance(days=32)
    assert client.v1.invoices.list({"subscription": subscription.id}).data[0].amount_paid == 1400

    client.v1.promotion_codes.update(code.id, {"active": False})
    with pytest.raises(stripe.InvalidRequestError, match="expired or has been used up"):
        subscribe(client, subscription.customer, monthly, discounts=[{"promotion_code": code.id}])


def test_coupon_for_some_months(standin, client, monthly):
    coupon = client.v1.coupons.create(
        {"amount_off": 400, "currency": "usd", "duration": "repeating", "duration_in_months": 2, "max_redemptions": 1}
    )
    customer = subscriber(client)
    subscription = subscribe(client, customer, monthly, discounts=[{"coupon": coupon.id}])
    standin.clock.advance(days=95)

    paid = [one.amount_paid for one in client.v1.invoices.list({"subscription": subscription.id}).data]
    assert paid == [1400, 1400, 1000, 1000]
    with pytest.raises(stripe.InvalidRequestError):
        subscribe(client, customer, monthly, discounts=[{"coupon": coupon.id}])
