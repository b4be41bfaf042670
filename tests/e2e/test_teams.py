"""Seats for a team in a real browser: the price follows the form, and the VAT number is checked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import nothing_fails

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


def test_the_price_of_seats_follows_the_form(people: Callable[..., Page], learners: object) -> None:
    page = people(next(learners), viewport={"width": 1280, "height": 900})  # type: ignore[call-overload]
    with nothing_fails(page):
        page.goto("/premium/teams?seats=19")
        summary = page.get_by_role("complementary", name="Your order")
        expect(summary).to_contain_text("19 × ")
        page.get_by_role("button", name="One seat more").click()
        expect(summary).to_contain_text("15% off from 20 seats")
        expect(summary).to_contain_text("$2,380.00")
        page.get_by_role("radio", name="One course").check()
        page.locator("#id_q").fill("zzzz")
        expect(page.get_by_text("No course has these words")).to_be_visible()
        page.get_by_role("radio", name="Premium").check()
        page.get_by_role("radio", name="Invoice, 30 days").check()
        expect(summary).to_contain_text("Due by ")
        page.get_by_role("textbox", name="Company").fill("Halden Instruments Ltd")
        page.get_by_role("combobox", name="Country").select_option("IE")
        page.get_by_label("VAT number").fill("IE123")
        page.get_by_label("Street address").fill("Quay Road")
        expect(page.locator("#id_vat_id-e")).to_contain_text("VAT number of that country")
