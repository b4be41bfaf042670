"""Seats of a team in real browsers: bought by invoice or card, assigned by addresses, used, and taken back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from email import message_from_bytes, policy
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import nothing_fails
from tests.e2e.test_buying import ASKS, answer_bank, fill_card
from tests.e2e.test_premium import COURSE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


def link_mailed(site: Site, address: str) -> str:
    """The link in the email to an address; waits for the worker to send it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for file in (Path(site.env["DATA_DIR"]) / "mail").glob("[!.]*.eml"):
            message = message_from_bytes(file.read_bytes(), policy=policy.default)
            text = message.get_body(("plain",))
            if message["To"] == address and text is not None:
                found = re.search(r"/seats/[\w-]+", text.get_content())
                assert found
                return found[0]
        time.sleep(0.2)
    raise AssertionError(f"nothing was mailed to {address}")


def order_seats(page: Page) -> None:
    page.goto("/premium/teams?seats=3")
    page.get_by_role("radio", name="Invoice, 30 days").check()
    page.get_by_role("textbox", name="Company").fill("Halden Instruments Ltd")
    page.get_by_label("Country").select_option("IE")
    page.get_by_label("VAT number").fill("IE6388047V")
    page.get_by_label("Street address").fill("Quay Road")
    page.get_by_label("City or town").fill("Galway")
    page.get_by_label("Postal code").fill("H91 E2N1")
    page.get_by_label("I may order for this company").check()
    page.get_by_role("button", name="Order 3 seats").click()
    expect(page.get_by_text("0 of 3 seats assigned")).to_be_visible()


def test_a_seat_is_assigned_used_and_taken_back(site: Site, people: Callable[..., Page], learners: object) -> None:
    owner, member = (people(next(learners), viewport={"width": 1280, "height": 900}) for _ in range(2))  # type: ignore[call-overload]
    run = uuid4().hex[:8]  # a second attempt must not find the mail of the first
    invited = [f"ravi-{run}@halden.example", f"ife-{run}@halden.example"]
    order_seats(owner)
    emails = owner.get_by_label("Email addresses, one per line")
    emails.fill("\n".join([*invited, "not an address"]))
    owner.get_by_role("button", name="Assign seats").click()
    expect(owner.get_by_text("These aren't email addresses: “not”, “an”, and “address”")).to_be_visible()
    expect(emails).to_have_value(re.compile("not an address"))
    with nothing_fails(owner):
        emails.fill("\n".join(invited))
        owner.get_by_role("button", name="Assign seats").click()
        expect(owner.get_by_text("2 of 3 seats assigned")).to_be_visible()

    with nothing_fails(member):
        member.goto(link_mailed(site, invited[0]))
        expect(member.get_by_role("heading", level=1)).to_have_text("Halden Instruments Ltd has a seat for you")
        expect(member.get_by_text("They never see answers, scores, notes, chats or posts.")).to_be_visible()
        member.get_by_role("button", name="Accept the seat").click()
        # Leaving earlier would cancel the request while the server still handles it.
        expect(member.get_by_text("The seat is yours.").first).to_be_visible()
        member.goto(f"/courses/{COURSE}")
        member.get_by_role("button", name="Start learning").first.click()
        expect(member).to_have_url(re.compile(f"/learn/{COURSE}"))

    with nothing_fails(owner):
        owner.reload()
        expect(owner.get_by_text("1 in use")).to_be_visible()
        owner.get_by_role("button", name="Take the seat back from").click()
        owner.get_by_role("button", name="Take it back").click()
        expect(owner.get_by_text("no longer has a seat")).to_be_visible()
        expect(owner.get_by_text("1 of 3 seats assigned")).to_be_visible()

    member.goto(f"/courses/{COURSE}")
    expect(member.get_by_text("You no longer have a seat of Halden Instruments Ltd").first).to_be_visible()
    expect(member.get_by_role("link", name="See Premium").first).to_be_visible()


@pytest.mark.long
def test_seats_are_paid_by_a_card_that_the_bank_asks_about_and_a_lesson_is_opened(
    site: Site, people: Callable[..., Page], learners: object
) -> None:
    owner, member = (people(next(learners), viewport={"width": 1280, "height": 900}) for _ in range(2))  # type: ignore[call-overload]
    invited = f"ife-{uuid4().hex[:8]}@halden.example"
    with nothing_fails(owner):
        owner.goto("/premium/teams?seats=2")
        owner.get_by_label("I may order for this company").check()
        owner.get_by_role("button", name="Order 2 seats").click()
        expect(owner.get_by_role("heading", level=1)).to_have_text("Pay by card")
        fill_card(owner, ASKS)
        owner.get_by_role("button", name="Pay $").click()
        answer_bank(owner, "Complete")
        expect(owner.get_by_text("0 of 2 seats assigned")).to_be_visible()
        owner.get_by_label("Email addresses, one per line").fill(invited)
        owner.get_by_role("button", name="Assign seats").click()
        expect(owner.get_by_text("1 of 2 seats assigned")).to_be_visible()

    with nothing_fails(member):
        member.goto(link_mailed(site, invited))
        told, accept = member.get_by_text("sees your name"), member.get_by_role("button", name="Accept the seat")
        expect(told).to_be_visible()
        assert told.bounding_box()["y"] < accept.bounding_box()["y"]  # type: ignore[index]  # read before it is accepted
        accept.click()
        expect(member.get_by_text("The seat is yours.").first).to_be_visible()
        member.goto(f"/courses/{COURSE}")
        member.get_by_role("button", name="Start learning").first.click()
        expect(member).to_have_url(re.compile(f"/learn/{COURSE}"))

    with nothing_fails(owner):
        owner.reload()
        owner.locator(".team__link").first.click()
        expect(owner.get_by_role("link", name="Essays That Hold")).to_be_visible()
