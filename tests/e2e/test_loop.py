"""What a learner does, from the search to the certificate, by keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import until
from tests.e2e.prepare import LOOP

pytestmark = [pytest.mark.e2e, pytest.mark.long]

VIDEO = "document.querySelector('video')"


def press_on(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus, then Enter."""
    expect(target).to_be_visible()
    for _ in range(150):
        if target.evaluate("one => one === document.activeElement"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


def test_find_enroll_watch_note_quiz_and_certificate_by_keyboard(people, learners):
    page = people(next(learners), reduced_motion="reduce")
    press = page.keyboard.press

    # Find it, and enroll.
    page.goto("/")
    press("/")
    page.keyboard.type("one picture, one question")
    press("Enter")
    page.wait_for_url(re.compile(r"/courses/\?.*q="))
    press_on(page, page.get_by_role("main").get_by_role("link", name="One picture, one question").first)
    page.wait_for_url(re.compile(f"/courses/{LOOP}"))
    press_on(page, page.get_by_role("button", name="Enroll now").first)
    page.wait_for_url(re.compile(f"/learn/{LOOP}/the-picture"))

    # Watch it at twice the speed.
    press("Tab")  # the first key loads the player
    until(page, VIDEO)
    press("k")
    until(page, f"{VIDEO}?.currentTime > 0")
    for _ in range(4):
        press("+")
    until(page, f"{VIDEO}.playbackRate === 2")

    # Write a note; the video pauses for that.
    press("t")
    field = page.get_by_placeholder("Write a note.")
    expect(field).to_be_focused()
    with page.expect_response(lambda answer: "/notes/" in answer.url and answer.request.method == "PUT") as saved:
        page.keyboard.type("Squares stay squares.")
        press("Control+Enter")
    assert saved.value.ok
    until(page, f"{VIDEO}.paused")
    press("Escape")
    expect(field).to_be_hidden()
    press("k")
    count = page.locator("[data-course-count]").first
    expect(count).to_contain_text("1 of 2", timeout=120_000)

    # Take the quiz, which this has opened.
    press("n")
    page.wait_for_url(re.compile("/the-question$"))
    press_on(page, page.get_by_role("button", name="Start the quiz"))
    card = page.locator(".question")
    expect(card).to_have_count(1)
    that = card.get_by_role("radio", name="That")
    for _ in range(40):
        if page.evaluate("document.activeElement.type === 'radio'"):
            break
        press("Tab")
    press(" ")
    for _ in range(2):
        if that.is_checked():
            break
        press("ArrowDown")
    expect(that).to_be_checked()
    page.wait_for_timeout(1_500)  # faster attempts are refused: nobody reads that fast
    press_on(page, page.locator(".questions__end").get_by_role("button", name="Submit"))
    expect(page.get_by_role("img", name="Score 100 percent")).to_be_visible()

    # The certificate.
    press_on(page, page.get_by_role("main").get_by_role("link", name="Course progress"))
    page.wait_for_url(re.compile(f"/me/course/{LOOP}/progress"))
    press_on(page, page.get_by_role("main").get_by_role("link", name="Verify"))
    page.wait_for_url(re.compile("/certificates/.+"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
