"""Emails about payments: to the address that the customer gave, with the document, the seller and the tax."""

from datetime import timedelta

import pytest
from django.core import mail as post

from apps.accounts.models import NotificationChoice
from apps.billing import receivers
from apps.billing.models import Document
from apps.billing.services import issuing, receipts
from studyplatform.kit import jobs
from tests.billing.test_documents import given_back, sold
from tests.factories.selling import NOW, PaymentFactory

pytestmark = pytest.mark.django_db


def sent():
    jobs.run_pending("default")
    jobs.run_pending("default")
    return post.outbox


@pytest.fixture
def payment(mia, settings):
    settings.SELLER_NAME = "Tides Oy"
    NotificationChoice.objects.create(user=mia, kind="billing.paid", in_app=False, mail="off")
    return sold(mia, list_price=5760, tax=920, tax_rate=1900, country="DE", email="books@example.com")


def test_a_receipt_goes_to_the_given_address_with_the_invoice(payment):
    receipts.tell_of_payment(payment=payment)
    receipts.tell_of_payment(payment=payment)

    (email,) = sent()
    assert email.to == ["books@example.com"]
    for text in ("You paid $57.60", "Tides Oy", "$9.20 of it is tax (19%)", "INV-2026-000001", str(payment)):
        assert text in email.body + email.subject
    assert "nsubscribe" not in email.body + str(email.alternatives[0][0]) + str(email.extra_headers)
    (name, content, kind) = email.attachments[-1]
    assert (name, kind, content[:5]) == ("INV-2026-000001.pdf", "application/pdf", b"%PDF-")


def test_a_refund_is_told_with_its_credit_note(payment):
    receipts.tell_of_refund(refund=given_back(payment, 1000, NOW + timedelta(days=400)))

    (email,) = sent()
    assert email.to == ["books@example.com"]
    assert email.attachments[-1][0] == "CN-2027-000001.pdf"


def test_a_document_that_cannot_be_made_does_not_lose_the_email(payment, monkeypatch):
    def fail(_document):
        raise RuntimeError("no fonts")

    monkeypatch.setattr(receivers.documents, "print_document", fail)
    receipts.tell_of_payment(payment=payment)

    (email,) = sent()
    assert "You paid $57.60" in email.subject
    assert len(email.attachments) == 1  # the logo


def test_what_cost_nothing_is_no_payment(mia):
    free = PaymentFactory(user=mia, list_price=0, amount=0, receipt_number=None, title="Tides")
    assert issuing.issue_documents(payment=free, now=NOW) == []
    receipts.tell_of_payment(payment=free)

    assert [each.kind for each in mia.notifications.all()] == ["billing.opened_free"]
    assert "$0" not in "".join(email.body for email in sent())
    assert not Document.objects.exists()


def test_the_settings_offer_no_choice_that_would_lose_a_receipt(browser_of, mia, payment):
    browser = browser_of(mia)
    page = browser.get("/settings/notifications").content.decode()
    assert 'type="hidden" name="mail.billing.paid" value="now"' in page

    browser.post("/settings/notifications", {"kind": "billing.paid", "mail.billing.paid": "off"})
    receipts.tell_of_payment(payment=payment)

    assert len(sent()) == 1
