"""The library in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import nothing_fails, violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@pytest.fixture
def folder(people: Callable[..., Page], learners: object) -> Page:
    """A new folder of a learner that contains the folder "Walks" and the files a.txt, b.txt and c.txt."""
    page = people(next(learners), viewport={"width": 1280, "height": 900}, reduced_motion="reduce")  # type: ignore[call-overload]
    page.goto("/files/")
    create(page, "Coursework")
    page.get_by_role("link", name="Coursework").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Coursework")
    create(page, "Walks")
    texts = [{"name": f"{name}.txt", "mimeType": "text/plain", "buffer": f"About {name}.".encode()} for name in "abc"]
    page.get_by_label("Upload files").set_input_files(texts)  # type: ignore[arg-type]
    expect(page.locator("tr[data-entry]")).to_have_count(3)
    expect(page.get_by_role("heading", name="Uploading")).to_be_hidden()
    return page


def create(page: Page, name: str) -> None:
    page.get_by_role("button", name="New folder").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()


def entry(page: Page, name: str) -> Locator:
    return page.locator("[data-entry]").filter(has=page.get_by_role("link", name=re.compile(f"^{re.escape(name)}")))


def center(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, name: str, target: Locator) -> None:
    page.mouse.move(*center(entry(page, name).get_by_role("link")))
    page.mouse.down()
    x, y = center(target)
    page.mouse.move(x, y - 10, steps=4)
    page.mouse.move(x, y)


def test_files_are_renamed_moved_shown_deleted_and_restored_without_a_reload(folder: Page) -> None:
    with nothing_fails(folder):
        folder.evaluate("document.body.dataset.same = 'page'")
        entry(folder, "a.txt").focus()
        folder.keyboard.press("F2")
        folder.keyboard.type("notes")
        folder.keyboard.press("Enter")
        expect(entry(folder, "notes.txt")).to_be_focused()

        folder.get_by_role("link", name="b.txt").click()
        preview = folder.get_by_role("dialog", name="b.txt")
        expect(preview.get_by_text("About b.")).to_be_visible()
        assert violations(folder, "dialog[open]") == []
        folder.keyboard.press("Escape")

        folder.get_by_label("Select notes.txt").check()
        folder.get_by_role("group", name="Selected items").get_by_role("button", name="Move", exact=True).click()
        folder.get_by_role("treeitem", name="Walks").click()
        folder.get_by_role("button", name="Move here").click()
        expect(folder.get_by_text("“notes.txt” was moved to “Walks”.").first).to_be_visible()
        expect(folder.locator("tr[data-entry]")).to_have_count(2)

        folder.get_by_role("button", name="Actions for b.txt").click()
        folder.get_by_role("menuitem", name="Move to bin").click()
        expect(entry(folder, "b.txt")).to_have_count(0)
        folder.get_by_text("“b.txt” was moved to the bin.").locator("..").get_by_role("button", name="Undo").click()
        expect(entry(folder, "b.txt")).to_be_visible()

        folder.get_by_role("link", name="Walks").click()
        expect(folder).to_have_title("Walks | Study Platform")
        expect(folder.get_by_role("heading", level=1)).to_be_focused()
        expect(entry(folder, "notes.txt")).to_be_visible()
        folder.go_back()
        expect(entry(folder, "c.txt")).to_be_visible()
        assert folder.evaluate("document.body.dataset.same") == "page"
    folder.reload()
    expect(folder.locator("tr[data-entry]")).to_have_count(2)
    expect(folder.get_by_role("button", name="Actions for b.txt")).to_be_visible()
    assert violations(folder) == []


@pytest.mark.long
def test_entries_are_dragged_onto_folders_breadcrumbs_and_the_bin(folder: Page) -> None:
    walks = entry(folder, "Walks")
    drag(folder, "a.txt", walks)
    expect(walks).to_have_class(re.compile("is-drop"))
    folder.keyboard.press("Escape")
    folder.mouse.up()
    expect(entry(folder, "a.txt")).to_be_visible()

    folder.get_by_label("Select a.txt").check()
    folder.get_by_label("Select b.txt").check()
    drag(folder, "b.txt", walks)
    folder.mouse.up()
    expect(folder.get_by_text("2 items were moved to “Walks”.").first).to_be_visible()
    drag(folder, "c.txt", folder.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="My files"))
    folder.mouse.up()
    expect(folder.get_by_text("“c.txt” was moved to “My files”.").first).to_be_visible()
    drag(folder, "Walks", folder.get_by_role("navigation", name="Places").get_by_role("link", name="Bin"))
    folder.mouse.up()
    expect(folder.get_by_text("This folder is empty")).to_be_visible()
    folder.get_by_role("link", name="My files").last.click()
    expect(entry(folder, "c.txt")).to_be_visible()


@pytest.mark.long
def test_keyboard_alone_selects_moves_and_previews(folder: Page) -> None:
    entry(folder, "Walks").focus()
    folder.keyboard.press("ArrowDown")
    expect(folder.locator("tr[data-entry]").first).to_be_focused()
    folder.keyboard.press("Space")
    folder.keyboard.press("Shift+ArrowDown")
    expect(folder.get_by_text("2 selected").first).to_be_visible()
    folder.keyboard.press("Control+a")
    expect(folder.get_by_text("4 selected").first).to_be_visible()
    folder.keyboard.press("Escape")
    folder.keyboard.press("Home")
    folder.keyboard.press("End")
    folder.keyboard.press("Enter")
    expect(folder.get_by_role("dialog")).to_be_visible()
    folder.keyboard.press("ArrowLeft")
    expect(folder.get_by_text("2 of 3", exact=True)).to_be_visible()
    folder.keyboard.press("Escape")
    expect(folder.locator("tr[data-entry]").nth(1)).to_be_focused()
    folder.keyboard.press("Delete")
    expect(folder.locator("tr[data-entry]")).to_have_count(2)


@pytest.mark.long
def test_a_file_that_is_dropped_on_a_folder_goes_into_it_and_replaces_a_version(folder: Page, tmp_path: Path) -> None:
    def drop(target: str) -> None:
        folder.evaluate(
            """target => {
              const transfer = new DataTransfer();
              transfer.items.add(new File(['New words.'], 'a.txt'));
              const place = document.querySelector(target);
              for (const type of ['dragover', 'drop'])
                place.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: transfer}));
            }""",
            target,
        )

    drop(".folder[data-entry]")
    expect(entry(folder, "Walks")).to_contain_text("1 file")
    drop("main")
    folder.get_by_role("dialog", name="1 name is taken").get_by_role("button", name="Replace").click()
    expect(folder.get_by_text("1 file was uploaded.").last).to_be_visible()
    expect(entry(folder, "a.txt")).to_contain_text("10 bytes")  # of the new words
    expect(folder.locator("tr[data-entry]")).to_have_count(3)
    folder.get_by_role("link", name="a.txt").click()
    expect(folder.get_by_role("dialog").get_by_text("New words.")).to_be_visible()
    folder.get_by_role("link", name="Details and versions").click()
    expect(folder.get_by_text("Version 2")).to_be_visible()


@pytest.mark.long
def test_a_selection_is_downloaded_as_one_archive(folder: Page) -> None:
    for name in ("a.txt", "b.txt"):
        folder.get_by_label(f"Select {name}").check()
    with folder.expect_download() as downloading:
        folder.get_by_role("group", name="Selected items").get_by_role("button", name="Download").click()
    assert downloading.value.suggested_filename.endswith(".zip")
    expect(entry(folder, "c.txt")).to_be_visible()
