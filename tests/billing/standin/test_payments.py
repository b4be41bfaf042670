"""Cards, payments, setups and refunds against the stand-in."""

import pytest
import stripe


@pytest.fixture
def customer(client):
    return client.v1.customers.create({"email": "a@example.com"}).id


def pay(client, customer, method, **more):
    values = {
        "amount": 6400,
        "currency": "usd",
        "customer": customer,
        "payment_method": method,
        "confirm": True,
        **more,
    }
    return client.v1.payment_intents.create(values)


DECLINED = [
    ("pm_card_visa_chargeDeclined", "card_declined", "generic_decline"),
    ("pm_card_visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
    ("pm_card_chargeDeclinedExpiredCard", "expired_card", None),
    ("pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc", None),
    ("pm_card_chargeDeclinedProcessingError", "processing_error", None),
]


@pytest.mark.parametrize(("method", "code", "decline_code"), DECLINED)
def test_declined_cards(client, customer, method, code, decline_code):
    with pytest.raises(stripe.CardError) as refused:
        pay(client, customer, method)

    error = refused.value
    assert (error.http_status, error.code, error.error.decline_code) == (402, code, decline_code)
    intent = client.v1.payment_intents.retrieve(error.error.payment_intent.id)
    assert (intent.status, intent.last_payment_error.code) == ("requires_payment_method", code)
    assert client.v1.charges.retrieve(intent.latest_charge).status == "failed"
    with pytest.raises(stripe.CardError):
        client.v1.payment_methods.attach(method, {"customer": customer})
    assert client.v1.balance.retrieve().available[0].amount == 0


def test_paid(client, customer):
    intent = pay(client, customer, "pm_card_mastercard", metadata={"order": "7"}, setup_future_usage="off_session")

    assert (intent.status, intent.amount_received) == ("succeeded", 6400)
    charge = client.v1.charges.retrieve(intent.latest_charge, {"expand": ["balance_transaction"]})
    assert (charge.payment_method_details.card.brand, charge.payment_method_details.card.last4) == (
        "mastercard",
        "4444",
    )
    assert (charge.balance_transaction.fee, charge.metadata.order) == (216, "7")
    assert client.v1.balance.retrieve().available[0].amount == 6400 - 216
    [saved] = client.v1.payment_methods.list({"customer": customer, "type": "card"}).data
    assert saved.id == intent.payment_method
    with pytest.raises(stripe.InvalidRequestError) as state:
        client.v1.payment_intents.cancel(intent.id)
    assert state.value.code == "payment_intent_unexpected_state"


def test_amount_of_an_open_payment_can_change(client, customer):
    intent = client.v1.payment_intents.create({"amount": 6400, "currency": "usd", "customer": customer})
    client.v1.payment_intents.update(intent.id, {"amount": 5760, "metadata": {"code": "HEDGE"}})
    paid = client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})

    assert (paid.amount_received, paid.metadata.code) == (5760, "HEDGE")
    other = client.v1.payment_intents.create({"amount": 6400, "currency": "usd", "customer": customer})
    assert client.v1.payment_intents.cancel(other.id, {"cancellation_reason": "abandoned"}).status == "canceled"


@pytest.mark.parametrize("method", ["pm_card_threeDSecure2Required", "pm_card_authenticationRequired"])
def test_bank_asks_the_cardholder(standin, client, customer, method):
    accepted, refused = pay(client, customer, method), pay(client, customer, method)
    assert accepted.status == refused.status == "requires_action"
    assert accepted.next_action.type == "use_stripe_sdk"

    assert standin.authenticate(accepted.id)["status"] == "succeeded"
    standin.authenticate(refused.id, accepts=False)
    failed = client.v1.payment_intents.retrieve(refused.id)
    assert failed.status == "requires_payment_method"
    assert failed.last_payment_error.code == "payment_intent_authentication_failure"
    assert len(client.v1.charges.list().data) == 1


def test_saved_card_pays_without_the_cardholder(standin, client, customer):
    setup = client.v1.setup_intents.create(
        {"customer": customer, "payment_method": "pm_card_authenticationRequired", "confirm": True}
    )
    assert setup.status == "requires_action"
    standin.authenticate(setup.id)
    method = client.v1.setup_intents.retrieve(setup.id).payment_method

    assert pay(client, customer, method, off_session=True).status == "succeeded"
    with pytest.raises(stripe.CardError) as never_set_up:
        pay(client, customer, "pm_card_authenticationRequired", off_session=True)
    assert never_set_up.value.code == "authentication_required"


