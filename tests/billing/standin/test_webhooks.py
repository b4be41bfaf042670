"""Deliveries of events: signed, repeated, held back, lost."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

import pytest
import stripe

from apps.billing.standin import Standin


class Site:
    """An endpoint without HTTP that notes what arrives."""

    def __init__(self, standin, secret="", status=200):
        self.arrived, self.secret, self.status = [], secret, status
        standin.webhooks.transport = self

    def __call__(self, url, body, headers):
        event = stripe.Webhook.construct_event(body, headers["Stripe-Signature"], self.secret)
        self.arrived.append(event.type)
        return self.status


@pytest.fixture
def site(standin):
    key = {"Authorization": f"Bearer {standin.secret_key}"}
    form = {"url": "https://site.example/stripe", "enabled_events": ["customer.created", "customer.updated"]}
    return Site(standin, standin.call("POST", "/v1/webhook_endpoints", form, key).body["secret"])


def call(standin, path, form=None):
    return standin.call("POST", path, form or {}, {"Authorization": f"Bearer {standin.secret_key}"}).body


def test_only_wanted_events_are_delivered_and_signed(standin, site):
    call(standin, "/v1/customers")
    call(standin, "/v1/products", {"name": "Premium"})
    standin.webhooks.deliver_all()

    assert site.arrived == ["customer.created"]
    assert standin.webhooks.pending() == []


def test_delivery_is_repeated_until_it_is_accepted(standin, site):
    call(standin, "/v1/customers")
    site.status = 500
    [event] = standin.webhooks.pending()
    assert standin.webhooks.deliver(event) == [500]
    assert standin.webhooks.pending() == [event]
    site.status = 200
    assert standin.webhooks.deliver(event) == [200]

    assert standin.webhooks.pending() == []
    assert len(site.arrived) == 2


def test_tests_choose_order_repetition_and_loss(standin, site):
    standin.webhooks.hold()
    customer = call(standin, "/v1/customers")
    for name in ("A", "B"):
        call(standin, f"/v1/customers/{customer['id']}", {"name": name})
    created, first, second = standin.webhooks.pending()
    assert first["data"]["previous_attributes"] == {"name": None}
    standin.webhooks.deliver(second, times=2)
    standin.webhooks.deliver(created)
    standin.webhooks.drop(first)

    assert site.arrived == ["customer.updated", "customer.updated", "customer.created"]
    assert standin.webhooks.pending() == []


def test_what_was_not_delivered_is_delivered_after_a_restart(tmp_path):
    first = Standin(tmp_path)
    secret = call(first, "/v1/webhook_endpoints", {"url": "https://site.example", "enabled_events": ["*"]})["secret"]
    call(first, "/v1/customers")
    first.close()

    second = Standin(tmp_path)
    site = Site(second, secret)
    second.webhooks.deliver_all()
    assert site.arrived == ["customer.created"]
    second.close()


def test_events_travel_over_http(standin, client):
    bodies, arrived = [], Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            arrived.set()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.handle_request, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/stripe"
    client.v1.webhook_endpoints.create({"url": url, "enabled_events": ["*"]})
    customer = client.v1.customers.create({})
    assert arrived.wait(10)
    server.server_close()

    assert bodies[0]["data"]["object"]["id"] == customer.id
    assert client.v1.events.retrieve(bodies[0]["id"]).type == "customer.created"


def test_endpoints(client):
    endpoint = client.v1.webhook_endpoints.create({"url": "https://a.example", "enabled_events": ["*"]})
    assert endpoint.secret.startswith("whsec_")
    [listed] = client.v1.webhook_endpoints.list().data
    assert not hasattr(listed, "secret")
    client.v1.webhook_endpoints.delete(endpoint.id)
    assert client.v1.webhook_endpoints.list().data == []
