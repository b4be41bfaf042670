"""Videos of other hosts in a real browser, against stand-ins that speak as the hosts' players do (video_hosts.py)."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import imageio_ffmpeg
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import sticking_out, violations_in_all_looks
from tests.e2e.prepare import SHORT
from tests.e2e.video_hosts import FORGER, stand_in

pytestmark = pytest.mark.e2e

LESSON = "the-second"
ADDRESS = f"/learn/{SHORT}/{LESSON}"
YOUTUBE, VIMEO = "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://vimeo.com/76979871"
VIDEO = "document.querySelector('[data-island=player] video')"


@pytest.fixture
def show(site: Site) -> Iterator[Callable[..., None]]:
    """Let the lesson show a video of another host, as its author would."""
    before: list[tuple[object, ...]] = []

    def choose(address: str, host: str, *, length: int = 0) -> None:
        with site.database() as database:
            if not before:
                before.extend(
                    database.execute("SELECT video_id, duration FROM courses_lesson WHERE slug = ?", (LESSON,))
                )
            _write(site, None, address, host, length)

    yield choose
    if before:
        [(video, duration)] = before
        _write(site, video, "", "", duration)


def _write(site: Site, *values: object) -> None:
    with site.database() as database:
        database.execute(
            "UPDATE courses_lesson SET video_id = ?, external_video = ?, external_host = ?, duration = ?"
            " WHERE slug = ?",
            (*values, LESSON),
        )
        database.execute("UPDATE courses_course SET version = version + 1 WHERE slug = ?", (SHORT,))


@pytest.fixture
def opened(watch: Callable[..., Page]) -> Callable[..., tuple[Page, list[str]]]:
    """Open the lesson among stand-ins; return the page and what it asked other hosts for."""

    def open_page(**script: object) -> tuple[Page, list[str]]:
        page = watch("/help", plays=False)
        asked: list[str] = []
        stand_in(page, asked, **script)
        page.goto(ADDRESS)
        page.mouse.move(200, 200)
        return page, asked

    return open_page


def _play(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^(Play|Resume)")).first.click()


def _until(page: Page, condition: str) -> None:
    page.wait_for_function(f"() => {{ const video = {VIDEO}; return video && ({condition}); }}", timeout=30_000)


def _watched(site: Site) -> list[tuple[object, ...]]:
    with site.database() as database:
        return list(
            database.execute(
                "SELECT p.position, p.watched, p.completed_at FROM learning_lessonprogress p JOIN courses_lesson l"
                " ON l.id = p.lesson_id WHERE l.slug = ? ORDER BY p.id DESC LIMIT 1",
                (LESSON,),
            )
        )


def _wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for what the database says. The page goes on meanwhile: its requests pass through this process."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        page.wait_for_timeout(200)


def _wait_until_complete(page: Page, site: Site) -> None:
    _wait_until(page, lambda: _watched(site)[0][2] is not None)


def test_a_video_of_another_host_plays_after_a_press_and_is_counted(site, show, opened):
    show(YOUTUBE, "youtube", length=30)
    page, asked = opened(duration=30, factor=8)
    expect(page.get_by_text("contacts www.youtube-nocookie.com only when you press Play")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert asked == []

    _play(page)

    _until(page, "video.currentTime > 2")
    assert [re.sub(r"\?.*", "", url) for url in asked] == ["https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"]
    page.keyboard.press("b")  # marks the moment
    _wait_until_complete(page, site)
    expect(page.get_by_text("You've completed this lesson.")).to_be_visible()
    expect(page.get_by_role("button", name="Mark as complete")).to_have_count(0)


@pytest.mark.long
def test_vimeo_plays_and_obeys_the_keys_and_buttons_of_the_page(site, show, opened):
    show(VIMEO, "vimeo", length=60)
    page, asked = opened(duration=60)
    _play(page)
    _until(page, "video.currentTime > 1")
    assert asked == ["https://player.vimeo.com/video/76979871?dnt=1&playsinline=1&autoplay=1"]

    page.keyboard.press("k")
    _until(page, "video.paused")
    page.get_by_role("button", name="Forward 10 s").click()
    _until(page, "video.currentTime > 10 && !video.seeking")
    page.get_by_label("Speed").select_option("2")
    _until(page, "video.playbackRate === 1")  # this owner's plan has no other speed
    page.reload()  # the position is sent while the page leaves: a busy server may read it too late for the next one
    page.wait_for_timeout(500)
    page.reload()
    expect(page.get_by_role("button", name="Resume at 0:1")).to_be_visible()


@pytest.mark.long
def test_a_silent_host_is_said_to_be_silent_and_the_lesson_can_be_marked(site, show, opened):
    show(YOUTUBE, "youtube", length=10)
    page, _asked = opened(silent=True)
    _play(page)

    expect(page.get_by_text("YouTube doesn't tell us what you watch.")).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Mark as complete").click()
    expect(page.get_by_text("You've completed this lesson.")).to_be_visible()
    _wait_until_complete(page, site)


@pytest.mark.long
def test_a_mark_that_comes_too_early_says_when_it_counts(show, opened):
    show(YOUTUBE, "youtube")
    page, _asked = opened(duration=900)
    _play(page)

    expect(page.get_by_text("We don't know how long this video is.")).to_be_visible()
    page.get_by_role("button", name="Mark as complete").click()
    expect(page.get_by_text(re.compile(r"You can mark this lesson as complete in \d+ seconds"))).to_be_visible()


@pytest.mark.long
def test_a_host_that_answers_late_is_heard(show, opened):
    show(YOUTUBE, "youtube", length=60)
    page, _asked = opened(late=12_000)
    _play(page)

    expect(page.get_by_text("YouTube doesn't tell us what you watch.")).to_be_visible(timeout=30_000)
    _until(page, "video.currentTime > 1")
    expect(page.get_by_text("YouTube doesn't tell us what you watch.")).to_have_count(0)


@pytest.mark.long
def test_what_other_frames_say_is_not_believed(site, show, opened):
    show(YOUTUBE, "youtube", length=60)
    page, _asked = opened(duration=60)
    _play(page)
    _until(page, "video.currentTime > 1")
    page.evaluate(
        "(html) => { const frame = document.createElement('iframe'); frame.srcdoc = html;"
        " frame.sandbox = 'allow-scripts'; document.body.append(frame); }",
        FORGER,
    )
    page.evaluate(  # and the page itself, as an extension might
        "setInterval(() => postMessage(JSON.stringify({event: 'infoDelivery', info: {currentTime: 58}}), '*'), 50)"
    )
    page.wait_for_timeout(2000)

    assert page.evaluate(f"{VIDEO}.currentTime") < 20
    assert page.evaluate(f"{VIDEO}.ended") is False


@pytest.mark.long
def test_what_a_jump_leaves_out_is_not_watched(site, show, opened):
    show(YOUTUBE, "youtube", length=60)
    page, _asked = opened(duration=60, jump=[3, 56])
    _play(page)
    _until(page, "video.ended")
    page.wait_for_timeout(1000)

    _position, watched, completed = _watched(site)[0]
    assert completed is None
    assert re.fullmatch(r"\[\[0, [2-4]\], \[5[5-7], (59|60)\]\]", str(watched)), watched
    expect(page.get_by_role("button", name="Mark as complete")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "host", "problem", "words"),
    [
        (YOUTUBE, "youtube", 100, "was removed or is private"),
        (YOUTUBE, "youtube", 150, "may not allow it on other sites or in your country"),
        (YOUTUBE, "youtube", 153, "couldn't play this video here"),
        (VIMEO, "vimeo", "PrivacyError", "may not allow it on other sites"),
        (VIMEO, "vimeo", "NotFoundError", "was removed or is private"),
    ],
)
def test_what_does_not_play_says_why_and_leads_to_the_host(show, opened, address, host, problem, words):
    show(address, host, length=60)
    page, _asked = opened(problem=problem)
    _play(page)

    alert = page.get_by_role("alert").filter(has_text=words)
    expect(alert).to_be_visible()
    expect(alert.get_by_role("link", name=re.compile("^Open it on"))).to_have_attribute("href", address)
    expect(page.get_by_role("button", name="Mark as complete")).to_be_visible()


@pytest.mark.long
def test_offline_says_so_and_loads_nothing(show, opened):
    show(YOUTUBE, "youtube", length=60)
    page, asked = opened()
    context: BrowserContext = page.context
    page.wait_for_load_state("networkidle")
    expect(page.locator(".plate__hold .stage__start")).to_be_visible()
    context.set_offline(True)
    _play(page)

    expect(page.get_by_text("You're offline. This video plays once you're connected")).to_be_visible()
    assert asked == []
    context.set_offline(False)
    expect(page.get_by_text("You're offline. This video")).to_have_count(0)
    _play(page)
    _until(page, "video.currentTime > 0.5")


@pytest.mark.long
def test_without_scripts_the_page_names_the_host_and_can_be_marked(site, show, people, learners):
    show(YOUTUBE, "youtube", length=10)
    page = people(next(learners), java_script_enabled=False)
    page.goto(ADDRESS)

    expect(page.get_by_role("link", name="Open it on YouTube")).to_have_attribute("href", YOUTUBE)
    page.get_by_role("button", name="Mark as complete").click()
    _wait_until_complete(page, site)


@pytest.mark.long
def test_the_plate_and_the_bar_are_accessible(show, opened):
    show(YOUTUBE, "youtube", length=60)
    page, _asked = opened(duration=60)
    expect(page.locator(".plate__hold .stage__start")).to_be_visible()
    assert violations_in_all_looks(page, resized=False) == []
    _play(page)
    _until(page, "video.currentTime > 0.5")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    assert violations_in_all_looks(page, resized=False) == []
    assert sticking_out(page) == []


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a film of 20 seconds as MP4, and as HLS whose sound is apart from its picture."""
    folder = tmp_path_factory.mktemp("film")
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    source = ["-f", "lavfi", "-i", "testsrc=d=20:s=320x180:r=10", "-f", "lavfi", "-i", "sine=d=20"]
    coded = ["-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p", "-c:a", "aac"]
    subprocess.run([ffmpeg, "-v", "error", *source, *coded, "-movflags", "+faststart", folder / "a.mp4"], check=True)
    apart = ["-var_stream_map", "a:0,agroup:s,default:yes v:0,agroup:s", "-master_pl_name", "a.m3u8"]
    subprocess.run(
        [ffmpeg, "-v", "error", *source, "-map", "0:v", "-map", "1:a", *coded, "-f", "hls", "-hls_time", "4",
         "-hls_playlist_type", "vod", *apart, folder / "s%v.m3u8"],
        check=True,
    )  # fmt: skip
    return folder


