"""Learning with the network off: a section with a video, a text, quizzes and notes, and the way back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import BrowserType, Page, expect

from tests.e2e.looking import until, violations
from tests.e2e.offline import COURSE, StoppableSite, opened_browser, sign_in, states_of, stoppable_site, wait_for_worker
from tests.e2e.offline_course import SHORT_SECONDS

pytestmark = [pytest.mark.e2e, pytest.mark.long]

FILM, TEXT, QUIZ, SHORT, END = (
    f"/learn/{COURSE}/{slug}" for slug in ("the-film", "the-text", "the-quiz", "the-short-quiz", "the-end")
)
NOTE = "The ceiling *slides* here"


@pytest.fixture(scope="module")
def home(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableSite]:
    """A site with the section, whose server can be stopped."""
    with stoppable_site(prepared, tmp_path_factory.mktemp("offline") / "data") as site:
        site.site.run("-m", "tests.e2e.offline_course")
        yield site


def rows(site: StoppableSite, query: str, *values: str) -> list[tuple]:
    with closing(sqlite3.connect(Path(site.site.env["DATA_DIR"]) / "db.sqlite3", timeout=20)) as connection:
        return connection.execute(query, values).fetchall()


def completed(site: StoppableSite, learner: str) -> set[str]:
    """The slugs of the lessons that the server knows as complete."""
    found = rows(
        site,
        """select lesson.slug from learning_lessonprogress progress
           join learning_enrollment enrollment on enrollment.id = progress.enrollment_id
           join accounts_user learner on learner.id = enrollment.user_id
           join courses_lesson lesson on lesson.id = progress.lesson_id
           where learner.username = ? and progress.completed_at is not null""",
        learner,
    )
    return {slug for (slug,) in found}


def attempts(site: StoppableSite, learner: str) -> list[tuple]:
    """Of each attempt: its percent, its seconds, and whether it was taken without a connection."""
    return rows(
        site,
        """select attempt.percent, round((julianday(submitted_at) - julianday(started_at)) * 86400), is_offline
           from learning_attempt attempt
           join learning_enrollment enrollment on enrollment.id = attempt.enrollment_id
           join accounts_user learner on learner.id = enrollment.user_id
           where learner.username = ? order by attempt.id""",
        learner,
    )


def download_course(page: Page, learner: str) -> None:
    """Sign in and store all lessons of the course."""
    sign_in(page, learner)
    wait_for_worker(page)
    page.goto(f"/course/lessons?course={COURSE}")
    page.get_by_role("button", name="Download course").click()
    page.get_by_role("dialog").locator(".btn--primary").click()
    until(page, "localStorage.getItem('study.offline') !== null")
    for _ in range(600):
        states = [row["state"] for row in states_of(page).values()]
        if len(states) == 5 and set(states) == {"downloaded"}:
            break
        page.wait_for_timeout(200)
    else:
        raise AssertionError(states)
    page.goto("/me/dashboard")  # what it shows is stored
    page.wait_for_timeout(2000)


def test_a_section_is_learned_without_a_connection(home: StoppableSite, browser_type: BrowserType, tmp_path: Path):
    learner = "offline-1"
    with opened_browser(browser_type, tmp_path / "profile", home.base) as context:
        page = context.pages[0]
        download_course(page, learner)
        context.set_offline(True)

        # By the address bar: the video with its captions, and progress that completes it.
        page.goto(FILM)
        expect(page.get_by_role("heading", name="The film", level=1)).to_be_visible()
        expect(page.get_by_text("You've been offline since")).to_be_visible()
        expect(page.get_by_text("Lessons of offline-1").first).to_be_visible()
        assert violations(page) == []
        page.locator("[data-start]").click()
        until(page, "document.querySelector('video').currentTime > 0.5")
        page.evaluate("document.querySelector('video').playbackRate = 4")
        until(page, "document.querySelector('video').ended", 90)
        expect(page.locator(".player__prog [data-course-count]")).to_contain_text("1 of 5")
        expect(page.get_by_role("img", name="Completed").first).to_be_visible()

        # The next lesson opens by itself: a text, with a note that a reload still has.
        expect(page.get_by_role("heading", name="The text", level=1)).to_be_visible()
        page.get_by_role("button", name="Notes").click()
        page.locator("#timeline textarea").fill(NOTE)
        expect(page.locator("#timeline").get_by_text("Saved", exact=True)).to_be_visible()
        page.locator(".reading__end").scroll_into_view_if_needed()
        expect(page.locator(".reading__end")).to_contain_text("You've completed this lesson.", timeout=60_000)
        page.reload()
        expect(page.locator("[data-note-count]").first).to_have_text("1")
        expect(page.locator(".player__prog [data-course-count]")).to_contain_text("2 of 5")

        # The quiz says what counts before it begins, keeps answers through a reload, and marks nothing here.
        page.goto(QUIZ)
        expect(page.get_by_role("heading", name="Without a connection")).to_be_visible()
        assert violations(page) == []
        page.get_by_role("button", name="Start the quiz").click()
        page.get_by_role("radio").nth(1).check()
        page.reload()
        expect(page.get_by_role("radio").nth(1)).to_be_checked()
        page.get_by_role("radio").nth(3).check()
        page.get_by_role("button", name="Submit").first.click()
        expect(page.get_by_role("heading", name="Your attempt is kept on this device")).to_be_focused()
        expect(page.get_by_role("button", name="Start the quiz")).to_have_count(0)

        # What isn't here says so.
        page.goto("/me/dashboard")
        expect(page.locator("main")).to_contain_text("As of")
        page.goto("/courses/")
        expect(page.get_by_role("heading", name="This page needs a connection")).to_be_visible()
        assert violations(page) == []
        page.goto("/offline")
        expect(page.get_by_role("heading", name="On this device", level=1)).to_be_visible()
        expect(page.locator("main")).to_contain_text("1 quiz attempt")
        assert completed(home, learner) == set()

        # Back online: the real page takes its place, and says what was sent.
        page.goto(TEXT)
        expect(page.get_by_role("heading", name="The text", level=1)).to_be_visible()
        context.set_offline(False)
        expect(page.locator("header [data-bell]")).to_be_attached()
        expect(page.locator("[data-toasts]")).to_contain_text("changes synced")
        until(page, "document.documentElement.dataset.offline === undefined")
        page.goto(QUIZ)
        expect(page.locator("main")).to_contain_text("Score 2 of 2")

    assert completed(home, learner) == {"the-film", "the-text", "the-quiz"}
    assert [(percent, offline) for percent, _, offline in attempts(home, learner)] == [(100, 1)]
    notes = rows(
        home,
        "select note.text from learning_note note join accounts_user learner on learner.id = note.user_id "
        "where learner.username = ?",
        learner,
    )
    assert [text for (text,) in notes] == [NOTE]


def test_an_attempt_outlives_browser_and_server(home: StoppableSite, browser_type: BrowserType, tmp_path: Path):
    learner = "offline-2"
    profile = tmp_path / "profile"
    with opened_browser(browser_type, profile, home.base) as context:
        page = context.pages[0]
        download_course(page, learner)
        home.stop()  # the browser is online, but nobody answers
        page.goto(QUIZ)
        page.get_by_role("button", name="Start the quiz").click()
        page.get_by_role("radio").nth(1).check()
        page.goto(SHORT)
        page.get_by_role("button", name="Start the quiz").click()
        page.get_by_role("radio").nth(1).check()
        page.wait_for_timeout(500)

    # Closed while both are open; the time of the short one ends meanwhile.
    with opened_browser(browser_type, profile, home.base) as context:
        page = context.pages[0]
        page.wait_for_timeout(SHORT_SECONDS * 1000)
        page.goto(QUIZ)
        expect(page.get_by_role("radio").nth(1)).to_be_checked()
        expect(page.get_by_role("timer")).to_contain_text("14:")
        page.goto(SHORT)
        expect(page.get_by_role("heading", name="Your attempt is kept on this device")).to_be_visible()

        # With the server back, the page of the open attempt stays; the kept one is sent.
        page.goto(QUIZ)
        page.get_by_role("radio").nth(3).check()
        home.start()
        page.get_by_role("button", name="Check now").click()
        expect(page.locator("[data-offline-note]")).to_contain_text("You're back online.")
        expect(page.locator("[data-toasts]")).to_contain_text("1 change synced")
        page.get_by_role("button", name="Submit").first.click()
        expect(page.get_by_role("heading", name="Your attempt is kept on this device")).to_be_visible()
        page.get_by_role("button", name="Load the current page").click()  # at once: it is sent first
        expect(page.locator("header [data-bell]")).to_be_attached()
        expect(page.locator("main")).to_contain_text("Score 2 of 2")
        expect(page.locator("[data-toasts]")).to_contain_text("The quiz: 100%, passed")

    found = attempts(home, learner)
    assert [(percent, offline) for percent, _, offline in found] == [(100, 1), (100, 1)]
    assert SHORT_SECONDS in [seconds for _, seconds, _ in found]
