"""Lessons on devices: interrupted downloads, two devices, a full disk, a wrong clock, other accounts, updates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Route, expect

from tests.e2e.looking import until
from tests.e2e.offline import (
    SPOKEN,
    TITLE,
    StoppableSite,
    download,
    expect_lesson,
    opened_browser,
    press_download,
    segments_asked,
    sign_in,
    states_of,
    stoppable_site,
    stored_texts,
    wait_for_state,
    wait_for_worker,
)
from tests.e2e.prepare import FILM

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.xdist_group("offline_devices")]

MONTH_MS = 31 * 86_400_000


@pytest.fixture(scope="module")
def site(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableSite]:
    with stoppable_site(prepared, tmp_path_factory.mktemp("offline") / "data") as served:
        yield served


@pytest.fixture
def opened(site: StoppableSite, browser_type: BrowserType, tmp_path: Path) -> Iterator[BrowserContext]:
    with opened_browser(browser_type, tmp_path / "profile", site.base) as context:
        yield context


def test_a_download_goes_on_after_a_reload_and_after_the_browser_was_closed(
    site: StoppableSite, browser_type: BrowserType, tmp_path: Path
) -> None:
    fetched: list[str] = []

    def hold(route: Route) -> None:
        """Let three segments through, and none after them."""
        fetched.append(route.request.url.rsplit("/", 2)[-1])
        if len(fetched) <= 3:
            route.continue_()

    with opened_browser(browser_type, tmp_path / "profile", site.base) as context:
        page = context.new_page()
        sign_in(page, "learner-31")
        page.route("**/media/v/**/*.m4s*", hold)
        press_download(page)
        wait_for_state(page, "downloading")
        until(page, "true")
        for _ in range(100):
            if len(fetched) > 3:
                break
            page.wait_for_timeout(100)
        page.reload()
        wait_for_state(page, "downloading")
    before = set(fetched[:3])

    with opened_browser(browser_type, tmp_path / "profile", site.base) as context:
        page = context.new_page()
        again: list[str] = []
        page.on("request", lambda one: again.append(one.url.rsplit("/", 2)[-1]) if ".m4s" in one.url else None)
        page.goto("/")
        wait_for_state(page, "downloaded")
        assert not before & set(again)  # what was stored is not fetched again
        context.set_offline(True)
        page.goto(FILM)
        expect_lesson(page)


def test_a_full_disk_keeps_what_is_stored_and_goes_on_when_there_is_room(
    site: StoppableSite, browser_type: BrowserType, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    with opened_browser(browser_type, profile, site.base) as context:
        page = context.new_page()
        sign_in(page, "learner-32")
        download(page)  # with the shell, which stays
        page.goto("/offline")
        page.get_by_role("button", name=f"Remove 1.1 {TITLE}").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page.get_by_role("heading", name="Nothing downloaded yet")).to_be_visible()

    # Opened again, as browsers remember for a while how much room there is.
    with opened_browser(browser_type, profile, site.base) as context:
        page = context.new_page()
        page.goto("/")
        line = context.new_cdp_session(page)
        used = page.evaluate("navigator.storage.estimate().then((one) => one.usage)")
        line.send("Storage.overrideQuotaForOrigin", {"origin": site.base, "quotaSize": used + 1_000_000})
        asked = segments_asked(page)
        press_download(page)
        expect(page.get_by_role("button", name="Download stopped")).to_be_visible()
        expect(page.locator("[data-toasts]")).to_contain_text("This device has no room left")
        [kept] = states_of(page).values()
        assert 0 < kept["received"] < kept["size"]
        page.goto("/offline")
        expect(page.locator("main")).to_contain_text("The downloaded part is kept.")

        line.send("Storage.overrideQuotaForOrigin", {"origin": site.base})
        before = set(asked)
        asked.clear()
        page.get_by_role("button", name="Try again").click()
        wait_for_state(page, "downloaded")
        assert asked
        assert len(before & set(asked)) <= 3  # those that were on their way when there was no room
        context.set_offline(True)
        page.goto(FILM)
        expect_lesson(page)


def test_a_clock_that_is_a_month_ahead_hides_lessons_until_the_next_contact(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "learner-33")
    download(page)
    opened.set_offline(True)
    now = page.evaluate("Date.now()")
    page.clock.set_fixed_time(now + MONTH_MS)
    page.goto(FILM)
    expect(page.locator("main")).to_contain_text("xpired")
    expect(page.locator("main")).not_to_contain_text(SPOKEN)

    opened.set_offline(False)
    page.close()  # with its clock
    page = opened.new_page()
    page.goto("/offline")
    expect(page.locator("main")).to_contain_text("kept until")
    opened.set_offline(True)
    page.goto(FILM)
    expect_lesson(page)


def test_nobody_reads_the_lessons_of_an_account_that_signed_out(opened: BrowserContext) -> None:
    page = opened.new_page()
    sign_in(page, "learner-34")
    download(page)
    assert TITLE not in stored_texts(page)
    assert SPOKEN not in stored_texts(page)
    assert "CRYPTOKEY" in stored_texts(page)

    page.get_by_label("Account menu").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep and sign out").click()
    expect(page).not_to_have_url(FILM)
    assert TITLE not in stored_texts(page)
    kept = stored_texts(page, caches=False)
    assert len(kept) > 1_000_000  # the lesson is still there
    assert not [one for one in ("CRYPTOKEY", SPOKEN, "ftyp", "moof", "WEBVTT") if one in kept]
    opened.set_offline(True)
    for address in (FILM, "/offline"):
        page.goto(address)
        expect(page.locator("main")).not_to_contain_text(TITLE)
    opened.set_offline(False)

    sign_in(page, "learner-35")  # another account on the same browser
    page.goto("/offline")
    expect(page.get_by_role("heading", name="1 lesson of another account")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text(TITLE)
    opened.set_offline(True)
    page.goto(FILM)
    expect(page.locator("main")).not_to_contain_text(SPOKEN)
    opened.set_offline(False)
    expect(page.locator("header [data-bell]")).to_be_attached()  # the page of the server has taken its place

    page.goto("/auth/logout")
    page.get_by_role("button", name="Sign out").last.click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    sign_in(page, "learner-34")
    page.goto("/offline")
    expect(page.locator("main")).to_contain_text(TITLE)
    opened.set_offline(True)
    page.goto(FILM)
    expect_lesson(page)


def test_removing_at_the_sign_out_leaves_nothing(opened: BrowserContext, site: StoppableSite) -> None:
    page = opened.new_page()
    sign_in(page, "learner-36")
    download(page)
    page.get_by_label("Account menu").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove and sign out").click()
    expect(page).not_to_have_url(FILM)
    assert states_of(page) == {}
    assert len(stored_texts(page, caches=False)) < 100_000
    with site.site.database() as database:
        [count] = database.execute(
            "select count(*) from learning_offlinedevice join accounts_user on accounts_user.id = user_id"
            " where username = 'learner-36'"
        ).fetchone()
    assert count == 0


def test_what_ended_is_deleted_at_the_next_contact(opened: BrowserContext, site: StoppableSite) -> None:
    page = opened.new_page()
    sign_in(page, "learner-37")
    download(page)
    with site.site.database() as database:
        database.execute(
            "update learning_enrollment set revoked_at = '2026-01-01 00:00:00' where user_id ="
            " (select id from accounts_user where username = 'learner-37')"
        )
        database.execute("update learning_offlinedevice set last_contact_at = '2026-01-01 00:00:00'")
    opened.set_offline(True)
    page.goto(FILM)
    expect_lesson(page)  # nobody knows yet

    opened.set_offline(False)
    page.clock.set_fixed_time(page.evaluate("Date.now()") + 3_600_000)  # a contact is due
    page.goto("/offline")
    wait_for_state(page, "ended")
    assert len(stored_texts(page, caches=False)) < 100_000
    opened.set_offline(True)
    page.goto(FILM)
    expect(page.locator("main")).not_to_contain_text(SPOKEN)


def test_an_update_of_the_worker_waits_while_a_stored_lesson_plays(opened: BrowserContext, site: StoppableSite) -> None:
    page = opened.new_page()
    sign_in(page, "learner-38")
    download(page)
    worker = "fetch('/sw.js').then((one) => one.text()).then((text) => /version\": \"(\\w+)/.exec(text)[1])"
    first = page.evaluate(worker)
    opened.set_offline(True)
    page.goto(FILM)
    expect_lesson(page)
    page.locator("[data-start]").first.click()
    until(page, "document.querySelector('video')?.currentTime > 1")

    site.stop()
    site.site.env["SUPPORT_EMAIL"] = "another@example.com"  # pages name it: they and the worker change
    site.start()
    opened.set_offline(False)
    assert page.evaluate(worker) != first
    page.evaluate("navigator.serviceWorker.getRegistration('/').then((one) => one.update())")
    until(page, "navigator.serviceWorker.getRegistration('/').then((one) => one.waiting !== null)")
    at = page.evaluate("document.querySelector('video').currentTime")
    until(page, f"document.querySelector('video').currentTime > {at} + 2")  # it plays on
    expect(page.get_by_role("button", name="Update")).to_have_count(0)

    page.goto("/me/enrollments")  # nothing plays
    page.get_by_role("button", name="Update").click()
    until(page, "navigator.serviceWorker.getRegistration('/').then((one) => one.waiting === null)")
    wait_for_state(page, "downloaded")
    opened.set_offline(True)
    page.goto(FILM)
    expect_lesson(page)
    page.locator("[data-start]").first.click()
    until(page, "document.querySelector('video')?.currentTime > 0.5")


def test_the_switch_removes_the_worker_from_browsers(browser_type: BrowserType, prepared: Path, tmp_path: Path) -> None:
    with (
        stoppable_site(prepared, tmp_path / "data") as site,
        opened_browser(browser_type, tmp_path / "profile", site.base) as context,
    ):
        page = context.new_page()
        page.goto("/")
        wait_for_worker(page)
        site.stop()
        site.site.env["SERVICE_WORKER"] = "0"
        site.start()
        page.goto("/")
        until(page, "navigator.serviceWorker.getRegistrations().then((all) => all.length === 0)")
        assert page.evaluate("caches.keys()") == []
        page.reload()
        page.wait_for_timeout(500)
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0


def test_two_devices_end_in_the_same_progress_and_notes(
    site: StoppableSite, browser_type: BrowserType, tmp_path: Path
) -> None:
    with (
        opened_browser(browser_type, tmp_path / "phone", site.base) as phone,
        opened_browser(browser_type, tmp_path / "tablet", site.base) as tablet,
    ):
        pages = [phone.new_page(), tablet.new_page()]
        for page in pages:
            sign_in(page, "learner-39")
            download(page)
        for page, second, note in zip(pages, (0, 20), ("From the phone", "From the tablet"), strict=True):
            page.context.set_offline(True)
            page.goto(f"{FILM}?t={second}")
            expect_lesson(page)
            page.locator("[data-start]").first.click()
            until(page, f"document.querySelector('video')?.currentTime > {second} + 4")
            page.keyboard.press("k")
            page.get_by_role("button", name="Notes").click()
            field = page.get_by_role("textbox", name="Note at")
            field.fill(note)
            field.press("Control+Enter")
            expect(page.locator("[data-timeline]")).to_contain_text(note)
        for page in reversed(pages):
            page.context.set_offline(False)
            expect(page.locator("header [data-bell]")).to_be_attached()  # the page of the server is there
            page.goto("/offline")
            expect(page.locator(".kept__list > li")).to_have_count(1)
            expect(page.locator("main")).not_to_contain_text("Waiting to be sent")
        with site.site.database() as database:
            notes = database.execute(
                "select text from learning_note join accounts_user on accounts_user.id = learning_note.user_id"
                " where username = 'learner-39'"
            )
            texts = {text for (text,) in notes}
            [(watched,)] = database.execute(
                "select watched from learning_lessonprogress"
                " join learning_enrollment on learning_enrollment.id = enrollment_id"
                " join accounts_user on accounts_user.id = user_id"
                " where watched_seconds > 0 and username = 'learner-39'"
            )
        assert texts == {"From the phone", "From the tablet"}
        pairs = json.loads(watched)
        assert any(begin == 0 for begin, _ in pairs)
        assert any(begin <= 21 < end for begin, end in pairs)
