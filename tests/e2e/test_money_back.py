"""Money in a real browser: what a learner requests back and an admin grants, and the next charge on every page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.test_buying import GOOD, agree_and_pay, checkout, fill_card
from tests.e2e.test_premium import Past, at_the_subscription, provider

__all__ = ["checkout", "provider"]
pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

TITLE = "How Compilers Think"
REASON = "My university offers the same course."
MAKE_CODE = """
from django.utils import timezone
from apps.accounts.models import User
from apps.billing.models import PromoCode
PromoCode.objects.get_or_create(code="HALF", defaults={
    "scope": "premium", "percent": 50, "created_by": User.objects.filter(role="admin").first(),
    "created_at": timezone.now()})
"""


def test_an_admin_grants_a_refund_and_its_credit_note_opens(
    site: Site, people: Callable[..., Page], checkout: Page
) -> None:
    fill_card(checkout, GOOD)
    agree_and_pay(checkout)
    expect(checkout.get_by_role("heading", level=1)).to_have_text(f"{TITLE} is yours")
    with site.database() as rows:  # too long ago for an immediate refund
        rows.execute(
            "UPDATE billing_payment SET paid_at = datetime(paid_at, '-20 days')"
            " WHERE id = (SELECT MAX(id) FROM billing_payment)"
        )
    checkout.goto("/billing/transactions")
    checkout.get_by_role("link", name=TITLE).first.click()
    address = checkout.url
    checkout.get_by_role("link", name="Ask for a refund").click()
    expect(checkout.get_by_text("An admin will review this refund")).to_be_visible()
    checkout.get_by_label("Reason").fill(REASON)
    checkout.get_by_label("I understand that").check()
    checkout.get_by_role("button", name="Send the request").click()
    expect(checkout.get_by_text(REASON)).to_be_visible()

    admin = people("admin", viewport={"width": 1280, "height": 900})
    admin.goto("/dashboard/admin/refunds")
    request = admin.get_by_role("listitem").filter(has_text=REASON).filter(has_text="$64.00").last
    request.get_by_label("Reason").fill("Granted.")
    request.get_by_role("button", name="Refund").click()
    expect(admin.get_by_role("listitem").filter(has_text=REASON).filter(has_text="$64.00")).to_have_count(0)

    checkout.goto(address)
    expect(checkout.get_by_text("Refunded").first).to_be_visible()
    with checkout.expect_download() as begun:
        checkout.get_by_role("link", name="Credit note CN-").click()
    text = " ".join(pypdfium2.PdfDocument(begun.value.path())[0].get_textpage().get_text_bounded().split())
    assert [each for each in ("Credit note", TITLE, "64.00") if each not in text] == []


def subject_of_receipt(site: Site, email: str) -> str:
    """The subject of the newest receipt that was emailed to an address; waits for the worker to send it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for file in sorted((Path(site.env["DATA_DIR"]) / "mail").glob("[!.]*.eml"), reverse=True):
            words = file.read_text()
            found = re.search(r"^Subject: (You paid .*)$", words, re.MULTILINE)
            if found and f"To: {email}" in words:
                return found[1]
        time.sleep(0.1)
    raise AssertionError(f"no receipt was mailed to {email}")


def test_the_next_charge_is_the_same_everywhere_with_a_promo_code(
    site: Site, people: Callable[..., Page], learners: Iterator[str], provider: Past
) -> None:
    site.manage("shell", "-c", MAKE_CODE)
    learner = people(next(learners), viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    provider(8)
    learner.goto("/billing/premium?plan=monthly")
    learner.get_by_label("Promo code").fill("half")
    learner.get_by_role("button", name="Apply").click()
    summary = learner.locator(".pay__sum")
    expect(summary).to_contain_text("$7.00")
    expect(summary).to_contain_text("Then $14.00 a month")
    fill_card(learner, GOOD)
    learner.get_by_label("Send it to").fill("books@example.com")
    learner.get_by_label("I agree to the").check()
    learner.get_by_role("button", name="Start 7 free days").click()
    learner.wait_for_url("**/billing/subscriptions")  # leaving earlier would end the payment
    at_the_subscription(learner, "Free trial until")
    area = learner.locator(".bill__area")
    expect(area).to_contain_text("The first payment is $7.00")
    expect(area).to_contain_text("Receipts go to books@example.com.")
    learner.get_by_role("link", name="Change to yearly").click()
    expect(area).to_contain_text("$70.00")  # the code counts for the first payment, whichever plan it is for

    provider(0)
    at_the_subscription(learner, "for $14.00, charged to the card ending 4242")
    assert subject_of_receipt(site, "books@example.com").startswith("You paid $7.00 for Premium, monthly")
    learner.goto("/billing/transactions")
    expect(learner.get_by_role("row").filter(has_text="Premium, monthly")).to_contain_text("$7.00")