def test_card_that_fails_only_when_charged(client, customer):
    method = client.v1.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer})

    with pytest.raises(stripe.CardError) as refused:
        pay(client, customer, method.id)
    assert refused.value.code == "card_declined"


def test_card_expires_with_the_clock(standin, client, customer):
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer})
    standin.clock.advance(days=366 * 6)

    with pytest.raises(stripe.CardError) as refused:
        pay(client, customer, method.id)
    assert refused.value.code == "expired_card"


def test_detached_card_cannot_be_used_again(client, customer):
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer}).id
    client.v1.customers.update(customer, {"invoice_settings": {"default_payment_method": method}})
    client.v1.payment_methods.detach(method)

    assert client.v1.customers.retrieve(customer).invoice_settings.default_payment_method is None
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_methods.attach(method, {"customer": customer})
    with pytest.raises(stripe.InvalidRequestError):
        pay(client, customer, method)


def test_card_of_another_customer_is_refused(client, customer):
    other = client.v1.customers.create({}).id
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": other}).id

    with pytest.raises(stripe.InvalidRequestError):
        pay(client, customer, method)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.customers.update(customer, {"invoice_settings": {"default_payment_method": method}})


NUMBERS = [
    ({"number": "4242424242424241"}, "incorrect_number"),
    ({"number": "4242424242424242", "exp_month": "13"}, "invalid_expiry_month"),
    ({"number": "4242424242424242", "exp_year": "2020"}, "invalid_expiry_year"),
    ({"number": "4111111111111111"}, "card_declined"),
]


@pytest.mark.parametrize(("card", "code"), NUMBERS)
def test_browser_sends_a_wrong_card(standin, client, customer, card, code):
    intent = client.v1.setup_intents.create({"customer": customer})
    data = {"type": "card", "card": {"exp_month": "12", "exp_year": "2040", "cvc": "123", **card}}
    form = {"client_secret": intent.client_secret, "payment_method_data": data}
    key = {"Authorization": f"Bearer {standin.publishable_key}"}
    answer = standin.call("POST", f"/v1/setup_intents/{intent.id}/confirm", form, key)

    assert (answer.status, answer.body["error"]["code"]) == (402, code)
    stranger = standin.call("GET", f"/v1/setup_intents/{intent.id}", {"client_secret": "seti_x_secret_y"}, key)
    assert stranger.status == 404


def test_refunds(client, customer):
    intent = pay(client, customer, "pm_card_visa")
    part = client.v1.refunds.create({"payment_intent": intent.id, "amount": 1000, "metadata": {"why": "late"}})
    assert (part.status, part.charge) == ("succeeded", intent.latest_charge)
    with pytest.raises(stripe.InvalidRequestError, match="greater than unrefunded amount"):
        client.v1.refunds.create({"payment_intent": intent.id, "amount": 5401})
    client.v1.refunds.create({"charge": intent.latest_charge})

    charge = client.v1.charges.retrieve(intent.latest_charge, {"expand": ["refunds"]})
    assert (charge.amount_refunded, charge.refunded, len(charge.refunds.data)) == (6400, True, 2)
    with pytest.raises(stripe.InvalidRequestError) as again:
        client.v1.refunds.create({"payment_intent": intent.id})
    assert again.value.code == "charge_already_refunded"
    assert client.v1.balance.retrieve().available[0].amount == -216


def test_products_and_prices(client):
    product = client.v1.products.create(
        {
            "name": "Premium",
            "default_price_data": {"unit_amount": 1200, "currency": "usd", "recurring": {"interval": "month"}},
        }
    )
    price = client.v1.prices.retrieve(product.default_price)
    assert (price.recurring.interval, price.type) == ("month", "recurring")
    yearly = {"product": product.id, "unit_amount": 9600, "currency": "usd", "lookup_key": "yearly"}
    first = client.v1.prices.create({**yearly, "recurring": {"interval": "year"}})
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.prices.create(yearly)
    second = client.v1.prices.create({**yearly, "unit_amount": 9900, "transfer_lookup_key": True})

    assert [one.id for one in client.v1.prices.list({"lookup_keys": ["yearly"]}).data] == [second.id]
    assert client.v1.prices.update(first.id, {"active": False}).active is False
    assert [one.id for one in client.v1.prices.list({"product": product.id, "active": True}).data] == [
        second.id,
        price.id,
    ]
