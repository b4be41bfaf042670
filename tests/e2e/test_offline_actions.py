"""What learners do with lessons on a device: pause, cancel, retry, renew, wait for Wi-Fi, reach limits, save files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Error, Page, Route, expect

from tests.e2e.looking import hold
from tests.e2e.offline import (
    COURSE,
    ON_DEVICE,
    StoppableSite,
    download,
    opened_browser,
    press_download,
    read_states,
    segments_asked,
    sign_in,
    states_of,
    stoppable_site,
    wait_for_state,
)
from tests.e2e.offline_course import SECRET, TABLE

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.xdist_group("offline_actions")]

FILM, TEXT, QUIZ, END = (f"/learn/{COURSE}/{slug}" for slug in ("the-film", "the-text", "the-quiz", "the-end"))
MONTH_MS = 31 * 86_400_000
MAX_DEVICES = 10
SEGMENTS = "**/media/v/**/*.m4s*"
# Lets time pass for all lessons of this browser without a change of any clock.
EXPIRE = """async () => {
  const db = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('study-offline');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const transaction = db.transaction('lessons', 'readwrite');
  const store = transaction.objectStore('lessons');
  const all = await new Promise((resolve) => {
    const reading = store.getAll();
    reading.onsuccess = () => resolve(reading.result);
  });
  for (const one of all) store.put({...one, expiresAt: Date.now() - 86_400_000});
  await new Promise((resolve) => { transaction.oncomplete = resolve; });
  db.close();
}"""
# Desktop browsers don't say by what they are connected.
CONNECTION = """(() => {
  const connection = new EventTarget();
  Object.defineProperty(connection, 'type', {get: () => localStorage.getItem('test.network') ?? 'cellular'});
  Object.defineProperty(navigator, 'connection', {value: connection});
})()"""


@pytest.fixture(scope="module")
def site(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableSite]:
    with stoppable_site(prepared, tmp_path_factory.mktemp("offline") / "data") as served:
        served.site.run("-m", "tests.e2e.offline_course")
        yield served


@pytest.fixture
def opened(site: StoppableSite, browser_type: BrowserType, tmp_path: Path) -> Iterator[BrowserContext]:
    with opened_browser(browser_type, tmp_path / "profile", site.base) as context:
        yield context


def open_lesson(page: Page, address: str, title: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


def uid_of(page: Page) -> str:
    """The uid of the only lesson that is stored."""
    [uid] = states_of(page)
    return uid


def test_a_download_is_paused_resumed_and_canceled(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-4")
    asked = segments_asked(page)
    go_on = hold(page, r"\.m4s")
    press_download(page, FILM)
    wait_for_state(page, "downloading")
    for _ in range(300):
        if asked:
            break
        page.wait_for_timeout(100)
    page.goto("/offline")
    row = page.locator(".kept__list > li")
    row.get_by_role("button", name="Pause the download of 1.1 The film").click()
    expect(row).to_contain_text(re.compile(r"paused at \d+%"))

    asked.clear()
    page.reload()
    expect(row).to_contain_text(re.compile(r"paused at \d+%"))
    assert read_states(page) == {"paused"}
    assert asked == []  # a pause outlasts the page
    row.get_by_role("button", name="Resume the download of 1.1 The film").click()
    wait_for_state(page, "downloading")
    row.get_by_role("button", name="Cancel the download of 1.1 The film").click()
    expect(page.get_by_role("heading", name="Nothing downloaded yet")).to_be_visible()
    assert states_of(page) == {}

    go_on()
    page.unroute_all(behavior="ignoreErrors")
    download(page, FILM)  # what was canceled can be downloaded afresh


def test_a_download_that_failed_says_so_and_is_tried_again(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-4")
    page.route("**/media/v/**/00002.m4s*", lambda route: route.fulfill(status=404))
    press_download(page, FILM)
    wait_for_state(page, "failed")
    expect(page.locator("[data-toasts]")).to_contain_text("couldn't be fetched")
    page.goto("/offline")
    row = page.locator(".kept__list > li")
    expect(row).to_contain_text("The downloaded part is kept.")
    page.unroute_all()
    row.get_by_role("button", name="Try again to download 1.1 The film").click()
    expect(row).to_contain_text("kept until")


def test_a_download_waits_for_wifi(opened: BrowserContext) -> None:
    opened.add_init_script(CONNECTION)
    page = opened.new_page()
    sign_in(page, "offline-5")
    download(page, TEXT)
    page.goto("/offline")
    page.get_by_role("switch", name="Wi-Fi only").click()
    expect(page.get_by_role("switch", name="Wi-Fi only")).to_be_checked()
    asked = segments_asked(page)
    press_download(page, FILM)
    wait_for_state(page, "held")
    page.goto("/offline")
    row = page.locator(".kept__list > li").filter(has_text="The film")
    expect(row).to_contain_text("resumes on Wi-Fi")
    assert asked == []

    page.evaluate("localStorage.setItem('test.network', 'wifi')")
    page.evaluate("navigator.connection.dispatchEvent(new Event('change'))")
    expect(row).to_contain_text("kept until")


def test_a_download_survives_a_server_that_stops(opened: BrowserContext, site: StoppableSite) -> None:
    page = opened.new_page()
    sign_in(page, "offline-5")
    asked = segments_asked(page)
    go_on = hold(page, r"\.m4s")
    press_download(page, FILM)
    while not asked:
        page.wait_for_timeout(50)
    site.stop()
    try:
        go_on()
        wait_for_state(page, "held")
    finally:
        site.start()
    page.evaluate("dispatchEvent(new Event('online'))")  # as when a train leaves a tunnel
    wait_for_state(page, "downloaded")


def test_one_device_more_than_allowed_is_explained_and_another_can_be_removed(
    opened: BrowserContext, site: StoppableSite
) -> None:
    with site.site.database() as database:
        for number in range(MAX_DEVICES):
            database.execute(
                "insert into learning_offlinedevice"
                " (uid, user_id, name, key, watched_seconds, created_at, last_contact_at)"
                " select ?, id, ?, ?, 0, datetime('now', '-2 days'), datetime('now', '-1 day')"
                " from accounts_user where username = 'offline-6'",
                (f"{number:032x}", f"Old phone {number}", bytes(32)),
            )
    page = opened.new_page()
    sign_in(page, "offline-6")
    press_download(page, TEXT)
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("alert")).to_contain_text(str(MAX_DEVICES))
    sheet.get_by_role("link", name="Remove a device").click()
    page.get_by_role("button", name="Remove Old phone 3").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Old phone 3")).to_have_count(0)
    download(page, TEXT)


def test_an_expired_lesson_is_renewed_by_one_press(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-7")
    download(page, TEXT)
    page.evaluate(EXPIRE)
    opened.set_offline(True)
    page.goto(TEXT)
    expect(page.get_by_role("heading", name="The text has expired on this device")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text(SECRET)
    renew = page.get_by_role("button", name="Renew", exact=True)
    expect(renew).to_have_attribute("aria-disabled", "true")
    expect(renew).to_have_accessible_description("You can renew it when you're back online.")
    page.goto("/offline")
    row = page.locator(".kept__list > li")
    expect(row).to_contain_text("Expired")
    expect(row.get_by_role("button", name="Renew: 1.2 The text")).to_be_disabled()

    opened.set_offline(False)
    row.get_by_role("button", name="Renew: 1.2 The text").click()
    expect(row).to_contain_text("kept until")
    opened.set_offline(True)
    open_lesson(page, TEXT, "The text")
    expect(page.locator("main")).to_contain_text(SECRET)


def test_a_stored_lesson_opens_by_its_own_address_with_a_connection_too(
    opened: BrowserContext, site: StoppableSite
) -> None:
    page = opened.new_page()
    sign_in(page, "offline-8")
    download(page, TEXT)
    stored = f"/offline?lesson={uid_of(page)}"
    open_lesson(page, stored, "The text")
    expect(page.locator("main")).to_contain_text(SECRET)
    page.wait_for_timeout(1500)  # back online, other pages of the shell are replaced; this one was asked for
    expect(page).to_have_url(stored)
    expect(page.locator("html[data-offline]")).to_be_attached()
    expect(page.locator("[data-offline-note]")).to_be_hidden()
    page.get_by_role("button", name="Notes").click()
    page.locator("#timeline textarea").fill("By its own address")
    expect(page.locator("#timeline").get_by_text("Saved", exact=True)).to_be_visible()
    page.get_by_role("link", name="Dashboard").first.click()
    expect(page.locator("header [data-bell]")).to_be_attached()
    with site.site.database() as database:  # a page of the server opens after it was sent
        [(count,)] = database.execute("select count(*) from learning_note where text = 'By its own address'")
    assert count == 1

    page.goto(TEXT)
    page.get_by_role("button", name="Notes").click()
    expect(page.locator("#timeline")).to_contain_text("By its own address")
    opened.set_offline(True)
    open_lesson(page, stored, "The text")
    page.goto("/offline?lesson=00000000-0000-0000-0000-000000000000")
    expect(page.get_by_role("heading", name="This lesson isn't on this device")).to_be_visible()


def test_an_attempt_begun_offline_is_continued_from_the_page_of_the_quiz(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-9")
    download(page, QUIZ)
    opened.set_offline(True)
    page.goto(QUIZ)
    page.get_by_role("button", name="Start the quiz").click()
    page.get_by_role("radio").nth(1).check()
    page.wait_for_timeout(500)
    page.goto("/courses")  # left open
    expect(page.get_by_role("heading", name="This page needs a connection")).to_be_visible()
    opened.set_offline(False)
    expect(page.locator("header [data-bell]")).to_be_attached()

    page.goto(QUIZ)
    expect(page.locator("main")).to_contain_text("You started an attempt offline on this device")
    page.get_by_role("link", name="Continue the attempt").click()
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    page.get_by_role("radio").nth(3).check()
    page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_role("heading", name="Your attempt is kept on this device")).to_be_visible()
    page.goto(QUIZ)  # by the address bar, before it was sent
    expect(page.locator("main")).to_contain_text("Score 2 of 2")


def test_the_page_of_a_quiz_says_that_an_attempt_is_not_sent_yet(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-10")
    download(page, QUIZ)
    opened.set_offline(True)
    page.goto(QUIZ)
    page.get_by_role("button", name="Start the quiz").click()
    page.get_by_role("radio").nth(1).check()
    page.get_by_role("radio").nth(3).check()
    page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_role("heading", name="Your attempt is kept on this device")).to_be_visible()

    held: list[Route] = []
    is_held = True
    opened.route("**/changes/", lambda route: held.append(route) if is_held else route.continue_())
    opened.set_offline(False)
    page = opened.new_page()  # beside the page that waits for the connection
    page.goto(QUIZ)
    notice = page.locator("main .notice").filter(has_text="Your attempt is kept on this device")
    expect(notice).to_contain_text("isn't on this page yet")
    is_held = False
    for route in held:
        with contextlib.suppress(Error):  # its page may be gone
            route.continue_()
    expect(page.locator("main")).to_contain_text("Score 2 of 2")


def test_a_file_of_a_stored_lesson_is_saved_without_a_connection(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-11")
    download(page, TEXT)
    opened.set_offline(True)
    open_lesson(page, TEXT, "The text")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Flow at each depth").first.click()
    assert saved.value.suggested_filename == "Flow at each depth.csv"
    assert Path(saved.value.path()).read_bytes() == TABLE


def test_a_reload_in_the_middle_of_a_download_loses_nothing(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "offline-11")
    asked = segments_asked(page)
    passed: list[str] = []

    def pass_four(route: Route) -> None:
        passed.append(route.request.url.split("?")[0].rsplit("/", 1)[-1])
        if len(passed) <= 4:
            route.continue_()

    page.route(SEGMENTS, pass_four)
    press_download(page, FILM)
    for _ in range(200):
        if len(passed) > 4 and next(iter(states_of(page).values()))["received"] > 0:
            break
        page.wait_for_timeout(100)
    page.wait_for_timeout(500)
    page.unroute_all(behavior="ignoreErrors")
    asked.clear()
    page.reload()
    expect(page.locator("[data-offline-lesson]")).to_contain_text(ON_DEVICE)
    assert not set(passed[:4]) & set(asked)
