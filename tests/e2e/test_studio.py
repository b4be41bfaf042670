"""The studio in a real browser: drag and drop by mouse and touch, focused errors, unsaved text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@pytest.fixture
def draft(people: Callable[..., Page], drafts: Iterator[str]) -> Page:
    """The outline of a new draft: section Downhill with Spring, Brook and River, and the empty section Sea."""
    page = people("sorter")
    page.goto(next(drafts))
    expect(page.locator("[data-number]")).to_have_text(["1.1", "1.2", "1.3"])
    return page


def titles(page: Page) -> Locator:
    return page.locator(".unit [data-title]")


def center(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def grip(page: Page, title: str) -> Locator:
    return page.locator("[data-lesson]").filter(has_text=title).locator("[data-grip]")


def test_dragged_lesson_stays_in_its_new_place(draft: Page) -> None:
    x, y = center(grip(draft, "River"))
    draft.mouse.move(x, y)
    draft.mouse.down()
    draft.mouse.move(x, y - 20)
    draft.mouse.move(x, center(grip(draft, "Spring"))[1] - 15, steps=5)
    expect(draft.locator(".drop-here")).to_be_visible()
    draft.mouse.up()

    expect(titles(draft)).to_have_text(["Downhill", "River", "Spring", "Brook", "Sea"])
    expect(draft.get_by_text("“River” is now 1.1.")).to_be_visible()
    expect(draft.get_by_text("No lessons yet.").first).to_be_hidden()
    assert violations(draft) == []
    draft.reload()
    expect(titles(draft)).to_have_text(["Downhill", "River", "Spring", "Brook", "Sea"])


@pytest.mark.long
def test_drag_into_another_section_can_be_undone_and_escape_cancels_a_drag(draft: Page) -> None:
    x, y = center(grip(draft, "Spring"))
    draft.mouse.move(x, y)
    draft.mouse.down()
    draft.mouse.move(x, center(draft.get_by_text("No lessons yet. Choose a type below to add one.").last)[1], steps=5)
    draft.mouse.up()
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "River", "Sea", "Spring"])
    expect(draft.locator("[data-number]")).to_have_text(["1.1", "1.2", "2.1"])

    draft.get_by_role("button", name="Undo").click()
    expect(draft.get_by_text("“Spring” was moved back.")).to_be_visible()
    expect(titles(draft)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea"])

    draft.mouse.move(*center(grip(draft, "Spring")))
    draft.mouse.down()
    draft.mouse.move(x, y + 200, steps=4)
    draft.keyboard.press("Escape")
    draft.mouse.up()
    draft.reload()
    expect(titles(draft)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea"])


@pytest.mark.long
def test_section_is_dragged_by_touch(draft: Page) -> None:
    """A dispatcher of touch events."""
    line = draft.context.new_cdp_session(draft)
    x, y = center(draft.locator(".unit > [data-grip]").last)
    _, target = center(draft.locator(".unit > [data-grip]").first)

    def touch(kind: str, *points: dict[str, float]) -> None:
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for step in range(1, 6):
        touch("touchMove", {"x": x, "y": y + (target - 30 - y) * step / 5})
    touch("touchEnd")

    expect(titles(draft)).to_have_text(["Sea", "Downhill", "Spring", "Brook", "River"])
    expect(draft.get_by_text("“Sea” is now 1.")).to_be_visible()
    expect(draft.locator("[data-number]")).to_have_text(["2.1", "2.2", "2.3"])


@pytest.mark.long
def test_move_buttons_work_without_a_reload_and_keep_the_focus(draft: Page) -> None:
    draft.evaluate("document.body.dataset.same = 'page'")
    draft.get_by_role("button", name="Move 1.1 down").focus()
    draft.keyboard.press("Enter")
    draft.keyboard.press("Enter")

    expect(titles(draft)).to_have_text(["Downhill", "Brook", "River", "Spring", "Sea"])
    expect(draft.get_by_role("button", name="Move 1.3 down")).to_be_focused()
    expect(draft.get_by_text("“Spring” is now 1.3.").first).to_be_attached()
    assert draft.evaluate("document.body.dataset.same") == "page"


@pytest.mark.long
def test_refused_move_is_reverted(draft: Page) -> None:
    draft.route("**/api/v1/lessons/*/move/", lambda route: route.abort())
    draft.get_by_role("button", name="Move 1.1 down").click()

    expect(draft.get_by_text(re.compile("^Not moved."))).to_be_visible()
    expect(titles(draft)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea"])
    expect(draft.locator("[data-number]")).to_have_text(["1.1", "1.2", "1.3"])


@pytest.mark.long
def test_url_fragment_focuses_the_errors(draft: Page) -> None:
    draft.get_by_label("New lesson title in section 2").fill("Check")
    draft.get_by_role("button", name="Add lesson: Quiz").last.click()
    draft.get_by_text("Add a question").click()
    draft.get_by_role("link", name="Single choice").click()
    draft.get_by_role("button", name="Save question").click()

    expect(draft.locator("[data-errors]")).to_be_focused()


@pytest.mark.long
def test_leaving_an_editor_with_unsaved_text_asks_first(draft: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    draft.get_by_role("link", name="Spring").click()
    draft.get_by_role("textbox", name="Text", exact=True).fill("Water rises here.")
    draft.on("dialog", stay)
    draft.get_by_role("link", name="Courses").first.click()
    deadline = time.monotonic() + 30
    while not asked and time.monotonic() < deadline:
        draft.wait_for_timeout(20)
    assert asked == ["beforeunload"]

    draft.get_by_role("button", name="Save lesson").click()
    expect(draft.get_by_text("Saved.")).to_be_visible()
    draft.get_by_role("link", name="Courses").first.click()
    draft.wait_for_url(re.compile("/courses/$"))
    assert asked == ["beforeunload"]
