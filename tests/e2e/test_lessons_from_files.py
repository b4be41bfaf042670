"""A course made of the files in a folder, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"


@pytest.fixture
def draft(people: Callable[..., Page], drafts: Iterator[str]) -> Page:
    page = people("sorter")
    page.goto(next(drafts))
    return page


def test_files_become_lessons_in_the_order_of_their_names(draft: Page, tmp_path: Path) -> None:
    for name, content in {
        "10 - Delta.pdf": PDF,
        "2 - Rain.md": b"# Where rain goes\n\nDown.",
        "3 - Snow.txt": b"Slowly.",
    }.items():
        (tmp_path / name).write_bytes(content)
    draft.get_by_role("button", name="Add lessons from files to section 2").click()
    dialog = draft.get_by_role("dialog")
    with draft.expect_file_chooser() as choosing:
        dialog.get_by_role("button", name="Choose files").click()
    choosing.value.set_files(sorted(tmp_path.iterdir()))
    expect(dialog.get_by_label("Title of the lesson from 2 - Rain.md")).to_have_value("Where rain goes")
    dialog.get_by_label("Title of the lesson from 10 - Delta.pdf").fill("A delta")
    assert violations(draft) == []
    dialog.get_by_role("button", name="Add 3 lessons").click()

    rows = draft.locator("[data-section]").last.locator("[data-lesson]")
    expect(rows.locator("[data-title]")).to_have_text(["Where rain goes", "Snow", "A delta"])
    expect(rows.last.locator(".unit__end")).to_contain_text("Ready")
    expect(draft.get_by_role("region", name="Uploads")).to_have_count(0)
    draft.reload()
    expect(rows.locator("[data-title]")).to_have_text(["Where rain goes", "Snow", "A delta"])
    rows.first.locator("[data-title]").click()
    expect(draft.locator("textarea[name=body]")).to_have_value("Down.")


def test_files_are_dropped_onto_a_section_on_a_phone_and_refused_ones_are_named(draft: Page) -> None:
    draft.set_viewport_size({"width": 390, "height": 844})
    files = draft.evaluate_handle(
        """() => { const files = new DataTransfer();
        files.items.add(new File(["Text"], "fog.md"));
        files.items.add(new File([], "nothing.pdf"));
        files.items.add(new File(["not an archive"], "ice.zip")); return files; }"""
    )
    draft.locator("[data-section]").last.dispatch_event("drop", {"dataTransfer": files})
    expect(draft.get_by_role("dialog")).to_contain_text("This file has no content.")
    assert draft.evaluate("document.documentElement.scrollWidth") == 390
    draft.get_by_role("button", name="Add 2 lessons").click()

    rows = draft.locator("[data-section]").last.locator("[data-lesson]")
    expect(rows.locator("[data-title]")).to_have_text(["Fog", "Ice"])
    uploads = draft.get_by_role("region", name="Uploads")
    expect(uploads.get_by_text(re.compile(r"ice\.zip was uploaded, but its lesson can't use it"))).to_be_visible()
    while uploads.count():
        uploads.get_by_role("button", name="Dismiss").first.click()
    expect(draft.get_by_role("region", name="Uploads")).to_have_count(0)
