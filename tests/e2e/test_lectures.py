"""The lectures page from end to end: everything that is done to an outline is done by keyboard, and undone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 800}


def titles(page: Page) -> Locator:
    return page.locator(".unit [data-title]")


def lesson(page: Page, title: str) -> Locator:
    return page.get_by_role("link", name=title, exact=True)


def row(page: Page, title: str) -> Locator:
    return page.locator("[data-lesson]").filter(has=lesson(page, title))


def undo(page: Page, said: str, after: list[str]) -> None:
    """Look at what was said, and take it back with the keys."""
    expect(page.locator("[data-undo-line]")).to_contain_text(said)
    page.locator(".unit summary").first.focus()
    page.keyboard.press("Control+z")
    expect(page.locator("[data-undo-line]")).to_contain_text("Undone: ")
    expect(titles(page)).to_have_text(after)


def test_an_outline_is_built_changed_and_sent_elsewhere_without_a_reload(
    people: Callable[..., Page], drafts: Iterator[str]
) -> None:
    address, other = next(drafts), next(drafts)
    page = people("sorter", viewport=DESK)
    page.goto(address)
    page.evaluate("document.body.dataset.same = 'page'")

    page.get_by_label("New section title").fill("Delta")
    page.keyboard.press("Enter")
    expect(titles(page)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea", "Delta"])
    for title in ("Silt", "Reeds"):
        page.get_by_label("New lesson title in section 3").fill(title)
        page.keyboard.press("Enter")
        expect(page.locator("#panel").get_by_label("Title")).to_have_value(title)
        expect(page.locator("#panel")).to_be_focused()
    whole = ["Downhill", "Spring", "Brook", "River", "Sea", "Delta", "Silt", "Reeds"]
    expect(titles(page)).to_have_text(whole)

    lesson(page, "Silt").focus()
    page.keyboard.press("F2")
    expect(page.get_by_label("New title of “Silt”")).to_be_focused()
    page.keyboard.type("Sand")
    page.keyboard.press("Enter")
    undo(page, "Lesson renamed to “Sand”.", whole)

    lesson(page, "Silt").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(titles(page)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea", "Silt", "Delta", "Reeds"])
    undo(page, "“Silt” is now 2.1.", whole)

    lesson(page, "Spring").focus()
    page.keyboard.press(" ")
    page.keyboard.press("Shift+ArrowDown")
    bar = page.get_by_role("toolbar", name="Selected lessons")
    bar.get_by_label("Set …").select_option(label="Optional lesson")
    expect(row(page, "Brook")).to_contain_text("Optional")
    undo(page, "Settings of 2 items were changed.", whole)
    expect(row(page, "Brook")).not_to_contain_text("Optional")

    bar.get_by_role("button", name="Opens …").press("Enter")
    page.get_by_role("dialog").get_by_label("Date and time").fill("2031-01-11T08:00")
    page.keyboard.press("Enter")
    expect(row(page, "Spring")).to_contain_text("Opens on 11 Jan 2031, 08:00")
    bar.get_by_role("button", name="Opens …").press("Enter")
    page.get_by_role("dialog").get_by_label("Days after enrollment").last.fill("3")
    page.keyboard.press("Enter")
    expect(row(page, "Spring")).to_contain_text("Opens 3 days after enrollment")
    undo(page, "Settings of 2 items were changed.", whole)
    expect(row(page, "Spring")).to_contain_text("Opens on 11 Jan 2031, 08:00")

    lesson(page, "Spring").focus()
    page.keyboard.press("Delete")
    expect(titles(page)).to_have_text(["Downhill", "River", "Sea", "Delta", "Silt", "Reeds"])
    undo(page, "2 items were deleted.", whole)

    row(page, "River").locator("summary").click()
    row(page, "River").get_by_role("button", name="Copy or move to another course").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("searchbox").fill("sea")
    expect(dialog.get_by_role("button", name=re.compile("^Copy: 2 Sea")).first).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("[data-undo-line]")).to_contain_text("“River” copied to “A course to be sorted”.")
    there = page.locator("[data-undo-line]").get_by_role("link").get_attribute("href")
    assert there
    undo(page, "copied to", whole)
    assert page.evaluate("document.body.dataset.same") == "page"
    page.goto(there)
    expect(titles(page).filter(has_text="River")).to_have_count(1)
    page.goto(other)
    expect(titles(page)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea"])


def test_the_panel_says_what_is_missing_and_saves_what_can_be_undone(
    people: Callable[..., Page], drafts: Iterator[str]
) -> None:
    page = people("sorter")
    page.goto(next(drafts))
    page.get_by_label("New lesson title in section 2").fill("Salt")
    page.keyboard.press("Enter")
    panel = page.locator("#panel")
    findings = panel.get_by_role("list", name="Findings")
    expect(findings.get_by_role("link")).to_have_count(1)
    assert violations(page) == []

    panel.get_by_text("When the lesson opens").click()
    panel.get_by_label("Opens on").fill("2031-01-11T08:00")
    expect(panel.locator("[data-saving]")).to_have_text(re.compile("^Saved "))
    panel.get_by_label("Opens after enrollment").fill("5")
    expect(row(page, "Salt")).to_contain_text("Opens 5 days after enrollment")
    expect(panel.get_by_label("Opens on")).to_have_value("")
    page.locator(".unit summary").first.focus()
    page.keyboard.press("Control+z")
    expect(panel.get_by_label("Opens on")).to_have_value("2031-01-11T08:00")
    expect(panel.get_by_label("Opens after enrollment")).to_have_value("")


def test_a_selection_fits_a_phone_and_its_undo_is_in_sight(people: Callable[..., Page], drafts: Iterator[str]) -> None:
    page = people("sorter", viewport=PHONE, has_touch=True)
    page.goto(next(drafts))
    tabs = page.get_by_role("navigation", name="This course").get_by_role("link")
    for tab in tabs.all():
        box = tab.bounding_box()
        assert box
        assert box["x"] + box["width"] <= PHONE["width"]
    for title in ("Spring", "River"):
        row(page, title).evaluate("row => row.scrollIntoView({block: 'center'})")
        row(page, title).locator("[data-pick]").check(force=True)
    page.mouse.wheel(0, 600)
    bar = page.get_by_role("toolbar", name="Selected lessons")
    bar.get_by_role("button", name="Duplicate").click()
    said = page.locator(".toast").filter(has_text="2 items were added as copies.")
    expect(said).to_be_visible()
    shown, below = said.bounding_box(), bar.bounding_box()
    assert shown
    assert below
    assert shown["y"] + shown["height"] <= below["y"]
    said.get_by_role("button", name="Undo").click()
    expect(titles(page)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea"])
    bar.get_by_role("button", name="Other course …").click()
    for choice in page.get_by_role("dialog").get_by_role("button", name=re.compile("^Move: ")).all()[:2]:
        box = choice.bounding_box()
        assert box
        assert box["x"] + box["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert violations(page) == []
