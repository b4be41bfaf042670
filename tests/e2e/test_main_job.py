"""The main job in one story: teach, upload, process, submit, approve, find, enroll, watch, quiz, certificate."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, Request, expect

from apps.files.video.binaries import find_ffmpeg
from tests.e2e.conftest import Site
from tests.e2e.looking import until, violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

COURSE = "How Rivers Find Their Way"
SUMMARY = "Follow water from the spring to the sea, and see why no river runs straight."
PROCESSED = 240_000  # ms: the demo's own film may be in the queue before it


def make_clip(path: Path, *, seconds: int = 5, padding: int = 0) -> Path:
    """A real video with sound, followed by ``padding`` bytes in an empty box."""
    picture, sound = f"testsrc2=s=640x360:r=25:d={seconds}", f"sine=f=330:d={seconds}"
    subprocess.run(
        [
            *(str(find_ffmpeg()), "-v", "error", "-y", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound),
            *("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", str(path)),
        ],
        check=True,
    )
    if padding:
        with path.open("ab") as file:
            file.write(struct.pack(">I4s", padding + 8, b"free") + os.urandom(padding))
    return path


@pytest.fixture
def teacher(people: Callable[..., Page]) -> Page:
    return people("instructor")


def write_course(teacher: Page) -> str:
    """Create a draft with a section, a video lesson and a quiz lesson; returns its slug."""
    teacher.goto("/dashboard/instructor/courses/new")
    teacher.get_by_label("Title", exact=True).fill(COURSE)
    teacher.get_by_label("Category", exact=True).select_option(index=1)
    teacher.get_by_role("button", name="Create the draft").click()
    teacher.get_by_label("One-sentence summary").fill(SUMMARY)
    teacher.get_by_label("Outcome 1", exact=True).fill("Read a valley like a page.")
    expect(teacher.get_by_text(re.compile(r"^Saved \d")).first).to_be_visible()
    expect(teacher.get_by_role("heading", level=1, name=COURSE)).to_be_visible()
    teacher.get_by_role("link", name="Lessons").first.click()

    teacher.get_by_label("New section title").fill("Downhill")
    teacher.get_by_role("button", name="Add a section").click()
    teacher.get_by_label("New lesson title in section 1").fill("Why water bends")
    teacher.get_by_role("button", name="Add lesson: Video").click()
    expect(teacher.get_by_role("heading", name="Video 1.1")).to_be_visible()
    return teacher.url.split("/courses/")[1].split("/")[0]


def write_quiz(teacher: Page, slug: str) -> None:
    teacher.goto(f"/dashboard/instructor/courses/{slug}/lectures")
    teacher.get_by_label("New lesson title in section 1").fill("Check yourself")
    teacher.get_by_role("button", name="Add lesson: Quiz").click()
    teacher.get_by_text("Add a question").click()
    teacher.get_by_role("link", name="Single choice").click()
    teacher.get_by_role("textbox", name="Question", exact=True).fill("Where does a river cut its bank?")
    teacher.get_by_label("Answer 1", exact=True).fill("On the inside of the bend")
    teacher.get_by_label("Answer 2", exact=True).fill("On the outside of the bend")
    teacher.get_by_label("Answer 2 is correct").check(force=True)
    teacher.get_by_role("textbox", name="Explanation").fill("The water is fastest there.")
    teacher.get_by_role("button", name="Save question").click()
    expect(teacher.get_by_text("Question 1 saved.")).to_be_visible()


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "why-water-bends.mp4")


def test_course_from_creation_to_certificate(teacher: Page, people: Callable[..., Page], clip: Path) -> None:
    # Ines writes a course and uploads its video.
    slug = write_course(teacher)
    teacher.get_by_role("link", name="Upload a video").click()
    expect(teacher.get_by_text("Drop the video for lesson 1.1 here")).to_be_visible()
    film = clip.with_name(f"why-water-bends-{slug}.mp4")  # of its own, should the test run again
    copyfile(clip, film)
    teacher.get_by_label("Choose videos").set_input_files(film)
    job = teacher.get_by_role("listitem").filter(has_text=film.name)
    expect(job).to_contain_text("For lesson 1.1")
    expect(job.get_by_role("list", name="Stages")).to_be_visible()
    assert violations(teacher) == []

    # She writes the quiz while the video is processed.
    tab = teacher.context.new_page()
    write_quiz(tab, slug)
    assert violations(tab) == []
    done = teacher.get_by_role("region", name=re.compile("^Done today"))
    expect(done).to_contain_text(film.name, timeout=PROCESSED)

    # She submits it.
    tab.goto(f"/dashboard/instructor/courses/{slug}/edit#review")
    tab.get_by_role("button", name="Submit for review").click()
    expect(tab.locator("[data-field=submitted]")).to_be_visible()

    # It is not in the catalog yet.
    learner = people("student")
    assert learner.goto(f"/courses/{slug}").status == 404  # type: ignore[union-attr]

    # An admin reads it and approves.
    admin = people("admin")
    admin.goto("/dashboard/admin/")
    admin.get_by_role("link", name=f"Review {COURSE}").click()
    expect(admin.get_by_role("heading", name="1.1 Why water bends")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_label("Approve").check(force=True)
    admin.get_by_role("button", name="Send decision").click()
    expect(admin.get_by_text(f"“{COURSE}” is live.")).to_be_visible()

    # A learner finds it by search and enrolls.
    learner.goto("/")
    learner.get_by_role("combobox").first.fill("rivers way")
    learner.get_by_role("combobox").first.press("Enter")
    learner.get_by_role("link", name=COURSE).first.click()
    learner.get_by_role("button", name="Enroll now").click()
    learner.wait_for_url(re.compile(f"/(learn|courses)/{slug}"))

    # The video plays, and watching it completes the lesson.
    learner.goto(f"/learn/{slug}/why-water-bends")
    learner.locator("[data-start]").click()
    video = learner.locator("video")
    expect(video).to_have_count(1, timeout=20_000)
    until(learner, "document.querySelector('video')?.currentTime > 1")
    until(learner, "document.querySelector('video')?.ended")
    expect(learner.locator("[data-course-count]").first).to_contain_text("1 of 2", timeout=15_000)

    # The second attempt passes the quiz.
    learner.goto(f"/learn/{slug}/check-yourself")
    for answer, score in (("On the inside of the bend", "0%"), ("On the outside of the bend", "100%")):
        learner.get_by_role("button", name=re.compile("^(Start the quiz|Try again)$")).first.click()
        learner.get_by_label(answer).check(force=True)
        submit_attempt(learner)
        expect(learner.get_by_text(score, exact=True).first).to_be_visible(timeout=15_000)
    expect(learner.get_by_text("The water is fastest there.")).to_be_visible()

    # The learner has the certificate, and a visitor verifies it.
    learner.goto(f"/me/course/{slug}/progress")
    learner.get_by_role("main").get_by_role("link", name="Verify").click()
    expect(learner.get_by_role("heading", name="This certificate is valid")).to_be_visible()
    code = learner.url.rsplit("/", 1)[1]
    pdf = learner.request.get(f"/certificates/{code}.pdf")
    assert pdf.body().startswith(b"%PDF")

    visitor = people()
    visitor.goto("/certificates/")
    visitor.get_by_label("Code").fill(f"{code[:4]} {code[4:8].lower()} {code[8:]}")
    visitor.get_by_role("button", name="Verify").click()
    expect(visitor.get_by_role("heading", name="This certificate is valid")).to_be_visible()
    expect(visitor.get_by_text(COURSE).first).to_be_visible()


HALFWAY = "/Uploading (3|4|5)\\d%/.test(document.querySelector('.jobs')?.innerText ?? '')"


def submit_attempt(learner: Page) -> None:
    """Submit, and confirm if a dialog asks."""
    learner.wait_for_timeout(1_000)  # a faster attempt is refused: nobody reads that fast
    learner.get_by_role("button", name="Submit").last.click()
    dialog = learner.get_by_role("dialog")
    try:
        dialog.wait_for(timeout=1_500)
    except Exception:
        return
    dialog.get_by_role("button", name="Submit").click()


def test_upload_survives_a_killed_server_and_resumes_from_the_last_saved_byte(
    teacher: Page, site: Site, tmp_path: Path
) -> None:
    size = 48 * 2**20
    clip = make_clip(tmp_path / "large-lecture.mp4", seconds=2, padding=size)
    offsets: list[int] = []

    def note(request: Request) -> None:
        if request.method == "PATCH":
            offsets.append(int(request.headers["upload-offset"]))

    teacher.on("request", note)
    teacher.goto("/dashboard/instructor/upload/")
    expect(teacher.get_by_text("free of 50 GB")).to_be_visible()
    line = teacher.context.new_cdp_session(teacher)
    conditions = {"offline": False, "latency": 0, "downloadThroughput": -1}
    line.send("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": 8 * 2**20})
    teacher.get_by_label("Choose videos").set_input_files(clip)
    job = teacher.get_by_role("listitem").filter(has_text=clip.name)
    until(teacher, HALFWAY)

    os.kill(web_process(site), signal.SIGKILL)

    expect(job).to_contain_text("The connection was lost", timeout=30_000)
    before = len(offsets)
    line.send("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": -1})
    done = teacher.get_by_role("region", name=re.compile("^Done today"))
    expect(done).to_contain_text(clip.name, timeout=PROCESSED)
    assert offsets[before] >= 8 * 2**20, "it started over"


def web_process(site: Site) -> int:
    """The process id of this copy's web server."""
    port = site.env["PORT"]
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if port.encode() in words and any(word.endswith(b"uvicorn") for word in words):
            return int(folder.name)
    raise AssertionError("no web server")


