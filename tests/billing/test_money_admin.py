"""Django's admin shows what services wrote about money, and changes none of it."""

import pytest
from django.urls import reverse

from apps.billing.models import Customer, Dispute, Refund
from tests.factories.selling import (
    NOW,
    CardFactory,
    GrantFactory,
    OrderFactory,
    PaymentFactory,
    PromoCodeFactory,
    SubscriptionFactory,
)

pytestmark = pytest.mark.django_db


def test_rows_about_money_are_shown_and_cannot_be_changed(browser_of, sam):
    payment = PaymentFactory(receipt_number="2026-000042")
    user = payment.user
    rows = [
        payment,
        OrderFactory(user=user),
        Refund.objects.create(payment=payment, amount=1250, status="done", requested_at=NOW),
        Dispute.objects.create(payment=payment, gateway_id="dp_1", amount=6400, opened_at=NOW),
        PromoCodeFactory(),
        SubscriptionFactory(user=user),
        GrantFactory(user=user),
        Customer.objects.create(user=user, gateway_id="cus_1"),
        CardFactory(user=user),
    ]
    browser = browser_of(sam)
    for row in rows:
        name = f"admin:billing_{row._meta.model_name}"
        before = type(row).objects.filter(pk=row.pk).values().get()

        assert browser.get(reverse(f"{name}_changelist")).status_code == 200
        assert browser.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
        assert browser.post(reverse(f"{name}_change", args=[row.pk]), {"amount": 1}).status_code == 403
        assert browser.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        assert browser.post(reverse(f"{name}_add"), {}).status_code == 403
        assert type(row).objects.filter(pk=row.pk).values().get() == before
    assert "$12.50" in browser.get(reverse("admin:billing_refund_changelist")).content.decode()
