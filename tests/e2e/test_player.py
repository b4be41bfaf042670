"""The player with a real video in a real browser: playback, shortcuts, stored settings, failures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.e2e.looking import NOW, hold, plays_from, start, until
from tests.e2e.prepare import SEEN, SHORT

pytestmark = pytest.mark.e2e

PHONE = ViewportSize(width=390, height=844)
FIRST, SECOND = f"/learn/{SHORT}/the-first", f"/learn/{SHORT}/the-second"


def control(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_label("Video player").get_by_role("button", name=name)


def choose(page: Page, menu: str, item: str | re.Pattern[str]) -> None:
    control(page, re.compile(f"^{menu}: ")).click()
    page.get_by_role("menuitemradio", name=item, exact=True).click()


def pause(page: Page) -> None:
    page.keyboard.press(" ")
    until(page, "document.querySelector('video').paused")


def test_play_button_starts_the_video(watch):
    page = watch(FIRST, plays=False)
    expect(page.locator("video")).to_have_count(0)

    page.get_by_role("button", name="Play", exact=True).click()

    plays_from(page, 1)
    until(page, "document.querySelector('video').videoWidth >= 854")  # a busy machine begins with a smaller rendition
    expect(control(page, "Pause")).to_be_attached()


@pytest.mark.long
@pytest.mark.parametrize("late", ["islands", "mount", "islands/player"])
def test_play_pressed_before_the_player_has_loaded_starts_it(watch, late: str):
    page = watch("/", plays=False)
    release = hold(page, rf"/dist/{late}-[^/]*\.js")
    page.goto(FIRST, wait_until="commit")
    play = page.get_by_role("button", name="Play", exact=True)

    play.click()
    expect(page.locator("[data-island=player]")).to_have_attribute("data-start", "")
    until(page, "document.querySelector('.stage__start').getAttribute('aria-busy') === 'true'")
    expect(page.locator("video")).to_have_count(0)
    release()

    plays_from(page, 0)


@pytest.mark.long
def test_space_bar_starts_the_player_before_it_has_loaded(watch):
    page = watch("/", plays=False)
    release = hold(page, r"/dist/islands-[^/]*\.js")
    page.goto(FIRST, wait_until="commit")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()

    page.keyboard.press(" ")

    expect(page.locator("[data-island=player]")).to_have_attribute("data-start", "")
    assert page.evaluate("scrollY") == 0
    release()
    plays_from(page, 0)


@pytest.mark.long
def test_captions_stay_on_until_turned_off(watch):
    page = watch(FIRST)
    words = page.locator(".stage__cap")
    expect(words).to_have_text("Here is the plane, ruled into squares.")

    control(page, "Captions").click()
    expect(control(page, "Captions")).to_have_attribute("aria-pressed", "false")
    expect(words).to_have_count(0)

    page.goto(f"{SECOND}?t=5")
    start(page)
    plays_from(page, 5)
    expect(words).to_have_count(0)
    page.keyboard.press("c")
    expect(words).to_have_text("Two short arrows rule it: one step east, and one step north.")


@pytest.mark.long
def test_each_quality_can_be_chosen_and_is_loaded(watch):
    page = watch(FIRST)
    came: list[str] = []
    page.on("request", lambda request: came.append(request.url))
    control(page, re.compile("^Quality: ")).click()
    expect(page.get_by_role("menuitemradio")).to_have_text([re.compile("^Auto"), "720p", "480p", "Audio only"])
    page.keyboard.press("Escape")

    for quality, folder, height in (("480p", "480p", 480), ("720p", "720p", 720), ("Audio only", "audio", 0)):
        came.clear()
        choose(page, "Quality", quality)
        plays_from(page, 0)
        shown = "videoHeight" if height else "getVideoPlaybackQuality().totalVideoFrames * 0"
        until(page, f"document.querySelector('video').{shown} === {height}")
        assert any(re.search(rf"/{folder}/\d+\.m4s$", url) for url in came), came
        expect(control(page, f"Quality: {quality}")).to_be_attached()
        expect(page.locator(".stage__audio")).to_have_count(0 if height else 1)

    came.clear()
    choose(page, "Quality", re.compile("^Auto"))
    plays_from(page, 0)
    until(page, "document.querySelector('video').videoHeight > 0")
    expect(control(page, re.compile(r"^Quality: Auto \d+p$"))).to_be_attached()
    assert any(re.search(r"/(720|480)p/\d+\.m4s$", url) for url in came), came


@pytest.mark.long
def test_each_speed_can_be_chosen_and_is_remembered(watch):
    page = watch(FIRST)
    for speed, item in ((0.5, "0.5×"), (0.75, "0.75×"), (1, "Normal"), (1.25, "1.25×"), (1.5, "1.5×"), (2, "2×")):
        choose(page, "Speed", item)
        assert page.evaluate("document.querySelector('video').playbackRate") == speed
        expect(control(page, f"Speed: {speed}×")).to_be_attached()
    # At double speed, two seconds of video take one second, with some tolerance.
    took = page.evaluate(
        f"""() => new Promise((resolve) => {{
          const [from, at] = [{NOW}, performance.now()];
          const look = () => {NOW} >= from + 2 ? resolve(performance.now() - at) : requestAnimationFrame(look);
          look();
        }})"""
    )
    assert took > 900

    page.reload()
    start(page)

    assert page.evaluate("document.querySelector('video').playbackRate") == 2


def test_first_key_press_works(watch):
    page = watch("/", plays=False)
    release = hold(page, r"/dist/islands/player-[^/]*\.js")
    page.goto(f"{FIRST}?t=20")

    for key in ("m", "+", "ArrowRight"):  # the player has not loaded yet
        page.keyboard.press(key)
    expect(page.locator("video")).to_have_count(0)
    release()

    expect(page.locator("[data-start]")).to_have_text("Resume at 0:25")
    start(page)
    plays_from(page, 25)
    assert page.evaluate("document.querySelector('video').muted")
    assert page.evaluate("document.querySelector('video').playbackRate") == 1.25


def test_transcript_sentence_plays_from_its_start_before_and_after_the_player_loads(watch):
    page = watch(FIRST, plays=False)
    page.locator("[data-transcript] [data-from]").nth(5).click()
    second = float(page.locator("[data-transcript] [data-from]").nth(5).get_attribute("data-from"))
    plays_from(page, second)
    assert page.evaluate(NOW) < second + 10
    expect(page).to_have_url(FIRST)

    page.locator("[data-transcript] [data-from]").first.click()
    until(page, f"{NOW} < {second}")

    # On a portrait phone, the video stays below the header while the transcript scrolls.
    page.set_viewport_size(PHONE)
    page.evaluate("document.querySelector('[data-transcript] li:last-child').scrollIntoView({block: 'end'})")
    edge = "(part, side) => document.querySelector(part).getBoundingClientRect()[side]"
    until(page, f"scrollY > 0 && Math.abs(({edge})('.stage', 'top') - ({edge})('.top', 'bottom')) < 2")
    page.set_viewport_size({"width": PHONE["height"], "height": PHONE["width"]})
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    until(page, f"({edge})('.stage', 'bottom') < 0")


def test_each_shortcut_does_what_the_help_says(watch):
    page = watch(FIRST)
    press = page.keyboard.press
    video = "document.querySelector('video')"

    pause(page)
    press(" ")
    until(page, f"!{video}.paused")
    pause(page)

    press("Home")  # scrolls the page as usual
    page.evaluate(f"{video}.currentTime = 20")
    until(page, f"!{video}.seeking")
    press("ArrowRight")
    until(page, f"{NOW} === 25")
    press("ArrowLeft")
    press("ArrowLeft")
    until(page, f"{NOW} === 15")

    press("m")
    assert page.evaluate(f"{video}.muted")
    press("M")
    assert not page.evaluate(f"{video}.muted")

    for key, speed in (("+", 1.25), ("=", 1.5), ("+", 2), ("+", 2), ("-", 1.5)):
        press(key)
        assert page.evaluate(f"{video}.playbackRate") == speed

    press("f")
    until(page, "document.fullscreenElement?.matches('.stage')")
    press("f")
    until(page, "document.fullscreenElement === null")

    with page.expect_response(lambda answer: "/notes/" in answer.url and answer.request.method == "PUT") as marked:
        press("b")
    assert marked.value.ok

    press("t")
    note = page.get_by_placeholder("Write a note.")
    expect(note).to_be_focused()
    page.keyboard.type("m f b")  # text, not shortcuts
    expect(note).to_have_value("m f b")
    note.fill("")
    press("Escape")
    expect(note).to_be_hidden()

    press("?")
    help_ = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_).to_be_visible()
    press("m")  # no shortcuts within the dialog
    assert not page.evaluate(f"{video}.muted")
    press("Escape")
    expect(help_).to_have_count(0)

    press("/")
    box = page.get_by_role("banner").get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("m f b n")  # text, not shortcuts, not commands
    expect(box).to_have_value("m f b n")
    expect(page).to_have_url(FIRST)
    box.evaluate("box => box.blur()")

    press("n")
    expect(page).to_have_url(SECOND)
    page.locator("[data-start]").focus()  # the first interaction loads the player
    expect(page.locator("[data-start]")).to_be_visible()
    until(page, "document.querySelector('video')")
    press("p")
    expect(page).to_have_url(FIRST)
    page.mouse.move(300, 300)
    until(page, "document.querySelector('video')")
    press("h")
    expect(page).to_have_url("/")


@pytest.mark.long
def test_shortcuts_can_be_turned_off(watch):
    page = watch(FIRST)
    page.keyboard.press("?")
    page.get_by_label("Use letter and symbol shortcuts when not typing in a field").uncheck()
    page.keyboard.press("Escape")
    page.get_by_label("Video player").locator("video").hover()

    page.keyboard.press("m")
    page.keyboard.press("n")

    plays_from(page, 0)
    assert not page.evaluate("document.querySelector('video').muted")
    expect(page).to_have_url(FIRST)


@pytest.mark.long
def test_timeline_works_by_keyboard(watch):
    page = watch(FIRST)
    pause(page)
    line = page.get_by_role("slider", name="Seek")
    line.focus()

    for key, second in (
        ("Home", 0),
        ("ArrowRight", 5),
        ("ArrowUp", 10),
        ("ArrowLeft", 5),
        ("PageUp", 62),
        ("PageDown", 2),
        ("End", 62),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        expect(line).to_have_attribute("aria-valuenow", str(second))
        until(page, f"!document.querySelector('video').seeking && Math.round({NOW}) === {second}")
    expect(line).to_have_attribute("aria-valuetext", "0 seconds of 1 minute 2 seconds")
    expect(line).to_be_focused()


@pytest.mark.long
def test_video_resumes_at_its_position_after_a_reload(watch):
    page = watch(FIRST)
    page.get_by_role("slider", name="Seek").focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    plays_from(page, 41)
    left = page.evaluate(NOW)

    page.reload()

    page.mouse.move(300, 300)
    until(page, "document.querySelector('video')")
    start(page)
    assert left - 3 <= page.evaluate(NOW) <= left + 10


DELIVERED = "!Object.keys(localStorage).some((key) => key.startsWith('study.progress.'))"


def wait_for_signed_in_state(page: Page, second: int, begin: Callable[[], object]) -> tuple[int, bool]:
    """Play and pause at exactly that second; returns the seconds watched and whether the lesson is complete."""
    page.evaluate(
        """second => {
          const video = document.querySelector('video');
          window.pausedAt = null;
          let isBefore = video.currentTime < second;  // not where a jump has yet to leave
          const look = () => {
            if (video.currentTime < second) isBefore = true;
            else if (isBefore) {
              video.removeEventListener('timeupdate', look);
              // Told after the player has heard of it, which only then sends what it holds back.
              video.addEventListener('pause', () => (window.pausedAt = second), { once: true });
              video.pause();
            }
          };
          video.addEventListener('timeupdate', look);
        }""",
        second,
    )
    begin()
    until(page, f"window.pausedAt === {second} && {DELIVERED}")
    player = r'data-island="player".*?type="application/json">(.+?)</script>'
    (props,) = re.findall(player, page.request.get(FIRST).text(), re.DOTALL)
    known = json.loads(props)
    return known["watched_seconds"], known["completed"]


@pytest.mark.long
def test_video_lesson_is_complete_after_90_percent_watched(watch):
    page = watch(f"{FIRST}?t=57", who=SEEN)  # a learner with the first 38 of 62 seconds watched
    row = page.locator("[data-lesson] a[aria-current]")
    done = page.locator(".toast", has_text="Lesson 1.1 complete")
    seconds, is_complete = wait_for_signed_in_state(page, 61, lambda: None)
    assert 41 <= seconds <= 43
    assert not is_complete

    choose(page, "Speed", "2×")
    line = page.get_by_role("link", name="Play from 0:40")  # of the transcript
    seconds, is_complete = wait_for_signed_in_state(page, 46, line.click)
    assert 47 <= seconds < 56
    assert not is_complete
    expect(row.get_by_label("Completed")).to_have_count(0)

    seconds, is_complete = wait_for_signed_in_state(page, 55, control(page, "Play").click)
    assert seconds >= 56
    assert is_complete
    expect(done).to_be_visible()
    expect(row.get_by_label("Completed")).to_have_count(1)
    expect(page.locator("[data-course-count]").first).to_have_text("1 of 2 lessons")
    expect(page.locator("[data-course-percent]")).to_have_text("50%")


@pytest.mark.long
def test_next_lesson_plays_automatically_after_the_end(watch):
    page = watch(f"{FIRST}?t=60")
    expect(page.get_by_text(re.compile(r"^Next in \d s$"))).to_be_visible()
    expect(page.locator(".ended__title")).to_have_text("1.2 The second")

    expect(page).to_have_url(SECOND)
    plays_from(page, 0)

    page.goto(f"{SECOND}?t=60")
    start(page)
    expect(page.get_by_text("That was the last lesson")).to_be_visible()
    expect(page.get_by_role("link", name="See your progress")).to_have_attribute("href", f"/me/course/{SHORT}/progress")


@pytest.mark.long
def test_escape_cancels_autoplay_of_the_next_lesson(watch):
    page = watch(f"{FIRST}?t=60")
    expect(control(page, "Stay here")).to_be_visible()

    page.keyboard.press("Escape")

    expect(page.get_by_text(re.compile(r"^Next in"))).to_have_count(0)
    page.get_by_label("Video player").locator(".ended").get_by_role("button", name="Watch again").click()
    plays_from(page, 0)
    assert page.evaluate(NOW) < 30
    expect(page).to_have_url(f"{FIRST}?t=60")


def test_a_broken_connection_is_reported_and_the_upload_can_resume(watch):
    page = watch(FIRST)
    page.context.set_offline(True)
    page.get_by_role("slider", name="Seek").press("End")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")

    notice = page.get_by_label("Video player").locator(".notice--warning")
    # Both at once: the countdown ends after three failed attempts.
    told = r"The connection dropped while the video was loading\. Your place at 0:51 is saved\..*Retrying in \d+ s"
    expect(notice).to_contain_text(re.compile(told, re.DOTALL))
    # Record the position as playback resumes: on a busy machine, the video may be over before the test can check.
    page.evaluate(
        "document.querySelector('video').addEventListener('playing', ({target}) => { resumed ??= target.currentTime })"
        ", window.resumed = null"
    )
    page.context.set_offline(False)

    expect(notice).to_have_count(0)
    until(page, "resumed !== null")
    assert 51 <= page.evaluate("resumed") < 60