@pytest.mark.long
def test_interrupted_upload_resumes_after_a_reload_with_the_same_file(teacher: Page, tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "interrupted.mp4", seconds=2, padding=40 * 2**20)
    teacher.goto("/dashboard/instructor/upload/")
    expect(teacher.get_by_text("free of 50 GB")).to_be_visible()
    line = teacher.context.new_cdp_session(teacher)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 8 * 2**20}
    line.send("Network.emulateNetworkConditions", slow)
    teacher.get_by_label("Choose videos").set_input_files(clip)
    until(teacher, HALFWAY)
    teacher.get_by_role("button", name=f"Pause upload of {clip.name}").click()
    expect(teacher.get_by_text(re.compile("^Paused"))).to_be_visible()
    line.send("Network.emulateNetworkConditions", {**slow, "uploadThroughput": -1})

    teacher.reload()

    offsets: list[int] = []
    teacher.on(
        "request",
        lambda request: offsets.append(int(request.headers["upload-offset"])) if request.method == "PATCH" else None,
    )
    expect(teacher.get_by_role("listitem").filter(has_text=clip.name)).to_have_count(1, timeout=30_000)
    teacher.get_by_label("Choose videos").set_input_files(clip)
    deadline = time.monotonic() + 60
    while not offsets and time.monotonic() < deadline:
        teacher.wait_for_timeout(100)
    assert offsets[0] >= 8 * 2**20, "it started over"
    expect(teacher.get_by_role("listitem").filter(has_text=clip.name)).to_have_count(1)


