"""Buying a course in a real browser, from the course page to the open course, with the stand-in's card fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import nothing_fails

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

COURSE = "how-compilers-think"
FONTS_ARRIVED = """(wanted) => wanted.every((family) =>
  [...document.fonts].some((one) => one.family.includes(family) && one.status === "loaded"))"""
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
        fields = next(frame for frame in checkout.frames if frame.url.endswith("/frame/card"))
        fields.wait_for_function(FONTS_ARRIVED, arg=["Instrument Sans", "Geist Mono"])
        expect(fields.get_by_text("Card number")).to_have_css("font-family", re.compile("^.?Instrument Sans"))
        agree_and_pay(checkout)
        expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")
        expect(checkout.get_by_text("Visa •••• 4242")).to_be_visible()
        checkout.get_by_role("link", name="Start learning").click()

    data = Path(site.env["DATA_DIR"])
    # Without the messages that wake the worker: they disappear while the files are read, and name jobs only.
    kept = [one for one in data.rglob("*") if one.is_file() and not {"standin", "queue"} & set(one.parts)]
    assert data / "server.log" in kept
    written = []
    for one in sorted(kept, reverse=True):  # the log of the database before the database, which takes it in
        with suppress(FileNotFoundError):  # the log disappears with the last connection
            if GOOD.encode() in one.read_bytes():
                written.append(one.name)
    assert written == []


MAKE_CODE = """
from django.utils import timezone
from apps.billing.models import PromoCode
from apps.courses.models import Course
course = Course.objects.get(slug="how-compilers-think")
PromoCode.objects.get_or_create(code="HEDGE", defaults={
    "scope": "course", "course": course, "percent": 10, "created_by": course.instructor, "created_at": timezone.now()})
"""


def answer_bank(page: Page, button: str) -> None:
    page.frame_locator("iframe[title='Your bank']").get_by_role("button", name=button).click()


@pytest.mark.long
def test_a_promo_code_the_banks_question_a_refund_and_the_instructors_earnings(
    site: Site, people: Callable[..., Page], checkout: Page
) -> None:
    site.manage("shell", "-c", MAKE_CODE)
    checkout.get_by_label("Promo code").fill("hedge")
    checkout.get_by_role("button", name="Apply").click()
    expect(checkout.locator(".pay__total b")).to_have_text("$57.60")
    fill_card(checkout, ASKS)
    agree_and_pay(checkout)
    answer_bank(checkout, "Complete")
    expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")
    expect(checkout.get_by_text("$57.60").first).to_be_visible()

    checkout.goto("/billing/transactions")
    checkout.get_by_role("link", name="How Compilers Think").first.click()
    checkout.get_by_role("link", name="Ask for a refund").click()
    expect(checkout.get_by_text("The refund is immediate")).to_be_visible()
    checkout.get_by_label("Reason").fill("I expected something else.")
    checkout.get_by_label("I understand that").check()
    checkout.get_by_role("button", name="Get the refund").click()
    expect(checkout.get_by_text("$57.60 was refunded.")).to_be_visible()
    checkout.goto(f"/courses/{COURSE}")
    expect(checkout.get_by_role("link", name="Buy this course").first).to_be_visible()

    instructor = people("marek.dvorak", viewport={"width": 1280, "height": 900})
    instructor.goto("/dashboard/instructor/earnings/")
    rows = instructor.locator(".ledger")
    for kind, amount in (("Sale", "$40.32"), ("Refund", "−$40.32")):
        row = rows.get_by_role("row").filter(has_text=kind).filter(has_text=amount)
        expect(row.first).to_contain_text("How Compilers Think")


@pytest.mark.long
def test_a_learner_who_refuses_the_banks_question_pays_nothing_and_can_pay_later(checkout: Page) -> None:
    fill_card(checkout, ASKS)
    agree_and_pay(checkout)
    answer_bank(checkout, "Fail")
    expect(checkout.locator(".notice--error")).to_contain_text("Nothing was charged.")
    checkout.goto("/billing/transactions")
    expect(checkout.get_by_text("How Compilers Think")).to_have_count(0)

    checkout.goto(f"/billing/checkout?course={COURSE}")
    fill_card(checkout, ASKS)
    agree_and_pay(checkout)
    answer_bank(checkout, "Complete")
    expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")


@pytest.mark.long
def test_a_saved_card_that_the_bank_asks_about_pays_for_a_course(checkout: Page) -> None:
    checkout.goto("/billing/methods")
    checkout.get_by_role("button", name="Add a card").click()
    fill_card(checkout, ASKS)
    checkout.get_by_role("button", name="Save card").click()
    answer_bank(checkout, "Complete")
    expect(checkout.get_by_text("Visa ending 3155 was saved")).to_be_visible()

    checkout.goto(f"/billing/checkout?course={COURSE}")
    expect(checkout.get_by_role("radio", name="3155")).to_be_checked()
    agree_and_pay(checkout)
    answer_bank(checkout, "Complete")
    expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")


@pytest.mark.long
def test_an_instructor_gives_payout_details_at_the_provider(people: Callable[..., Page]) -> None:
    page = people("daniel.reyes", viewport={"width": 1280, "height": 900})
    page.goto("/dashboard/instructor/earnings/details")
    page.get_by_role("button", name="Set it up on the provider's site").click()
    page.get_by_label("First name").fill("Daniel")
    page.get_by_label("Last name").fill("Reyes")
    page.get_by_label("I agree").check()
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page.get_by_text("Your payouts go to your account at the payment provider.")).to_be_visible()


@pytest.mark.long
def test_a_declined_card_charges_nothing_and_another_one_buys_the_course(checkout: Page) -> None:
    fill_card(checkout, DECLINED)
    agree_and_pay(checkout)
    expect(checkout.locator(".notice--error")).to_contain_text("Nothing was charged.")
    expect(checkout.get_by_label("I agree to the")).to_be_checked()

    fill_card(checkout, GOOD)
    checkout.get_by_role("button", name="Pay $").click()

    expect(checkout.get_by_role("heading", level=1)).to_have_text("How Compilers Think is yours")


def test_a_company_abroad_buys_with_reverse_charge_and_gets_its_invoice(checkout: Page) -> None:
    with nothing_fails(checkout):
        checkout.get_by_label("Country").select_option("DE")
        checkout.get_by_label("I buy as a company").check()
        company = {
            "Company": "Müller & Söhne GmbH", "Street address": "Hafenstraße 5", "Postal code": "20095",
            "City or town": "Hamburg", "VAT number": "de 136 695 976",
        }  # fmt: skip
        for label, text in company.items():
            checkout.get_by_label(label, exact=True).fill(text)
        checkout.get_by_label("Your reference").fill("PO 4711")
        expect(checkout.get_by_role("complementary").get_by_text("Reverse charge")).to_be_visible()
        fill_card(checkout, GOOD)
        agree_and_pay(checkout)
        checkout.get_by_role("link", name="Receipt").click()
        expect(checkout.get_by_text("VAT number DE136695976")).to_be_visible()
        with checkout.expect_download() as begun:
            checkout.get_by_role("link", name="Invoice INV-").click()

    document = pypdfium2.PdfDocument(begun.value.path())
    text = " ".join(document[0].get_textpage().get_text_bounded().split())
    wanted = ["Müller & Söhne GmbH", "20095 Hamburg", "DE136695976", "PO 4711", "Reverse charge: the customer accounts"]
    assert [each for each in wanted if each not in text] == []
