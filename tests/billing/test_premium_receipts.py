"""Receipts of Premium go where the subscriber wants them, with their documents."""

import pytest
from django.core import mail as post

from apps.billing import services
from apps.billing.models import Payment, Subscription
from studyplatform.kit import jobs
from tests.billing.subscribers import Subscriber

pytestmark = pytest.mark.django_db
PAGE = "/billing/subscriptions"


def documents_sent():
    for _ in range(3):
        jobs.run_pending("default")
    return [(mail.to[0], mail.attachments[-1][0][:3]) for mail in post.outbox if mail.attachments]


def test_each_payment_and_refund_goes_to_the_address_of_its_time(standin, card_form, leo, sam, browser_of, settings):
    settings.PREMIUM_TRIAL_DAYS = 0
    subscriber, browser = Subscriber(standin, card_form, leo), browser_of(leo)
    card = subscriber.card()
    started = subscriber.start(card, trial=0, email="books@example.com")
    subscriber.form.confirm(started.client_secret, method=card.gateway_id)
    subscriber.sync()
    assert documents_sent() == [("books@example.com", "INV")]

    assert "Receipts go to books@example.com." in browser.get(PAGE).content.decode()
    wrong = browser.post(f"{PAGE}/email", {"email": "books@"})
    assert wrong.status_code == 422
    assert 'value="books@"' in wrong.content.decode()
    browser.post(f"{PAGE}/email", {"email": "tax@example.com"})
    subscriber.wait(days=31)
    subscriber.sync()
    assert documents_sent()[1:] == [("tax@example.com", "INV")]

    first = Payment.objects.earliest("paid_at")
    services.refund_by_admin(payment=first, amount=first.amount, reason="Twice", admin=sam, now=subscriber.now)
    assert documents_sent()[2:] == [("books@example.com", "CN-")]

    browser.post(f"{PAGE}/email", {"email": leo.email.upper()})
    assert Subscription.objects.get().email == ""  # follows the account's address
    assert f"Receipts go to {leo.email}." in browser.get(PAGE).content.decode()


def test_someone_without_premium_changes_nothing(browser_of, mia, leo):
    assert browser_of(mia).post(f"{PAGE}/email", {"email": "a@example.com"}).status_code == 302
    assert browser_of(mia).post(f"{PAGE}/email", {"email": ""}).status_code == 422
    assert not Subscription.objects.exists()
