"""The choices of a question and their feedback in a real browser: written in the live editor, kept in the form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]


@pytest.fixture
def builder(people: Callable[..., Page], drafts: Iterator[str]) -> Page:
    """The form of a new single choice in a new quiz."""
    page = people("sorter")
    page.goto(next(drafts))
    page.get_by_label("New lesson title in section 2").fill("Check")
    page.get_by_role("button", name="Add lesson: Quiz").last.click()
    page.get_by_text("Add a question").click()
    page.get_by_role("link", name="Single choice").click()
    return page


def texts(page: Page, name: str = "line") -> list[str]:
    """What the form would send."""
    found: list[str] = page.locator(f"[name={name}]").evaluate_all("all => all.map(({ value }) => value)")
    return found


def editor(page: Page, label: str) -> Locator:
    return page.locator(f".cm-content[aria-label='{label}']")


def test_choices_and_feedback_are_written_in_the_live_editor(builder: Page) -> None:
    keyboard = builder.keyboard
    assert builder.locator(".lineeditor .cm-editor").count() == 0  # only what has the focus has one
    builder.get_by_role("textbox", name="Question", exact=True).fill("Where is it cut?")
    builder.get_by_label("Answer 1", exact=True).click()
    expect(editor(builder, "Answer 1")).to_be_focused()
    keyboard.type("Outside, by ")
    builder.locator(".lineeditor:focus-within").get_by_role("button", name="Formula").click()
    keyboard.type("v^2")
    keyboard.press("End")
    keyboard.press("Enter")
    expect(editor(builder, "Answer 2")).to_be_focused()
    expect(editor(builder, "Answer 1").locator("math")).to_be_visible()
    keyboard.type("/form")
    expect(builder.get_by_role("option", name="Formula")).to_be_visible()
    keyboard.press("Enter")
    keyboard.type("x")
    keyboard.press("End")
    assert texts(builder)[:2] == ["Outside, by $v^2$", "$x$"]
    assert violations(builder) == []

    # Lines move with their editors, and the added one is empty.
    builder.get_by_role("button", name="Move answer 2 up").click()
    expect(editor(builder, "Answer 2")).to_contain_text("Outside")
    assert texts(builder)[:2] == ["$x$", "Outside, by $v^2$"]
    count = len(texts(builder))
    builder.get_by_label(f"Answer {count}", exact=True).click()
    keyboard.type("Last")
    keyboard.press("Enter")
    keyboard.type("Added")
    assert texts(builder)[count - 1 :] == ["Last", "Added"]

    # Feedback, with a picture.
    builder.get_by_label("Feedback on answer 1, if it is wrong").click()
    expect(editor(builder, "Feedback on answer 1, if it is wrong")).to_be_focused()
    with builder.expect_file_chooser() as chosen:
        builder.locator(".lineeditor:focus-within").get_by_role("button", name="Image or file").click()
    file = BytesIO()
    Image.new("RGB", (60, 40), "teal").save(file, "PNG")
    chosen.value.set_files({"name": "bend.png", "mimeType": "image/png", "buffer": file.getvalue()})
    dialog = builder.get_by_role("dialog")
    dialog.get_by_label("Alternative text").fill("A bend")
    keyboard.press("Enter")
    expect(editor(builder, "Feedback on answer 1, if it is wrong").locator(".ed-picture img")).to_be_visible()
    assert texts(builder, "remark")[0].startswith("![A bend](/course-files/")

    builder.get_by_label("Answer 2 is correct").check(force=True)
    builder.get_by_role("button", name="Save question").click()
    expect(builder.get_by_text("Question 1 saved.")).to_be_visible()
    builder.locator(".builder__list a").first.click()
    assert [text for text in texts(builder) if text] == ["$x$", "Outside, by $v^2$", "Last", "Added"]
