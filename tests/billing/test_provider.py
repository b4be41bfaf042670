"""Making the provider and this site known to each other."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from djstripe.models import WebhookEndpoint, WebhookEventTrigger

from apps.billing import gateway
from apps.billing.services import provider
from studyplatform.kit import jobs

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def urls(standin, *, is_for_accounts=False):
    """The addresses of endpoints for the site's own events, or for those of connected accounts."""
    found = standin.call("GET", "/v1/webhook_endpoints", {}, {"Authorization": f"Bearer {standin.secret_key}"})
    events = list(gateway.ACCOUNT_EVENTS)
    return [one["url"] for one in found.body["data"] if (one["enabled_events"] == events) == is_for_accounts]


def test_an_endpoint_is_registered_once(standin):
    first = provider.connect_webhooks(site="https://study.example/")
    again = provider.connect_webhooks(site="https://study.example")

    assert first.pk == again.pk
    assert urls(standin) == [f"https://study.example/stripe/webhook/{first.djstripe_uuid}"]
    assert first.secret.startswith("whsec_")
    assert len(urls(standin, is_for_accounts=True)) == 1
    assert WebhookEndpoint.objects.count() == 2


def test_an_endpoint_of_another_address_is_replaced(standin):
    provider.connect_webhooks(site="http://127.0.0.1:8000")

    provider.connect_webhooks(site="http://127.0.0.1:9000")

    assert [url[:21] for url in urls(standin)] == ["http://127.0.0.1:9000"]
    assert [url[:21] for url in urls(standin, is_for_accounts=True)] == ["http://127.0.0.1:9000"]
    assert WebhookEndpoint.objects.count() == 2


def test_an_endpoint_that_the_provider_forgot_is_registered_again(standin):
    first = provider.connect_webhooks(site="https://study.example")
    standin.reset()

    second = provider.connect_webhooks(site="https://study.example")

    assert second.pk != first.pk
    assert len(urls(standin)) == 1


def test_the_command_says_what_it_did_and_what_went_wrong(standin, settings):
    out = StringIO()
    call_command("connect_payments", site="https://study.example", stdout=out)
    assert "https://study.example/stripe/webhook/" in out.getvalue()

    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    with pytest.raises(CommandError, match="refused"):
        call_command("connect_payments", site="https://study.example")


@pytest.mark.parametrize("signature", ["", "t=1,v1=00", "nonsense", "t=99999999999,v1=" + "0" * 64])
def test_an_event_without_a_true_signature_is_refused(standin, client, signature):
    endpoint = provider.connect_webhooks(site="http://testserver")
    url = provider.webhook_url("", endpoint.djstripe_uuid)

    answer = client.post(
        url, '{"id": "evt_1", "livemode": false}', content_type="application/json", HTTP_STRIPE_SIGNATURE=signature
    )

    assert answer.status_code == 400
    assert not jobs.queue.Job.objects.filter(kind="billing.handle_event").exists()


def test_an_address_of_no_endpoint_stores_nothing(standin, client):
    provider.connect_webhooks(site="http://testserver")
    url = "/stripe/webhook/00000000-0000-0000-0000-000000000000/"

    answer = client.post(url, "{}", content_type="application/json", HTTP_STRIPE_SIGNATURE="t=1,v1=0")

    assert answer.status_code == 404
    assert not WebhookEventTrigger.objects.exists()
