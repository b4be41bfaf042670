"""The list of learners from end to end: filtered, written to, exported, one of them read; by keyboard, on a phone."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import violations_in_all_looks

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

ADDRESS = "/dashboard/instructor/students/"
PHONE = {"width": 390, "height": 800}


def overflows(page: Page) -> bool:
    """Whether the page is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def exported(page: Page) -> list[dict[str, str]]:
    """The rows of the file that the button of the heading downloads."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").press("Enter")
    path = Path(download.value.path())
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_learners_are_found_written_to_and_exported_by_keyboard(people: Callable[..., Page]) -> None:
    ines = people("instructor")
    ines.goto(ADDRESS)
    expect(ines.get_by_role("heading", name="Learners", exact=True)).to_be_visible()
    everyone = exported(ines)
    assert len(everyone) > 1

    search = ines.get_by_role("searchbox", name="Find a learner")
    search.focus()
    ines.keyboard.type("amara")
    ines.keyboard.press("Enter")
    ines.wait_for_url("**q=amara**")
    row = ines.locator("tbody tr").first
    expect(row).to_contain_text("Amara")
    assert {one["Name"] for one in exported(ines)} == {"Amara Lindgren"}

    box = row.get_by_role("checkbox")
    box.focus()
    expect(ines.get_by_role("region", name="Selected learners")).to_be_hidden()
    ines.keyboard.press("Space")
    bar = ines.get_by_role("region", name="Selected learners")
    expect(bar).to_be_visible()
    bar.get_by_role("button", name="Message").press("Enter")
    text = ines.get_by_label("Message", exact=True)
    text.fill("Hello {first name}, how is {course}?")
    ines.get_by_role("button", name="Send 1 message").press("Enter")
    expect(ines.get_by_text("1 learner has your message")).to_be_visible()

    amara = people("student")
    amara.goto("/me/messages")
    expect(amara.get_by_text("Hello Amara, how is").first).to_be_visible()


def test_a_filter_is_saved_and_used_again(people: Callable[..., Page]) -> None:
    ines = people("instructor")
    ines.goto(f"{ADDRESS}?tab=finished")
    menu = ines.get_by_text("Saved filters")
    menu.press("Enter")
    ines.get_by_label("Save this filter as").fill("Done")
    ines.get_by_label("Save this filter as").press("Enter")
    ines.goto(ADDRESS)
    ines.get_by_text("Saved filters").press("Enter")
    ines.get_by_role("link", name="Done").press("Enter")
    ines.wait_for_url("**tab=finished**")


def test_one_learner_is_read_and_noted_on_a_phone(people: Callable[..., Page]) -> None:
    ines = people("instructor", viewport=PHONE)
    ines.goto(f"{ADDRESS}?q=amara")
    assert not overflows(ines)
    ines.get_by_role("link", name="Amara Lindgren").first.press("Enter")
    expect(ines.get_by_role("heading", name="Lesson by lesson")).to_be_visible()
    assert not overflows(ines)
    ines.get_by_label("New note").fill("Studies on trains")
    ines.get_by_role("button", name="Add note").press("Enter")
    expect(ines.locator(".quotes")).to_contain_text("Studies on trains")
    ines.get_by_role("button", name="Delete the note of").click()
    ines.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(ines.get_by_text("Studies on trains")).to_have_count(0)


@pytest.mark.parametrize("address", [ADDRESS, f"{ADDRESS}?q=nobody-has-this-name", f"{ADDRESS}message?all=1"])
def test_the_pages_have_no_violations_in_any_look(people: Callable[..., Page], address: str) -> None:
    ines = people("instructor")
    ines.goto(address)
    assert violations_in_all_looks(ines) == []
