"""Admins are told what waits for them, once; instructors get their statement with the email about a payout."""

from datetime import UTC, datetime, timedelta

import pypdfium2
import pytest
from django.core import mail
from django.utils import timezone

from apps.accounts.models import Notification
from apps.billing import services
from apps.billing.models import Dispute, Payout, PayoutAccount
from apps.billing.services import admin_notices, payouts, refunds
from studyplatform.kit import jobs
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale
from tests.factories.selling import PaymentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent_payout(ada):
    now = timezone.now()
    PayoutAccount.objects.create(user=ada, method="bank", holder="Ada", last4="1234", changed_at=now)
    sale(ada.pk, 10_000, at=now - timedelta(days=40), description="Rivers")
    payouts.run(now.date(), now=now)
    payout = Payout.objects.get()
    services.mark_payout_sent(payout.pk, now=now)
    return payout


def told(user, kind):
    return list(Notification.objects.filter(user=user, kind=kind))


def test_a_request_that_needs_a_decision_reaches_every_active_admin(sam, leo):
    other, blocked = UserFactory(role="admin"), UserFactory(role="admin", is_active=False)
    payment = PaymentFactory(user=leo, paid_at=timezone.now() - timedelta(days=60))

    refunds.request_refund(user=leo, payment=payment, reason="Too hard", now=timezone.now())

    for admin in (sam, other):
        [notice] = told(admin, "billing.refund_requested")
        assert notice.link == "/dashboard/admin/refunds"
        assert "Too hard" in str(notice.params)
    assert told(blocked, "billing.refund_requested") == []
    assert told(leo, "billing.refund_requested") == []


def test_a_dispute_names_its_deadline_and_is_told_once(sam):
    payment = PaymentFactory()
    dispute = Dispute.objects.create(payment=payment, gateway_id="dp_1", amount=6400, opened_at=timezone.now())
    dispute.answer_by = datetime(2026, 7, 3, tzinfo=UTC)
    for _ in range(2):
        admin_notices.tell_admins_of_dispute(dispute, now=timezone.now())
    [notice] = told(sam, "billing.dispute_opened")

    assert notice.params["deadline"] == "Answer at the payment provider by 3 July 2026, or the money is lost."


def test_the_email_about_a_payout_has_its_statement(sent_payout, ada):
    jobs.run_pending("default")

    files = [file for letter in mail.outbox if letter.to == [ada.email] for file in letter.attachments]
    [(name, content, kind)] = [file for file in files if isinstance(file, tuple) and file[0].endswith(".pdf")]
    assert (name, kind) == (f"payout-{sent_payout.created_at:%Y-%m-%d}.pdf", "application/pdf")
    text = pypdfium2.PdfDocument(content)[0].get_textpage().get_text_bounded()
    assert "Rivers" in text
    assert "$70.00" in text


def test_a_payout_that_comes_back_is_told_to_admins(sent_payout, sam):
    services.fail_payout(sent_payout.pk, Payout.Failure.ACCOUNT_CLOSED, now=timezone.now())
    services.fail_payout(sent_payout.pk, Payout.Failure.ACCOUNT_CLOSED, now=timezone.now())

    [notice] = told(sam, "billing.payout_not_sent")
    assert notice.params["reason"] == "The account is closed"
