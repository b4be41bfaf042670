"""A version is published while a learner watches, is inside an attempt, and has lessons open that it takes out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import plays_from, start, violations
from tests.e2e.versioned_course import COURSE, LEARNER, NOTE

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

SECOND = "document.querySelector('video').currentTime"


def saves(page: Page) -> list[Response]:
    """The answers to saves of progress from now on."""
    heard: list[Response] = []
    page.on("response", lambda answer: heard.append(answer) if answer.url.endswith("/progress/") else None)
    return heard


def notice_of(page: Page, words: str) -> None:
    """Wait for the notice in place of an open page, which stays as it is."""
    expect(page.locator("[data-version]:visible .notice__title")).to_contain_text(words)
    assert page.evaluate("document.body.dataset.same") == "page"
    assert not violations(page)


def test_open_pages_end_as_learners_expect(site: Site, people: Callable[..., Page]) -> None:
    site.run("-m", "tests.e2e.versioned_course", "make")
    kept = people(LEARNER, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")

    def beside(slug: str) -> Page:
        page = kept if slug == "the-kept-film" else kept.context.new_page()
        page.goto(f"/learn/{COURSE}/{slug}")
        page.evaluate("document.body.dataset.same = 'page'")
        return page

    text, quiz, lost = beside("the-lost-text"), beside("the-lost-quiz"), beside("the-lost-film")
    quiz.get_by_role("button", name="Start the quiz").click()
    quiz.locator(".question").get_by_role("radio", name="That").check()
    quiz.evaluate("document.body.dataset.same = 'page'")
    beside("the-kept-film")
    for page in (lost, kept):
        start(page)
        page.evaluate(
            "document.querySelector('video').playbackRate = 0.25"
        )  # it is short, and publishing takes a while

    site.run("-m", "tests.e2e.versioned_course", "publish")

    # What plays continues and is saved, in the lesson that stays and in the one that went.
    for page, words in ((kept, "A new version of this course is published"), (lost, "“The lost film” was taken out")):
        notice_of(page, words)
        heard = saves(page)
        plays_from(page, float(page.evaluate(SECOND)))
        page.wait_for_timeout(6_000)
        assert heard
        assert {answer.status for answer in heard} == {200}
    expect(kept.locator("[data-version=new] [data-note]")).to_have_text(NOTE)
    kept.get_by_role("link", name="Load the new version").click()
    expect(kept.locator("[data-version]:visible")).to_have_count(0)
    expect(kept.get_by_role("region", name="Lesson list")).not_to_contain_text("The lost text")

    # The attempt is submitted with its own question, marked, and read again later.
    notice_of(quiz, "“The lost quiz” was taken out")
    quiz.locator(".questions__end").get_by_role("button", name="Submit").click()
    result = re.compile("100%|1 of 1")
    expect(quiz.get_by_text(result).first).to_be_visible()
    quiz.reload()
    expect(quiz.get_by_text("This quiz was taken out of the course in a newer version")).to_be_visible()
    expect(quiz.get_by_text(result).first).to_be_visible()
    expect(quiz.get_by_text("This quiz is no longer part of the course.")).to_be_visible()
    assert not violations(quiz)

    # The text is kept as read, and leads on; so does the film.
    notice_of(text, "“The lost text” was taken out")
    text.get_by_role("button", name="Complete and continue").click()
    expect(text.get_by_role("heading", level=1)).to_have_text("The end")
    expect(text.get_by_text("“The lost text” was taken out of the course in a newer version.")).to_be_visible()
    lost.get_by_role("link", name="Continue the course").click()
    expect(lost.get_by_role("heading", level=1)).to_have_text(re.compile("The kept film|The end"))
    lost.goto(f"/learn/{COURSE}/the-lost-film")
    expect(lost.get_by_role("heading", level=1)).to_have_text("This lesson is no longer part of the course")
    assert not violations(lost)
