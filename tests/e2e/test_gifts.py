"""A gift in a real browser: one learner pays, another one redeems the code from the email."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import nothing_fails
from tests.e2e.test_buying import COURSE, GOOD, agree_and_pay, fill_card

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

RECIPIENT = "friend@gifts.example"


def code_mailed(site: Site) -> str:
    """The code in the email to the recipient; waits for the worker to send it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for file in (Path(site.env["DATA_DIR"]) / "mail").glob("[!.]*.eml"):
            message = message_from_bytes(file.read_bytes(), policy=policy.default)
            text = message.get_body(("plain",))
            if message["To"] == RECIPIENT and text is not None:
                found = re.search(r"/gift/([2-9A-Z-]{24})", text.get_content())
                assert found
                return found[1]
        time.sleep(0.2)
    raise AssertionError(f"nothing was mailed to {RECIPIENT}")


def test_a_gift_is_bought_mailed_and_redeemed_by_someone_else(
    site: Site, people: Callable[..., Page], learners: object
) -> None:
    buyer, friend = (people(next(learners), viewport={"width": 1280, "height": 900}) for _ in range(2))  # type: ignore[call-overload]
    with nothing_fails(buyer):
        buyer.goto(f"/courses/{COURSE}")
        buyer.get_by_role("link", name="Give it as a gift").click()
        buyer.get_by_label("Recipient's name").fill("Nora")
        buyer.get_by_label("Recipient's email").fill(RECIPIENT)
        buyer.get_by_label("Your name").fill("Ines")
        buyer.get_by_label("Message").fill("Enjoy it!")
        fill_card(buyer, GOOD)
        expect(buyer.get_by_role("button", name="Pay $")).not_to_have_attribute("aria-busy", "true")
        agree_and_pay(buyer)
        expect(buyer.locator(".field__error")).to_have_count(0)
        expect(buyer.get_by_role("heading", level=1)).to_have_text("Your gift is ready")
    code = code_mailed(site)

    with nothing_fails(friend):
        friend.goto("/gift")
        friend.get_by_label("Gift code").fill(code.replace("-", " ").lower())
        friend.get_by_role("button", name="Continue").click()
        expect(friend.get_by_role("heading", level=1)).to_have_text("Ines gave you a gift")
        friend.get_by_role("button", name="Redeem the gift").click()
        friend.get_by_role("link", name="Start learning").click()
        expect(friend).to_have_url(re.compile(f"/learn/{COURSE}"))

    buyer.goto("/billing/gifts")
    expect(buyer.get_by_text("Redeemed", exact=True)).to_be_visible()
