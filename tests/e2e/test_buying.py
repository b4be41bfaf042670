"""Buying a course in a real browser, from the course page to the open course, with the stand-in's card fields."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import nothing_fails

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

COURSE = "how-compilers-think"
GOOD, DECLINED, ASKS = "4242424242424242", "4000000000000002", "4000002500003155"


@pytest.fixture
def checkout(people: Callable[..., Page], learners: object) -> Page:
    """The checkout of a learner, reached from the course page."""
    page = people(next(learners), viewport={"width": 1280, "height": 900}, reduced_motion="reduce")  # type: ignore[call-overload]
    page.goto(f"/courses/{COURSE}")
    page.get_by_role("link", name="Buy this course").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Checkout")
    return page


def fill_card(page: Page, number: str) -> None:
    card = page.frame_locator(".methods__fields iframe")
    card.get_by_label("Card number").fill(number)
    card.get_by_label("Expir").fill("12 / 34")
    card.get_by_label("Security code").fill("123")


def agree_and_pay(page: Page) -> None:
    page.get_by_label("I agree to the").check()
    page.get_by_role("button", name="Pay $").click()


def test_a_learner_buys_a_course_and_the_number_of_the_card_stays_at_the_provider(site: Site, checkout: Page) -> None:
    with nothing_fails(checkout):
        fill_card(checkout, GOOD)
        agree_and_pay(checkout)
        expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")
        expect(checkout.get_by_text("Visa •••• 4242")).to_be_visible()
        checkout.get_by_role("link", name="Start learning").click()

    data = Path(site.env["DATA_DIR"])
    kept = [one for one in data.rglob("*") if one.is_file() and "standin" not in one.parts]
    assert data / "server.log" in kept
    written = [one.name for one in kept if GOOD.encode() in one.read_bytes()]
    assert written == []


@pytest.mark.long
def test_a_declined_card_charges_nothing_and_another_one_buys_the_course(checkout: Page) -> None:
    fill_card(checkout, DECLINED)
    agree_and_pay(checkout)
    expect(checkout.locator(".notice--error")).to_contain_text("Nothing was charged.")
    expect(checkout.get_by_label("I agree to the")).to_be_checked()

    fill_card(checkout, GOOD)
    checkout.get_by_role("button", name="Pay $").click()

    expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")
