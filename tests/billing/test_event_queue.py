"""An event that was handled never counts as waiting, also if its job is done before dj-stripe saves it again."""

import json
from datetime import timedelta

import pytest
import stripe
from django.utils import timezone
from djstripe.models import WebhookEventTrigger

from apps.billing.gateway.client import client
from apps.billing.models import BooksCheck
from apps.billing.purchases import purchase_of_course
from apps.billing.queries import webhook_events
from apps.billing.services import books_checks, checkout
from apps.billing.services import webhooks as service
from studyplatform.kit import jobs

pytestmark = pytest.mark.django_db


def states():
    return webhook_events.counts_by_state(webhook_events.events())


@pytest.fixture
def pay(standin, card_form, mia, paid):
    """Mia pays for the course."""

    def pay():
        begun = checkout.begin_order(
            user=mia, purchase=purchase_of_course(paid), code="", country="", email="", expected_total=6400,
            expected_currency="usd", card="", saves_card=False, agrees=True, now=timezone.now(),
        )  # fmt: skip
        card_form.confirm(begun.client_secret)

    return pay


def test_an_event_is_not_waiting_although_its_job_was_done_at_once(webhooks, pay, monkeypatch):
    enqueue = service.jobs.enqueue

    def run_at_once(kind, **payload):
        made = enqueue(kind, **payload)
        if kind == "billing.handle_event":
            jobs.run_pending("default")
        return made

    monkeypatch.setattr(service.jobs, "enqueue", run_at_once)
    pay()
    webhooks()

    assert states()["handled"] > 0
    assert set(states()) <= {"handled", "ignored"}


def test_events_about_what_is_gone_are_done(webhooks, monkeypatch):
    """The customer of a deleted account, and a connected account that was closed."""
    customers = client().v1.customers
    gone, here = (customers.create({"email": f"{name}@example.com"}).id for name in ("mia", "leo"))
    customers.update(gone, {"name": "Mia"})
    customers.delete(gone)
    webhooks()
    assert states() == {"handled": WebhookEventTrigger.objects.count()}

    def refuses(trigger, **_):
        raise stripe.PermissionError("This key doesn't have access")

    monkeypatch.setattr(WebhookEventTrigger, "process", refuses)
    of_customer, of_account = (
        WebhookEventTrigger(remote_ip="::1", headers={}, valid=True, body=json.dumps({"type": kind, "data": data}))
        for kind, data in (
            ("customer.updated", {"object": {"object": "customer", "id": here}}),
            ("account.updated", {"object": {"object": "account", "id": "acct_closed"}}),
        )
    )
    service.handle(of_account, now=timezone.now())
    assert of_account.processed
    with pytest.raises(stripe.PermissionError):
        service.handle(of_customer, now=timezone.now())


def test_an_event_that_waits_without_a_job_is_handled_at_night(webhooks, pay):
    pay()
    webhooks()
    WebhookEventTrigger.objects.update(processed=False)
    now = timezone.now()
    check = BooksCheck(kind="provider", repairs=True, days=30, state="running", started_at=now)
    books_checks.run_check(check, now=now + timedelta(hours=2))

    assert states()["handled"] > 0
    assert states()["waiting"] == 0
    assert {each["outcome"] for each in check.findings} == {"repaired"}
