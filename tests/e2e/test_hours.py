"""Where learners spend their hours: the timeline as a sheet, goals and dashboard; and a learning path in the studio."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.prepare import SHORT

pytestmark = [pytest.mark.e2e, pytest.mark.long]

FIRST = f"/learn/{SHORT}/the-first"
PHONE = ViewportSize(width=390, height=844)


def test_on_a_phone_the_timeline_is_a_sheet_that_keeps_the_focus(people, learners):
    page: Page = people(next(learners), viewport=PHONE)
    page.goto(FIRST)
    opener = page.locator("[data-notes-open]")
    opener.press("Enter")
    sheet = page.locator("#timeline")
    expect(sheet).to_be_visible()
    expect(sheet).to_have_css("position", "fixed")
    expect(sheet.locator("textarea, button, [tabindex='0']").first).to_be_visible()

    for key in ("Tab",) * 15 + ("Shift+Tab",) * 20:
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.closest('#timeline') !== null"), key

    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(opener).to_be_focused()


def titles(page: Page) -> list[str]:
    return page.locator("[data-path-order] [data-title]").all_text_contents()


def test_the_courses_of_a_path_are_moved_by_keyboard_and_by_dragging(people):
    """At the end they have their first order again, so the test can be repeated."""
    page: Page = people("instructor")
    page.goto("/dashboard/instructor/paths/")
    page.locator(".table__title").first.click()
    first, second, third = titles(page)
    is_saved = re.compile(r"/courses/move$")

    down = page.get_by_role("button", name=f"Move {first} down")
    down.focus()
    with page.expect_response(is_saved):
        page.keyboard.press("Enter")
    assert titles(page) == [second, first, third]
    expect(down).to_be_focused()
    with page.expect_response(is_saved):
        page.keyboard.press("Enter")
    assert titles(page) == [second, third, first]
    expect(page.get_by_role("button", name=f"Move {first} up")).to_be_focused()
    page.reload()
    assert titles(page) == [second, third, first]

    grip = page.locator("[data-course]").nth(2).locator("[data-grip]").bounding_box()
    top = page.locator("[data-course]").first.bounding_box()
    assert grip
    assert top
    page.mouse.move(grip["x"] + 5, grip["y"] + 5)
    page.mouse.down()
    page.mouse.move(top["x"] + 20, top["y"] + 30, steps=5)
    page.mouse.move(top["x"] + 20, top["y"] + 5, steps=5)
    with page.expect_response(is_saved):
        page.mouse.up()
    assert titles(page) == [first, second, third]
    page.reload()
    assert titles(page) == [first, second, third]
    expect(page.locator("[data-number]")).to_have_text(["1", "2", "3"])


def test_a_goal_that_is_changed_shows_on_the_dashboard_and_in_my_learning(people, learners):
    page: Page = people(next(learners))
    page.goto("/me/dashboard")
    page.get_by_role("region", name="Goals").get_by_role("link", name="Change").click()
    field = page.locator("[name=weekly_lessons]")
    wanted = "7"
    field.fill(wanted)
    page.get_by_role("button", name="Save goals").click()
    expect(page.locator("[name=weekly_lessons]")).to_have_value(wanted)

    page.goto("/me/dashboard")
    expect(page.get_by_role("img", name=f"of {wanted} lessons")).to_be_visible()
    page.goto("/me/enrollments")
    expect(page.get_by_role("img", name=f"of {wanted} lessons")).to_be_visible()
