"""Admins read the provider's event log and the copies of its objects, without secrets; nothing can be changed."""

import json

import pytest
from django.contrib import admin
from djstripe import models as copies

from apps.billing.admin.provider_copies import COPIED_MODELS, format_json

pytestmark = pytest.mark.django_db
OBJECT = {
    "id": "pi_1",
    "object": "payment_intent",
    "amount": 6400,
    "currency": "usd",
    "status": "succeeded",
    "client_secret": "pi_1_secret_abc",
    "next_action": {"confirmation_secret": {"client_secret": "nested_secret"}},
    "description": "<script>alert(1)</script>",
}


def test_a_copy_shows_its_amount_and_content_without_secrets(browser_of, sam):
    row = copies.PaymentIntent.objects.create(id="pi_1", stripe_data=OBJECT, livemode=False)
    browser = browser_of(sam)
    url = "/admin/djstripe/paymentintent/"

    found = browser.get(url, {"q": "pi_1"}).content.decode()
    page = browser.get(f"{url}{row.pk}/change/").content.decode()

    assert "$64.00" in found
    assert "succeeded" in found
    assert "<script>alert(1)" not in page
    assert "alert(1)" in page
    assert "secret_abc" not in page
    assert "nested_secret" not in page
    assert browser.post(f"{url}{row.pk}/change/", {"id": "pi_2"}).status_code == 403
    assert browser.post(f"{url}{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_an_object_with_few_fields_can_be_read():
    for model in COPIED_MODELS:
        row, screen = model(id="x_1", stripe_data={"id": "x_1"}), admin.site.get_model_admin(model)

        assert (screen.amount(row), screen.status(row)) == ("–", "–"), model
        assert "x_1" in screen.content(row)
        assert screen.made_at(row) is None


def test_what_arrived_is_listed_with_its_type_and_state(browser_of, sam):
    body = json.dumps({"id": "evt_1", "type": "charge.refunded", "data": {"object": {"client_secret": "hush"}}})
    row = copies.WebhookEventTrigger.objects.create(remote_ip="127.0.0.1", headers={}, body=body, valid=True)
    copies.WebhookEventTrigger.objects.create(remote_ip="127.0.0.1", headers={}, body="[1", valid=False)
    browser = browser_of(sam)
    url = "/admin/djstripe/webhookeventtrigger/"

    found = browser.get(url).content.decode()
    page = browser.get(f"{url}{row.pk}/change/").content.decode()

    assert "charge.refunded" in found
    assert "Waiting" in found
    assert "Rejected" in found
    assert "evt_1" in page
    assert "hush" not in page


def test_a_huge_object_is_cut():
    assert len(format_json({"text": "x" * 500_000})) < 101_000


def test_only_admins_read_copies(browser_of, ada):
    assert browser_of(ada).get("/admin/djstripe/charge/").status_code == 302
