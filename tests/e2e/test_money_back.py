"""Money back in a real browser: what a learner requests, an admin grants and a credit note documents."""

from __future__ import annotations

from collections.abc import Callable

import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.test_buying import GOOD, agree_and_pay, checkout, fill_card

__all__ = ["checkout"]
pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

TITLE = "How Compilers Think"
REASON = "My university offers the same course."


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