OPENED_AGAIN = """window.showOpenFilePicker = async () => {
    const folder = await navigator.storage.getDirectory();
    return [await folder.getFileHandle("restarted.mp4")];
}"""
STORE_CLIP = """async () => {
    const [file] = document.querySelector("#clip").files;
    const handle = await (await navigator.storage.getDirectory()).getFileHandle("restarted.mp4", { create: true });
    await file.stream().pipeTo(await handle.createWritable());
}"""


@pytest.mark.long
def test_upload_continues_by_itself_after_the_browser_was_closed(
    site: Site,
    playwright: Playwright,
    states: Callable[[str], dict],
    browser_type_launch_args: dict,
    tmp_path: Path,
) -> None:
    """The file stands for one that was chosen from the disk: this browser can open it again."""
    clip = make_clip(tmp_path / "restarted.mp4", seconds=2, padding=40 * 2**20)
    offsets: list[int] = []

    def open_browser() -> tuple[BrowserContext, Page]:
        context = playwright.chromium.launch_persistent_context(
            tmp_path / "profile", base_url=site.base, service_workers="block", **browser_type_launch_args
        )
        context.add_cookies(states("instructor")["cookies"])
        context.add_init_script(OPENED_AGAIN)
        page = context.pages[0] if context.pages else context.new_page()
        page.on(
            "request",
            lambda request: (
                offsets.append(int(request.headers["upload-offset"])) if request.method == "PATCH" else None
            ),
        )
        page.goto("/dashboard/instructor/upload/")
        expect(page.get_by_text("free of 50 GB")).to_be_visible()
        return context, page

    context, page = open_browser()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<input type=file id=clip>')")
    page.locator("#clip").set_input_files(clip)
    page.evaluate(STORE_CLIP)
    line = context.new_cdp_session(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 8 * 2**20}
    line.send("Network.emulateNetworkConditions", slow)
    page.get_by_label("Choose videos").click()
    until(page, HALFWAY)
    context.close()
    before = len(offsets)

    context, page = open_browser()

    job = page.get_by_role("listitem").filter(has_text=clip.name)
    expect(job).to_contain_text("Uploading, done", timeout=120_000)
    assert offsets[before] >= 8 * 2**20, "it started over"
    context.close()