def _serve(page: Page, film: Path, asked: list[str]) -> None:
    def answer(route: Route) -> None:
        asked.append(route.request.url)
        file = film / route.request.url.rsplit("/", 1)[1].split("?")[0]
        kinds = {".mp4": "video/mp4", ".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t"}
        body, headers = file.read_bytes(), {"Access-Control-Allow-Origin": "*", "Accept-Ranges": "bytes"}
        if found := re.match(r"bytes=(\d+)-(\d*)", route.request.headers.get("range", "")):
            first, last = int(found[1]), int(found[2] or len(body) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
            route.fulfill(status=206, headers=headers, content_type=kinds[file.suffix], body=body[first : last + 1])
            return
        route.fulfill(headers=headers, content_type=kinds[file.suffix], body=body)

    page.route("https://media.example.org/**", answer)


@pytest.mark.long
@pytest.mark.parametrize(("name", "host"), [("a.mp4", "file"), ("a.m3u8", "hls")])
def test_files_of_other_hosts_play_in_our_player(site, show, watch, film, name, host):
    show(f"https://media.example.org/{name}", host, length=20)
    page = watch("/help", plays=False)
    asked: list[str] = []
    _serve(page, film, asked)
    page.goto(ADDRESS)
    page.mouse.move(200, 200)
    expect(page.get_by_text("This video comes from media.example.org.")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert asked == []

    _play(page)
    _until(page, "video.currentTime > 1 && video.duration > 19")
    page.keyboard.press("+")
    _until(page, "video.playbackRate > 1")
    page.keyboard.press("9")
    _until(page, "video.ended")
    if host == "hls":
        assert [url for url in asked if "s0" in url], "the sound is a part of its own"
    page.evaluate("scrollTo(0, 0)")
    assert _watched(site)[0][2] is None  # most of it was skipped


@pytest.mark.long
def test_the_length_that_the_player_tells_an_author_is_saved(site, show, people):
    show(YOUTUBE, "youtube")
    page = people("admin")
    stand_in(page, [], duration=125)
    page.goto(ADDRESS)
    page.mouse.move(200, 200)
    _play(page)
    _until(page, "video.duration === 125")

    def length() -> int:
        with site.database() as database:
            [(seconds,)] = database.execute("SELECT duration FROM courses_lesson WHERE slug = ?", (LESSON,))
        return seconds

    _wait_until(page, lambda: length() == 125)
