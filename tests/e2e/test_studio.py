"""The studio in a real browser: drag and drop by mouse and touch, focused errors, unsaved text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Dialog, Locator, Page, Route, expect

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


def undo_line(page: Page) -> Locator:
    return page.locator("[data-undo-line]")


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
    expect(undo_line(draft)).to_contain_text("“River” is now 1.1.")
    expect(draft.get_by_text("No lessons yet.").first).to_be_hidden()
    assert violations(draft) == []
    draft.reload()
    expect(titles(draft)).to_have_text(["Downhill", "River", "Spring", "Brook", "Sea"])


@pytest.mark.long
def test_drag_into_another_section_can_be_undone_and_escape_cancels_a_drag(draft: Page) -> None:
    x, y = center(grip(draft, "Spring"))
    draft.mouse.move(x, y)
    draft.mouse.down()
    draft.mouse.move(x, center(draft.get_by_text("No lessons yet.").last)[1], steps=5)
    draft.mouse.up()
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "River", "Sea", "Spring"])
    expect(draft.locator("[data-number]")).to_have_text(["1.1", "1.2", "2.1"])

    draft.get_by_role("button", name="Undo").click()
    expect(undo_line(draft)).to_have_text("Undone: “Spring” was moved.")
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
    expect(undo_line(draft)).to_contain_text("“Sea” is now 1.")
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
    draft.route("**/outline/move/", lambda route: route.abort())
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


def opened(page: Page, title: str) -> Locator:
    """Open a lesson beside the outline, and return its panel."""
    page.get_by_role("link", name=title, exact=True).click()
    expect(page.locator("#panel").get_by_label("Title")).to_have_value(title)
    return page.locator("#panel")


def test_panel_follows_the_selection_and_saves_what_is_typed_on_a_slow_server(draft: Page) -> None:
    """The server takes its time, and fails once: what is typed stays, and so does the caret."""
    calls: list[str] = []

    def slow(route: Route) -> None:
        calls.append(route.request.method)
        if len(calls) == 1:
            route.abort()
            return
        draft.wait_for_timeout(1500)
        route.continue_()

    draft.evaluate("document.body.dataset.same = 'page'")
    panel = opened(draft, "Spring")
    draft.route("**/api/v1/studio/lessons/*/", slow)
    summary = panel.get_by_label("Summary")
    summary.press_sequentially("Where water rises, and why it goes down the hill.", delay=60)
    expect(summary).to_have_value("Where water rises, and why it goes down the hill.")
    draft.keyboard.press("Home")
    draft.keyboard.type("Here: ")
    expect(panel.locator("[data-saving]")).to_have_text(re.compile("^Saved "), timeout=30_000)
    expect(summary).to_have_value("Here: Where water rises, and why it goes down the hill.")
    assert summary.evaluate("field => field.selectionStart") == len("Here: ")
    draft.unroute("**/api/v1/studio/lessons/*/")

    opened(draft, "Brook")
    draft.go_back()
    expect(panel.get_by_label("Summary")).to_have_value("Here: Where water rises, and why it goes down the hill.")
    expect(draft.locator(".is-open [data-title]")).to_have_text("Spring")
    assert draft.evaluate("document.body.dataset.same") == "page"


@pytest.mark.long
def test_outline_is_edited_by_keyboard_and_each_change_is_undone(draft: Page) -> None:
    draft.get_by_role("link", name="Spring").focus()
    draft.keyboard.press("Alt+ArrowDown")
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "Spring", "River", "Sea"])
    expect(draft.get_by_role("link", name="Spring")).to_be_focused()

    draft.keyboard.press("F2")
    draft.keyboard.type("The spring")
    draft.keyboard.press("Enter")
    expect(draft.get_by_role("link", name="The spring")).to_be_focused()
    draft.keyboard.press("F2")
    draft.keyboard.type("Never")
    draft.keyboard.press("Escape")
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "The spring", "River", "Sea"])

    draft.keyboard.press(" ")
    draft.keyboard.press("Shift+ArrowDown")
    expect(draft.get_by_role("toolbar", name="Selected lessons")).to_contain_text("2 lessons selected")
    draft.keyboard.press("Alt+ArrowDown")
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "Sea", "The spring", "River"])
    draft.keyboard.press("Delete")
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "Sea"])
    expect(undo_line(draft)).to_contain_text("2 items were deleted.")
    draft.get_by_role("link", name="Brook").focus()
    draft.keyboard.press("Control+z")
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "Sea", "The spring", "River"])
    draft.reload()
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "Sea", "The spring", "River"])
    assert violations(draft) == []


@pytest.mark.long
def test_selected_lessons_are_set_and_dragged_together(draft: Page) -> None:
    for title in ("Spring", "River"):
        draft.locator("[data-lesson]").filter(has_text=title).locator("[data-pick]").check(force=True)
    draft.get_by_label("Set …").select_option(label="Optional lesson")
    expect(draft.locator("[data-lesson]").filter(has_text="River")).to_contain_text("Optional")

    draft.mouse.move(*center(grip(draft, "River")))
    draft.mouse.down()
    sea = draft.get_by_text("No lessons yet.").last
    x, y = center(sea)
    draft.mouse.move(x, y - 5, steps=5)
    draft.mouse.move(x, y, steps=2)
    draft.mouse.up()
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "Sea", "Spring", "River"])
    draft.get_by_role("button", name="Undo").click()
    expect(titles(draft)).to_have_text(["Downhill", "Spring", "Brook", "River", "Sea"])


@pytest.mark.long
def test_two_people_see_each_others_changes_and_lose_nothing(draft: Page) -> None:
    other = draft.context.new_page()
    other.goto(draft.url)
    panel = opened(other, "Spring")
    panel.get_by_label("Title").fill("The source")
    expect(titles(draft).filter(has_text="The source")).to_be_visible(timeout=15_000)
    draft.get_by_role("button", name="Move 1.1 down").click()
    expect(titles(other)).to_have_text(["Downhill", "Brook", "The source", "River", "Sea"], timeout=15_000)
    expect(panel.get_by_label("Title")).to_have_value("The source")

    # Without the socket the other one doesn't know: its move is not made, and what has changed is shown.
    other.route("**/outline/", lambda route: route.abort())
    draft.get_by_role("button", name="Move 1.3 up").click()
    expect(titles(draft)).to_have_text(["Downhill", "Brook", "River", "The source", "Sea"])
    other.get_by_role("link", name="The source").focus()
    other.keyboard.press("Alt+ArrowUp")
    expect(other.get_by_text(re.compile("^Not moved. Someone else has changed the outline"))).to_be_visible()
    expect(titles(other)).to_have_text(["Downhill", "Brook", "River", "The source", "Sea"])
    other.unroute("**/outline/")
    other.get_by_role("button", name="Move anyway").click()
    expect(titles(draft)).to_have_text(["Downhill", "The source", "Brook", "River", "Sea"], timeout=15_000)


@pytest.mark.long
def test_panel_covers_a_phone_and_leads_back_to_the_row(people: Callable[..., Page], drafts: Iterator[str]) -> None:
    page = people("sorter", viewport={"width": 390, "height": 600}, has_touch=True)
    page.goto(next(drafts))
    row = page.get_by_role("link", name="River")
    row.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    row.click()
    expect(page.locator("#panel")).to_be_focused()
    assert page.locator("#panel").bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 600}
    assert violations(page) == []
    page.get_by_role("link", name="Back to the lessons").click()
    expect(row).to_be_focused()
    assert page.evaluate("scrollY") == before


@pytest.mark.long
def test_lesson_is_seen_as_a_learner_in_a_frame(draft: Page) -> None:
    draft.goto(draft.url.replace("/dashboard/instructor/courses/", "/learn/").replace("/lectures", "/brook/as-learner"))
    frame = draft.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Brook")).to_be_visible()
    expect(frame.get_by_role("button", name="Complete and continue")).to_be_disabled()
    frame.get_by_role("link", name="Next lesson").click()
    expect(frame.get_by_role("heading", name="River")).to_be_visible()
    draft.get_by_role("link", name="Nothing completed").click()
    expect(frame.get_by_text("0 of 3 lessons").first).to_be_attached()
    assert violations(draft) == []


@pytest.mark.long
def test_leaving_an_editor_with_unsaved_text_asks_first(draft: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    draft.get_by_label("New lesson title in section 2").fill("Check")
    draft.get_by_role("button", name="Add lesson: Quiz").last.click()
    draft.get_by_label("Pass at").fill("65")
    draft.on("dialog", stay)
    draft.get_by_role("link", name="Courses").first.click()
    deadline = time.monotonic() + 30
    while not asked and time.monotonic() < deadline:
        draft.wait_for_timeout(20)
    assert asked == ["beforeunload"]

    draft.get_by_role("link", name="Spring").click()
    draft.get_by_role("button", name="Keep writing").click()
    expect(draft.get_by_label("Pass at")).to_have_value("65")
    draft.get_by_role("button", name="Save rules").click()
    expect(draft.get_by_text("Saved.").first).to_be_visible()
    draft.get_by_role("link", name="Spring").click()
    expect(draft.locator("#panel").get_by_label("Title")).to_have_value("Spring")
    draft.get_by_role("link", name="Courses").first.click()
    draft.wait_for_url(re.compile("/courses/$"))
    assert asked == ["beforeunload"]
