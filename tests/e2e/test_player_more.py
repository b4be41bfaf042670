"""The player when something fails, and what it offers beside playing: chapters, settings, wide view."""

from __future__ import annotations

import json
import re
from contextlib import suppress

import pytest
from playwright.sync_api import Error, Page, Route, expect

from tests.e2e.looking import NOW, plays_from, start, until
from tests.e2e.prepare import SHORT

pytestmark = [pytest.mark.e2e, pytest.mark.long]

FIRST, SECOND = f"/learn/{SHORT}/the-first", f"/learn/{SHORT}/the-second"
VIDEO = "document.querySelector('video')"
SEGMENT = re.compile(r"/\d+\.m4s")


def seek(page: Page, second: int) -> None:
    page.evaluate(f"{VIDEO}.currentTime = {second}")


def test_letters_and_digits_are_aliases(watch):
    page = watch(FIRST)
    press = page.keyboard.press
    press("k")
    until(page, f"{VIDEO}.paused")
    for key, second in (("5", 31), ("l", 41), ("j", 31), ("9", 56), ("0", 0)):
        press(key)
        until(page, f"!{VIDEO}.seeking && Math.round({NOW}) === {second}")

    press("w")
    until(page, "document.documentElement.dataset.theater === ''")
    press("?")
    help_ = page.get_by_role("dialog", name="Keyboard shortcuts")
    for label in ("Back 10 s", "Forward 10 s", "Wide view", "Go to 0% … 90%"):
        expect(help_.get_by_text(label)).to_be_visible()
    press("Escape")
    press("k")
    until(page, f"!{VIDEO}.paused")

    page.reload()
    assert page.evaluate("document.documentElement.dataset.theater") == "", "the wide view is remembered"


def test_buttons_seek_ten_seconds(watch):
    page = watch(f"{FIRST}?t=20")
    player = page.get_by_label("Video player")
    page.keyboard.press("k")
    until(page, f"{VIDEO}.paused")
    before = page.evaluate(NOW)
    player.get_by_role("button", name="Forward 10 seconds").click()
    until(page, f"Math.abs({NOW} - {before} - 10) < 0.1")
    player.get_by_role("button", name="Back 10 seconds").click()
    until(page, f"Math.abs({NOW} - {before}) < 0.1")


def test_chapters_can_be_chosen_by_keyboard(watch):
    page = watch(SECOND)
    player = page.get_by_label("Video player")
    page.keyboard.press("k")
    player.get_by_role("button", name="Chapter: The plane and two arrows").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio", checked=True)).to_be_focused()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    until(page, f"Math.round({NOW}) === 40")
    opener = player.get_by_role("button", name="Chapter: The recipe still holds")
    expect(opener).to_be_focused()
    line = page.get_by_role("slider", name="Seek")
    expect(line).to_have_attribute("aria-valuetext", re.compile(r"chapter 3, The recipe still holds$"))


def test_settings_are_remembered(watch):
    page = watch(f"{FIRST}?t=20")
    opener = page.get_by_label("Video player").get_by_role("button", name="Settings")
    opener.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("group", name="Settings")
    follows = panel.get_by_label("Autoplay next lesson")
    expect(follows).to_be_focused()
    page.keyboard.press("Space")
    expect(follows).not_to_be_checked()
    panel.get_by_label("Size of captions").select_option("huge")
    panel.get_by_label("Background of captions").select_option("black")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(opener).to_be_focused()

    page.goto(f"{FIRST}?t=58")
    start(page)
    plays_from(page, 58)
    ended = page.locator(".ended")
    expect(ended.get_by_role("button", name="Next lesson")).to_be_visible()
    page.wait_for_timeout(2000)
    expect(page.get_by_text(re.compile("^Next in"))).to_have_count(0)
    ended.get_by_role("button", name="Watch again").click()
    words = page.locator(".stage__cap")
    expect(words).to_have_attribute("data-size", "huge")
    expect(words).to_have_attribute("data-back", "black")


def test_a_failed_segment_is_loaded_again(watch):
    page = watch(FIRST)
    page.route(SEGMENT, lambda route: route.fulfill(status=500, body=""))
    seek(page, 50)
    notice = page.get_by_label("Video player").locator(".notice--warning")
    expect(notice).to_contain_text(re.compile(r"Your place at 0:50 is saved"), timeout=30_000)
    expect(notice).to_contain_text(re.compile(r"Retrying in \d s"))
    page.unroute(SEGMENT)

    expect(notice).to_have_count(0, timeout=30_000)
    plays_from(page, 50)


def test_a_stalled_network_shows_that_it_waits(watch):
    page = watch(FIRST, plays=False)
    held: list[Route] = []
    is_stalled = True

    def stall(route: Route) -> None:
        if is_stalled:
            held.append(route)
        else:
            route.continue_()

    page.route(SEGMENT, stall)
    page.locator("[data-start]").click()
    wait = page.locator(".stage__wait")
    expect(wait).to_be_attached()
    is_stalled = False
    for route in held:
        with suppress(Error):  # the player has given up this request and made another
            route.continue_()

    plays_from(page, 0)
    expect(wait).to_have_count(0)


def test_an_expired_address_is_renewed_without_losing_the_place(watch):
    page = watch(FIRST)
    renewed: list[str] = []

    def refuse(route: Route) -> None:
        if renewed:
            route.continue_()
        else:
            route.fulfill(status=403, content_type="application/json", body=json.dumps({"code": "MEDIA_LINK_EXPIRED"}))

    page.on("response", lambda answer: renewed.append(answer.url) if answer.url.endswith("/player/") else None)
    page.route(SEGMENT, refuse)
    seek(page, 50)

    plays_from(page, 50)
    assert len(renewed) == 1
    assert page.evaluate(NOW) >= 50
    expect(page.get_by_label("Video player").locator(".notice")).to_have_count(0)


def test_protected_media_offers_a_new_page(watch):
    page = watch(FIRST)
    page.evaluate(f"{VIDEO}.pause()")
    page.evaluate(f"{VIDEO}.dispatchEvent(new Event('encrypted'))")
    notice = page.get_by_label("Video player").get_by_role("alert")
    expect(notice).to_contain_text("Playback permission couldn't be checked")
    with page.expect_navigation():
        notice.get_by_role("button", name="Refresh page").click()
    expect(page).to_have_url(FIRST)


def test_signing_out_in_another_tab_keeps_the_place(watch):
    page = watch(f"{FIRST}?t=30")
    plays_from(page, 33)
    other = page.context.new_page()
    other.goto("/courses/")
    other.locator("summary[aria-label='Account menu']").click()
    other.get_by_role("button", name="Sign out").first.click()

    expect(page).to_have_url(re.compile(r"/auth/login"), timeout=30_000)
    kept = page.evaluate(
        "Object.entries(localStorage).filter(([key]) => key.startsWith('study.progress.')).map(([, value]) => value)"
    )
    positions = [one["position"] for text in kept for one in json.loads(text).values()]
    assert not positions or max(positions) >= 33, "sent before, or kept on this device"
