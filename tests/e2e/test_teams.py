"""Seats for a team in a real browser: a company orders them by invoice, and pays the invoice by card."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import nothing_fails
from tests.e2e.test_buying import GOOD, fill_card

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


def test_a_company_orders_seats_by_invoice_and_pays_it_by_card(people: Callable[..., Page], learners: object) -> None:
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
        expect(page.get_by_text("VAT number of that country")).to_be_visible()
        page.get_by_label("VAT number").fill("IE6388047V")
        page.get_by_label("City or town").fill("Galway")
        page.get_by_label("Postal code").fill("H91 E2N1")
        page.get_by_label("Your order number").fill("PO-2026-0118")
        page.get_by_label("I may order for this company").check()
        page.get_by_role("button", name="Order 20 seats for $2,380.00").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Halden Instruments Ltd")
        expect(page.get_by_text("20 seats are open.")).to_be_visible()
        expect(page.get_by_text("0 of 20 seats assigned")).to_be_visible()

        page.get_by_role("link", name="Pay by card now").click()
        fill_card(page, GOOD)
        page.get_by_role("button", name="Pay $2,380.00").click()
        expect(page).to_have_url(re.compile("/billing/teams/"), timeout=30_000)
        expect(page.get_by_role("link", name="Pay by card now")).to_have_count(0)
        expect(page.get_by_role("link", name="Give seats back")).to_be_visible()
