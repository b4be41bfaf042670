"""The page of what a device stores, the dialog that downloads, the question at sign-out: by keyboard, in all looks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserType, Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import OVERFLOWING, WIDE, sticking_out, violations, violations_in_all_looks
from tests.e2e.offline import download, opened_browser, sign_in, wait_for_worker
from tests.e2e.prepare import FILM

pytestmark = [pytest.mark.e2e, pytest.mark.long]

LESSONS = "/course/lessons?course=linear-algebra-geometrically"


def press(page: Page, name: str) -> None:
    """Press a button by the keyboard."""
    page.get_by_role("button", name=name, exact=True).first.focus()
    page.keyboard.press("Enter")


def test_lessons_are_downloaded_listed_and_kept_at_sign_out(people, learners) -> None:
    page = people(next(learners), viewport=WIDE, service_workers="allow", reduced_motion="reduce")
    page.goto(FILM)
    wait_for_worker(page)
    press(page, "Download")
    sheet = page.get_by_role("dialog", name="Keep this lesson for 30 days")
    expect(sheet.get_by_role("radio", checked=True)).to_be_focused()
    found = violations_in_all_looks(page, "dialog") + sticking_out(page, (320,))
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Download", exact=True)).to_be_focused()
    press(page, "Download")
    sheet.get_by_role("button", name="Download").press("Enter")
    expect(page.locator(".player__title").get_by_role("button", name="On this device")).to_be_visible()

    page.goto(LESSONS)
    section = page.locator("[data-offline-section='1']")
    expect(section).to_contain_text("1 of 5 on this device")
    section.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Download").press("Enter")
    expect(section).to_contain_text("On this device", timeout=60_000)
    found += violations(page) + sticking_out(page, (320,))

    page.goto("/offline")
    rows = page.locator(".kept__list > li")
    expect(rows).to_have_count(5)
    found += violations_in_all_looks(page) + sticking_out(page, (320, 768, 1440), ("academic", "corporate"))
    press(page, "Free up space")
    found += violations_in_all_looks(page, "dialog")
    page.keyboard.press("Escape")

    page.goto("/me/enrollments")
    expect(page.locator("[data-offline-aside]")).to_contain_text("5 lessons")
    expect(page.locator("[data-offline-badges='linear-algebra-geometrically']")).to_contain_text("5 lessons offline")
    found += violations(page) + sticking_out(page, (320, 1440))
    assert not found, "\n".join(found)

    page.set_viewport_size(WIDE)
    page.get_by_label("Account menu").press("Enter")
    page.locator(".menu__panel").get_by_role("button", name="Sign out").press("Enter")
    question = page.get_by_role("dialog", name="Keep your lessons on this device?")
    expect(question.get_by_role("button", name="Keep and sign out")).to_be_focused()
    found = violations_in_all_looks(page, "dialog")
    assert not found, "\n".join(found)
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(page.get_by_label("Account menu")).to_be_visible()  # still signed in
    page.set_viewport_size(WIDE)
    page.get_by_label("Account menu").press("Enter")
    page.locator(".menu__panel").get_by_role("button", name="Sign out").press("Enter")
    expect(question.get_by_role("button", name="Keep and sign out")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()

    page.goto("/offline")
    expect(page.get_by_role("heading", name="5 lessons of an account that is signed out")).to_be_visible()
    assert "Arrows" not in page.locator("main").inner_text()
    found = violations_in_all_looks(page)
    assert not found, "\n".join(found)


def test_the_list_works_without_a_connection(people, learners) -> None:
    page = people(next(learners), viewport=WIDE, service_workers="allow", reduced_motion="reduce")
    page.goto(FILM)
    wait_for_worker(page)
    press(page, "Download")
    page.get_by_role("dialog").get_by_role("button", name="Download").press("Enter")
    expect(page.locator(".player__title").get_by_role("button", name="On this device")).to_be_visible()

    page.context.set_offline(True)
    page.goto("/offline")
    row = page.locator(".kept__list > li")
    expect(row).to_contain_text("A matrix moves the plane")
    expect(page.locator("[data-offline-note]")).to_contain_text("Everything on this page still works")
    expect(page.get_by_text("The list of your devices needs a connection.")).to_be_visible()
    expect(page.locator(".kept__head .plate svg")).to_be_visible()
    found = violations_in_all_looks(page) + sticking_out(page, (320, 1440))
    assert not found, "\n".join(found)

    row.get_by_role("button", name="Remove").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Remove").press("Enter")
    expect(page.get_by_role("heading", name="Nothing downloaded yet")).to_be_visible()
    expect(page.get_by_role("button", name="Check connection")).to_be_visible()
    page.context.set_offline(False)


def test_text_of_twice_the_size_fits(
    site: Site, learners: Iterator[str], browser_type: BrowserType, tmp_path: Path
) -> None:
    """As people set it in their browser, so that media queries in em follow it."""
    sizes = [(width, 900) for width in (390, 640, 1440)]
    with opened_browser(
        browser_type, tmp_path / "profile", site.base, "--blink-settings=defaultFontSize=32"
    ) as context:
        page = context.new_page()
        sign_in(page, next(learners))
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        found: list[str] = []

        def look(name: str) -> None:
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                found.extend(f"{name}: {part} at {width}" for part in page.evaluate(OVERFLOWING))

        page.goto(FILM)
        wait_for_worker(page)
        press(page, "Download")
        expect(page.get_by_role("dialog")).to_be_visible()
        look("sheet")
        page.keyboard.press("Escape")
        page.set_viewport_size(WIDE)
        download(page)
        look("lesson")
        page.goto("/offline")
        expect(page.locator(".kept__list > li")).to_have_count(1)
        look("list")
        page.goto(LESSONS)
        expect(page.locator("[data-offline-section='1']")).to_contain_text("1 of 5")
        look("course")
        context.set_offline(True)
        for address in ("/offline", FILM, "/courses"):
            page.goto(address)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            look(f"shell {address}")
        context.set_offline(False)
    assert not found, "\n".join(found)
