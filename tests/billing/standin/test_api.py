"""How the stand-in answers as an API: keys, errors, lists, expansion, idempotency."""

import json
import sqlite3
import urllib.error
import urllib.request

import pytest
import stripe

from apps.billing.standin import Standin


def test_key_decides_what_may_be_called(standin):
    customer = standin.call("GET", "/v1/customers", "", {"Authorization": f"Bearer {standin.publishable_key}"})
    nobody = standin.call("GET", "/v1/customers")
    wrong = standin.call("GET", "/v1/customers", "", {"Authorization": "Bearer sk_test_1234567890"})

    assert (customer.status, customer.body["error"]["code"]) == (401, "secret_key_required")
    assert nobody.status == wrong.status == 401
    assert "sk_test_1234567890" not in json.dumps(wrong.body)
    assert wrong.headers["Request-Id"].startswith("req_")


def test_errors_have_stripes_classes(client):
    with pytest.raises(stripe.InvalidRequestError) as unknown:
        client.v1.customers.retrieve("cus_none")
    assert (unknown.value.http_status, unknown.value.code) == (404, "resource_missing")
    with pytest.raises(stripe.InvalidRequestError) as extra:
        client.v1.customers.create({"nmae": "A"})  # type: ignore[typeddict-unknown-key]
    assert (extra.value.code, extra.value.param) == ("parameter_unknown", "nmae")
    with pytest.raises(stripe.InvalidRequestError) as manual:
        client.v1.payment_intents.create({"amount": 900, "currency": "usd", "capture_method": "manual"})
    assert manual.value.param == "capture_method"  # what it cannot do is refused, not ignored
    with pytest.raises(stripe.InvalidRequestError) as small:
        client.v1.payment_intents.create({"amount": 0, "currency": "usd"})
    assert small.value.param == "amount"
    with pytest.raises(stripe.InvalidRequestError, match="Unrecognized request URL"):
        client.raw_request("get", "/v1/nothing")
    with pytest.raises(stripe.AuthenticationError):
        client.v1.customers.list(options={"api_key": "sk_test_wrong"})


def test_what_a_refused_call_did_is_undone(client):
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.customers.create({"email": "a@example.com", "payment_method": "pm_none"})

    assert client.v1.customers.list().data == []
    assert client.v1.events.list().data == []


def test_lists_have_pages_and_filters(client):
    made = [client.v1.customers.create({"email": f"{n % 2}@example.com"}).id for n in range(5)]

    first = client.v1.customers.list({"limit": 2})
    assert ([one.id for one in first.data], first.has_more) == ([made[4], made[3]], True)
    second = client.v1.customers.list({"limit": 3, "starting_after": made[3]})
    assert ([one.id for one in second.data], second.has_more) == ([made[2], made[1], made[0]], False)
    before = client.v1.customers.list({"limit": 1, "ending_before": made[1]})
    assert [one.id for one in before.data] == [made[2]]
    assert [one.id for one in client.v1.customers.list({"limit": 2}).auto_paging_iter()] == made[::-1]
    assert [one.id for one in client.v1.customers.list({"email": "1@example.com"}).data] == [made[3], made[1]]
    late = client.v1.customers.retrieve(made[0]).created + 100
    assert client.v1.customers.list({"created": {"gte": late}}).data == []
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.customers.list({"limit": 101})


def test_ids_are_expanded_on_request_only(client):
    customer = client.v1.customers.create({"email": "a@example.com"})
    intent = client.v1.payment_intents.create(
        {"amount": 6400, "currency": "usd", "customer": customer.id, "payment_method": "pm_card_visa", "confirm": True}
    )

    assert intent.customer == customer.id
    shown = client.v1.payment_intents.retrieve(intent.id, {"expand": ["customer", "latest_charge.balance_transaction"]})
    assert shown.customer.email == "a@example.com"
    assert shown.latest_charge.balance_transaction.net == 6400 - 216
    listed = client.v1.payment_intents.list({"expand": ["data.customer"]})
    assert listed.data[0].customer.email == "a@example.com"
    with pytest.raises(stripe.InvalidRequestError, match="cannot be expanded"):
        client.v1.payment_intents.retrieve(intent.id, {"expand": ["nothing"]})


def test_idempotency_key_repeats_the_answer(client):
    params = {"amount": 6400, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    first = client.v1.payment_intents.create(params, {"idempotency_key": "order-1"})
    again = client.v1.payment_intents.create(params, {"idempotency_key": "order-1"})

    assert first.id == again.id
    assert again.last_response.headers["Idempotent-Replayed"] == "true"
    assert len(client.v1.charges.list().data) == 1
    with pytest.raises(stripe.IdempotencyError):
        client.v1.payment_intents.create({**params, "amount": 100}, {"idempotency_key": "order-1"})


def test_idempotency_key_repeats_a_decline_but_not_a_wrong_call(client):
    options = {"idempotency_key": "order-2"}
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.create({"amount": 1, "currency": "usd"}, options)
    declined = {"amount": 900, "currency": "usd", "payment_method": "pm_card_chargeDeclined", "confirm": True}
    for _ in range(2):
        with pytest.raises(stripe.CardError):
            client.v1.payment_intents.create(declined, options)

    assert len(client.v1.payment_intents.list().data) == 1


def test_idempotency_keys_are_forgotten_after_a_day(standin, client):
    options = {"idempotency_key": "one"}
    first = client.v1.customers.create({}, options)
    standin.clock.advance(days=1, seconds=5)

    assert client.v1.customers.create({}, options).id != first.id


def test_everything_is_there_after_a_restart(tmp_path):
    first = Standin(tmp_path)
    key = {"Authorization": f"Bearer {first.secret_key}", "Idempotency-Key": "k"}
    made = first.call("POST", "/v1/customers", {"email": "a@example.com"}, key).body
    first.clock.advance(days=40)
    moved = first.clock.now()
    first.close()

    second = Standin(tmp_path)
    assert second.call("GET", f"/v1/customers/{made['id']}", "", key).body["email"] == "a@example.com"
    assert second.clock.now() - moved < 60
    second.reset()
    assert second.call("GET", f"/v1/customers/{made['id']}", "", key).status == 404
    second.close()


def test_no_card_number_is_stored(tmp_path):
    standin = Standin(tmp_path)
    form = {"type": "card", "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2040, "cvc": "737"}}
    key = {"Authorization": f"Bearer {standin.publishable_key}", "Idempotency-Key": "k"}
    assert standin.call("POST", "/v1/payment_methods", form, key).body["card"]["last4"] == "4242"
    refused = standin.call("POST", "/v1/payment_methods", form, {"Authorization": f"Bearer {standin.secret_key}"})
    assert refused.status == 400
    standin.close()

    with sqlite3.connect(tmp_path / "standin.sqlite3") as db:
        dump = "\n".join(db.iterdump())
    assert '"last4":"4242"' in dump
    assert "424242424242" not in dump
    assert "737" not in json.loads(db.execute("SELECT body FROM objects WHERE kind='payment_method'").fetchone()[0])


def test_clock_is_moved_over_http(standin, client):
    def post(key):
        headers = {"Authorization": f"Bearer {key}"}
        request = urllib.request.Request(f"{standin.address}/standin/clock", b"days=30", headers)  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return json.load(answer)

    now = post(standin.secret_key)["now"]
    assert abs(now - standin.clock.now()) < 5
    assert client.v1.customers.create({}).created >= now
    with pytest.raises(urllib.error.HTTPError, match="401"):
        post("sk_test_wrong")
